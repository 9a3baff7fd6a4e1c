package mark

import (
	"strings"
	"unicode/utf8"

	"github.com/hearsay-memory/hearsay/internal/textfold"
)

// Defang returns text with what looks like a marker, notice, heading or receipt
// of this package made plain: the opening bracket becomes "(", the sign of a
// receipt "*". All words survive. Case, spacing, punctuation between the letters,
// look-alike letters, invisible characters and encoded forms (&lt;, %5B, \u005b)
// make no difference. A text without look-alikes comes back as it is, the same bytes
// and no allocation, and Defang of its own result changes nothing.
func Defang(text string) string {
	at := candidate(text, 0)
	if at == len(text) {
		return text
	}
	var b strings.Builder
	done := 0
	for at < len(text) {
		end, kind := opening(text, at)
		switch {
		case kind == signKind && memoryFollows(text[end:]),
			kind == bracketKind && wordFollows(text[end:], "hearsay"):
			b.WriteString(text[done:at])
			writePlain(&b, text[at:end])
			done = end
		}
		at = candidate(text, max(end, at+1))
	}
	if done == 0 {
		return text
	}
	b.WriteString(text[done:])
	return b.String()
}

// HasMarkers reports whether text bears what looks like a marker around external
// text: this package's own markers and notices, or the forms that other programs
// use, such as <<<EXTERNAL_UNTRUSTED_CONTENT>>> or [BEGIN UNTRUSTED DATA]. Such a
// text passed through a frame on its way, or pretends to have, and counts as external.
func HasMarkers(text string) bool {
	for at := candidate(text, 0); at < len(text); {
		end, kind := opening(text, at)
		if kind == bracketKind {
			for _, m := range frames {
				if (!m.angled || angled(text[at:end])) && wordFollows(text[end:], m.words) {
					return true
				}
			}
		}
		at = candidate(text, max(end, at+1))
	}
	return false
}

// frames are what may follow the bracket of a marker, without spaces and
// punctuation. Those that honest prose may have in square brackets, as the text of a
// link, count in angle brackets only.
var frames = []struct {
	words  string
	angled bool
}{
	{"hearsayexternal", false}, {"hearsayunverified", false},
	{"externaluntrusted", false}, {"beginexternal", false}, {"startexternal", false}, {"endexternal", false},
	{"beginuntrusted", false}, {"startuntrusted", false}, {"enduntrusted", false},
	{"untrustedcontent", true}, {"untrusteddata", true}, {"untrustedinput", true}, {"untrustedtext", true}, {"untrustedexternal", true},
}

// angled reports whether an opening has an angle bracket.
func angled(opening string) bool {
	for i := 0; i < len(opening); {
		u := next(opening[i:])
		if f := fold(u.r); f.first() == '<' {
			return true
		}
		i += u.size
	}
	return false
}

// openingKind says what a stretch of text may open.
type openingKind uint8

const (
	nothing openingKind = iota
	bracketKind
	signKind
)

// mayOpen marks the bytes at which an opening, or an encoded one, may begin: the
// ASCII ones, and the first bytes in UTF-8 of all look-alikes.
var mayOpen = func() (t [256]bool) {
	for _, c := range []byte("[<&%\\\xCA\xCB\xE1\xE2\xE3\xEF\xF0") {
		t[c] = true
	}
	return t
}()

// candidate returns the first place from at on where an opening may begin, or
// len(text).
func candidate(text string, at int) int {
	for at < len(text) && !mayOpen[text[at]] {
		at++
	}
	return at
}

// opening reads what stands at byte at of text: a run of signs; or a run of brackets with
// whatever may stand between a bracket and its word. Runs are read as one, so
// that a text of brackets is not read again from each of them.
func opening(text string, at int) (end int, kind openingKind) {
	u := next(text[at:])
	end = at + u.size
	switch {
	case receiptLike(u.r):
		return signs(text, end), signKind
	case !bracket(fold(u.r)):
		return end, nothing
	}
	for end < len(text) {
		u := next(text[end:])
		if f := fold(u.r); !bracket(f) && !filler(f) {
			break
		}
		end += u.size
	}
	return end, bracketKind
}

// signs returns where a run of signs ends, of which one ends at byte end of text. Signs are
// of a run where no more stands between them than between a sign and its word: the last
// one made plain would stand between the word and the others.
func signs(text string, end int) int {
	shown := 0
	for at := end; at < len(text); {
		u := next(text[at:])
		at += u.size
		switch f := fold(u.r); {
		case receiptLike(u.r):
			end, shown = at, 0
		case f == 0:
		case filler(f) && shown < mostFillers:
			shown++
		default:
			return end
		}
	}
	return end
}

// bracket reports whether f is the folding of an opening bracket of a marker.
func bracket(f folded) bool { return f.is('[') || f.first() == '<' }

// filler reports whether what folds to f may stand between the bracket, the word and its letters
// without changing what a reader sees: nothing visible, a space or light punctuation.
func filler(f folded) bool { return f == 0 || f.len() == 1 && light[f.first()] }

var light = func() (t [256]bool) {
	for _, c := range []byte(" \t\n\v\f\r/\\!-*_|#:.=~,;'`") {
		t[c] = true
	}
	return t
}()

// receiptLike reports whether r is the sign of a receipt or a circle that passes
// for it.
func receiptLike(r rune) bool {
	switch r {
	case '◉', '◎', '●', '⦿', '⊙', '☉', '⊚', '⏺', '⚫', '⦾', '⨀', 'ⵙ', 'ʘ', '⚪', '◍', '❂',
		'🔘', '🞊', '🞉', '🟡', '🔴', '🔵', '🟢', '🟠', '🟣', '⭗':
		return true
	}
	return false
}

// memoryFollows reports whether s goes on as a receipt does after its sign.
func memoryFollows(s string) bool {
	end, ok := word(s, "memory")
	if !ok {
		return false
	}
	for end < len(s) {
		u := next(s[end:])
		f := fold(u.r)
		if f.is(':') {
			return true
		}
		if f != 0 && !f.is(' ') && !f.is('*') && !receiptLike(u.r) {
			return false // a sign may be one of those that are made plain
		}
		end += u.size
	}
	return false
}

func wordFollows(s, want string) bool {
	_, ok := word(s, want)
	return ok
}

// mostFillers is how many fillers that show stand in a row before and in a word; with more
// no reader sees one.
const mostFillers = 8

// word reads want at the start of s, through look-alikes and fillers, and returns
// where it ends.
func word(s, want string) (end int, ok bool) {
	read, fillers := 0, 0
	for read < len(want) && end < len(s) {
		u := next(s[end:])
		f := fold(u.r)
		switch {
		case f.begins(want[read:]):
			read, fillers = read+f.len(), 0
		case f == 0:
		case filler(f) && fillers < mostFillers:
			fillers++
		default:
			return 0, false
		}
		end += u.size
	}
	return end, read == len(want)
}

// folded is the folding of one character: its first byte, its second above that,
// and its length above both. Words and brackets here need no more of it.
type folded uint32

func fold(r rune) folded {
	if r > 0 && r < utf8.RuneSelf { // the common case, in line
		return asciiFolded[r]
	}
	var buf [64]byte
	switch out := textfold.FoldRune(buf[:0], r); len(out) {
	case 0:
		return 0
	case 1:
		return folded(out[0]) | 1<<16
	default:
		return folded(out[0]) | folded(out[1])<<8 | folded(len(out))<<16
	}
}

var asciiFolded = func() (t [utf8.RuneSelf]folded) {
	for r := range t {
		for _, c := range textfold.FoldRune(nil, rune(r)) {
			t[r] = folded(c) | 1<<16
		}
	}
	return t
}()

func (f folded) len() int    { return int(f >> 16) }
func (f folded) first() byte { return byte(f) }

// is reports whether the folding is c.
func (f folded) is(c byte) bool { return f == folded(c)|1<<16 }

// begins reports whether s, which is not empty, begins with the folding.
func (f folded) begins(s string) bool {
	return f.is(s[0]) || f.len() == 2 && len(s) > 1 && f.first() == s[0] && byte(f>>8) == s[1]
}

// writePlain writes an opening with its signs and brackets made harmless.
func writePlain(b *strings.Builder, opening string) {
	for i := 0; i < len(opening); {
		u := next(opening[i:])
		switch {
		case receiptLike(u.r):
			b.WriteByte('*')
		case bracket(fold(u.r)):
			b.WriteByte('(')
		default:
			b.WriteString(opening[i : i+u.size])
		}
		i += u.size
	}
}
