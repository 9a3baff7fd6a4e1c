package hearsay

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
)

// UnknownTag is the taint of a source that cannot be told, and the only member
// of a [Taint]'s zero value.
const UnknownTag = "unknown"

// maxTag bounds a tag, in bytes.
const maxTag = 96

// Taint is the set of source types that flowed in and are not trusted. It has
// [Taint.Join] and nothing that removes an element.
//
// The zero value is the set {unknown}: a taint that nobody filled in is not
// clean. [Untainted] is the empty set. Taints are immutable and comparable:
// equal sets are ==.
type Taint struct {
	known bool   // false: the zero value, {unknown}
	tags  string // sorted, separated by commas; a tag has no comma
}

// Untainted is the empty set, the identity of [Taint.Join].
var Untainted = Taint{known: true}

// NewTaint returns the set of the given tags. A tag that is not well formed
// (see [ValidTag]) becomes [UnknownTag]: a strange name taints, it never vanishes.
func NewTaint(tags ...string) Taint {
	list := make([]string, len(tags))
	for i, t := range tags {
		if !ValidTag(t) {
			t = UnknownTag
		}
		list[i] = t
	}
	slices.Sort(list)
	return taintOf(slices.Compact(list))
}

// ValidTag reports whether s can be a taint tag: 1 to 96 bytes of printable
// ASCII without space, comma, quote or backslash.
func ValidTag(s string) bool {
	if s == "" || len(s) > maxTag {
		return false
	}
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c > '~' || c == ',' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// taintOf makes a taint of sorted, distinct, valid tags.
func taintOf(sorted []string) Taint {
	if len(sorted) == 1 && sorted[0] == UnknownTag {
		return Taint{}
	}
	return Taint{known: true, tags: strings.Join(sorted, ",")}
}

// joined returns the tags as one string, separated by commas.
func (t Taint) joined() string {
	if !t.known {
		return UnknownTag
	}
	return t.tags
}

// Empty reports whether nothing untrusted flowed in.
func (t Taint) Empty() bool { return t.known && t.tags == "" }

// All yields the tags in ascending order.
func (t Taint) All() iter.Seq[string] {
	return func(yield func(string) bool) {
		if t.Empty() {
			return
		}
		for tag := range strings.SplitSeq(t.joined(), ",") {
			if !yield(tag) {
				return
			}
		}
	}
}

// Tags returns the tags in ascending order; an empty set gives an empty slice.
func (t Taint) Tags() []string { return slices.AppendSeq([]string{}, t.All()) }

// Has reports whether tag is in the set.
func (t Taint) Has(tag string) bool {
	for have := range t.All() {
		if have == tag {
			return true
		}
	}
	return false
}

// Covers reports whether every tag of u is in t.
func (t Taint) Covers(u Taint) bool { return t.Join(u) == t }

// Join returns the union. It is commutative, associative and idempotent.
func (t Taint) Join(u Taint) Taint {
	if t == u || u.Empty() {
		return t
	}
	if t.Empty() {
		return u
	}
	tags := append(t.Tags(), u.Tags()...)
	slices.Sort(tags)
	return taintOf(slices.Compact(tags))
}

// String returns the tags separated by commas; "-" for the empty set.
func (t Taint) String() string {
	if t.Empty() {
		return "-"
	}
	return t.joined()
}

// MarshalJSON writes the set as an array of sorted names.
func (t Taint) MarshalJSON() ([]byte, error) {
	if t.Empty() {
		return []byte("[]"), nil
	}
	// A tag has nothing in it that JSON would have to escape.
	return []byte(`["` + strings.ReplaceAll(t.joined(), ",", `","`) + `"]`), nil
}

// UnmarshalJSON reads what [Taint.MarshalJSON] writes and nothing else: an
// unsorted, repeated or malformed name is an error and leaves the zero value.
func (t *Taint) UnmarshalJSON(b []byte) error {
	*t = Taint{}
	var tags []string
	if err := json.Unmarshal(b, &tags); err != nil {
		return fmt.Errorf("taint: %w", err)
	}
	if tags == nil {
		return fmt.Errorf("taint: want an array of names, not null")
	}
	for i, tag := range tags {
		if !ValidTag(tag) {
			return fmt.Errorf("taint: name %d is malformed", i)
		}
		if i > 0 && tags[i-1] >= tag {
			return fmt.Errorf("taint: names are not sorted and distinct")
		}
	}
	*t = taintOf(tags)
	return nil
}
