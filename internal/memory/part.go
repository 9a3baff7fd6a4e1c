package memory

import (
	"fmt"

	"github.com/hearsay-memory/hearsay"
)

// set is one of the two halves of the index.
type set string

const (
	trustedSet set = "trusted"
	restSet    set = "rest"
)

// part is one of the parts in which memories are numbered and searched, and their vectors
// made, each by itself: strangers' memories, however many there are, hide nothing that the
// user imported, and one that breaks the embedder keeps nobody else waiting.
type part struct {
	name        string
	of          set
	first, last int64 // numbers of its memories in the half
}

// Strangers have numbers of their own in a half of the index: full-text search goes through
// a range of numbers without looking at the others, and through no row to see whose it is.
const firstStranger = 1 << 40

var (
	trustedPart   = part{"trusted", trustedSet, 1, firstStranger - 1}
	strangersPart = part{"strangers", restSet, firstStranger, 2*firstStranger - 1}
	othersPart    = part{"others", restSet, 1, firstStranger - 1}

	parts = [...]part{trustedPart, othersPart, strangersPart}
)

// partOf returns where a memory belongs.
func partOf(m *Memory) part {
	switch {
	case m.Label.Trusted():
		return trustedPart
	case m.Label.Origin == hearsay.External:
		return strangersPart
	}
	return othersPart
}

// among returns the condition on the number of a row of the half by which it is of the part.
// The zero value, and who has a half alone, needs none.
func (p part) among(doc string) string {
	if p.of != restSet {
		return ""
	}
	return fmt.Sprintf(" AND %s BETWEEN %d AND %d", doc, p.first, p.last)
}
