package hosts

import (
	"unicode/utf8"

	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// Bounds of Event.Text: strings, bytes of one, bytes of all. They keep a result of
// many megabytes from costing more than its one strict reading.
const (
	mostTexts = 4_096
	mostText  = 256 << 10
	mostTotal = 1 << 20
)

// mostKey is the longest key, in bytes, that counts as an identifier and not as a
// text.
const mostKey = 64

// texts gathers what enters a session, within the bounds.
type texts struct {
	out     []string
	total   int
	omitted int
}

// string adds a string. It is decoded only as far as there is room.
func (t *texts) string(v strictjson.Value) {
	raw := len(v.Raw()) - 2
	if raw <= 0 {
		return
	}
	if len(t.out) == mostTexts || t.total >= mostTotal {
		t.omitted += raw
		return
	}
	t.add(v.String())
}

// add adds a string that is decoded already.
func (t *texts) add(s string) {
	if s == "" {
		return
	}
	if len(t.out) == mostTexts {
		t.omitted += len(s)
		return
	}
	kept, left := cutText(s, min(mostText, mostTotal-t.total))
	t.omitted += left
	if kept != "" {
		t.out = append(t.out, kept)
		t.total += len(kept)
	}
}

// cutText returns the first most bytes of s, less where that would split a
// character, and how many are left out.
func cutText(s string, most int) (string, int) {
	if len(s) <= most {
		return s, 0
	}
	n := most
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	// A copy, so that a short beginning does not hold all of s in memory.
	return string([]byte(s[:n])), len(s) - n
}

// tree adds every string of a value, and every key that could carry a sentence.
func (t *texts) tree(v strictjson.Value) {
	switch v.Kind() {
	case strictjson.KindString:
		t.string(v)
	case strictjson.KindArray:
		for _, e := range v.Elements() {
			t.tree(e)
		}
	case strictjson.KindObject:
		for key, e := range v.Members() {
			if !identifier(key) {
				t.add(key)
			}
			t.tree(e)
		}
	}
}

// identifier reports whether a key is a name that a program chose.
func identifier(key string) bool {
	if len(key) > mostKey {
		return false
	}
	for i := range len(key) {
		b := key[i]
		if !(b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' || b == '-' || b == '.' || b == '$' || b == '@') {
			return false
		}
	}
	return true
}

// into puts what was gathered into an event.
func (t *texts) into(e *Event) {
	e.Text = t.out
	e.Omitted += t.omitted
	e.Truncated = e.Truncated || t.omitted > 0
}
