package tell

import (
	"fmt"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// SpokenBy is a record's label, and whether it is that because the words are the user's.
func SpokenBy(p *term.Printer, r *event.Record) any {
	if r.Attributed && !r.Label.Tainted() {
		return r.Label.String() + ", " + Attributed
	}
	return Label(p, r.Label)
}

// Attributed stands where the record is of a session that read something untrusted, and
// all its words are those of a turn that the user typed.
const Attributed = "attributed to the user's own words"

// Place says where a record belongs: its kind, where it has one, and its namespace.
func Place(r *event.Record) string {
	return Join("/", r.Kind, r.Namespace.String())
}

// MemoryState says what is special about a memory.
func MemoryState(r *event.Record, by hearsay.RecordID) string {
	var list []string
	if r.Claims.Pin {
		list = append(list, "pinned")
	}
	if r.Claims.Stable {
		list = append(list, "stable")
	}
	if !by.IsZero() && r.Standing.Visible() {
		list = append(list, "not served: "+by.String()+" stands in its place")
	}
	return strings.Join(list, ", ")
}

// TakenIn says for people what a session took in: a source, or memories of its own.
func TakenIn(source, ref string, records []hearsay.RecordID) string {
	if n := len(records); n > 0 {
		return fmt.Sprintf("%d memories of low trust, by recall", n)
	}
	return source + Prefixed(" ", ref)
}
