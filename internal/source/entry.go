package source

import (
	"fmt"
	"strings"

	"github.com/hearsay-memory/hearsay"
)

// Known is the actor condition that a person of the table's [People] meets, and
// nobody else.
const Known = "known"

// Entry is one row of a [Table].
type Entry struct {
	// Type is an exact source type ("web") or a family of types ("mcp:*").
	Type string
	// Actors, where not empty, names who may have written the text for the entry
	// to apply: [Known], or the actor byte for byte, such as a GitHub author
	// association. An entry without actors applies to everybody.
	Actors []string
	// Class is what such a source amounts to. Where it sinks the session and has
	// no tag, it taints under the source's own base type.
	Class hearsay.Class
}

// Family returns the prefix of a family of types, colon included ("mcp:" for
// "mcp:*"), and whether pattern is one.
func Family(pattern string) (prefix string, ok bool) {
	prefix, ok = strings.CutSuffix(pattern, "*")
	return prefix, ok && len(prefix) > 1 && strings.HasSuffix(prefix, ":")
}

// CheckType returns an error where pattern cannot be the type of an [Entry].
func CheckType(pattern string) error {
	name := pattern
	if prefix, ok := Family(pattern); ok {
		name = prefix
	}
	switch {
	case !hearsay.ValidTag(name):
		return fmt.Errorf("source type %q is malformed: want 1 to 96 printable ASCII characters without spaces, commas, quotes or backslashes", pattern)
	case strings.Contains(name, "*"):
		return fmt.Errorf("source type %q: a star may only stand at the end, after a colon, as in mcp:*", pattern)
	case (hearsay.Source{Type: name}).BaseType() != name:
		return fmt.Errorf("source type %q: name the base type, without _enriched: a rewrite inherits its base", pattern)
	case name == hearsay.UnknownTag:
		return fmt.Errorf("source type %q is what cannot be told, and is always external", pattern)
	}
	return nil
}

// applies reports whether the entry speaks for the actor.
func (e *Entry) applies(known bool, actor string) bool {
	if len(e.Actors) == 0 {
		return true
	}
	for _, a := range e.Actors {
		if a == Known && known || a != Known && a == actor {
			return true
		}
	}
	return false
}

// class returns the entry's class for a base type.
func (e *Entry) class(base string) hearsay.Class {
	c := e.Class
	switch {
	case c.Reach != hearsay.ReachSession:
		c.Tag = ""
	case c.Tag == "":
		c.Tag = base
	}
	return c
}
