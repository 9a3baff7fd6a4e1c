package textfold

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// HiddenKind says by what means something is hidden from a reader.
type HiddenKind uint8

// The kinds of hiding.
const (
	HiddenTags       HiddenKind = iota // tag characters, which spell ASCII invisibly
	HiddenBidi                         // controls that reorder what is displayed
	HiddenZeroWidth                    // characters without width that no script asks for here
	HiddenSelectors                    // variation selectors that select nothing
	HiddenSoftHyphen                   // soft hyphens closer than any hyphenation sets them
)

// Hidden is a run of hidden characters of one kind: s[Start:End].
type Hidden struct {
	Kind       HiddenKind
	Start, End int // bytes
}

// NextHidden returns the first run of hidden characters that starts at or after
// byte from of s, which must not lie inside a character.
//
// Characters that some script or emoji needs where they stand do not count: a
// joiner between pictographs or beside a letter of a joining script, a variation
// selector on a symbol or an ideograph, a direction mark near right-to-left
// text, a break opportunity between letters of a script without spaces, one soft
// hyphen, a byte-order mark that begins the text, and the flags of England,
// Scotland and Wales, the only ones that Unicode recommends to spell with tags.
func NextHidden(s string, from int) (Hidden, bool) {
	for i := from; i < len(s); {
		i = skipVisible(s, i)
		if i >= len(s) {
			break
		}
		r, size := decode(s, i)
		if class := classOf(r); class != visible {
			end := runEnd(s, i+size, class)
			if kind, hidden := judge(s, i, end, class); hidden {
				return Hidden{kind, i, end}, true
			}
			size = end - i
		}
		i += size
	}
	return Hidden{}, false
}

// Tags returns what the tag characters in s spell. Tag characters that have no
// ASCII counterpart show as U+FFFD, so the result is empty only without any.
func Tags(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r >= tagFirst+' ' && r < tagCancel:
			b.WriteByte(byte(r - tagFirst))
		case isTag(r):
			b.WriteRune(utf8.RuneError)
		}
	}
	return b.String()
}

const (
	tagFirst   = 0xE0000
	tagCancel  = 0xE007F
	blackFlag  = "\U0001F3F4"
	softHyphen = 0x00AD
	bom        = 0xFEFF
	joiner     = 0x200D
	nonJoiner  = 0x200C
	zeroSpace  = 0x200B
	emojiStyle = 0xFE0F
)

func isTag(r rune) bool { return r >= tagFirst && r <= tagCancel }

// hiddenClass groups characters whose runs are judged together.
type hiddenClass uint8

const (
	visible hiddenClass = iota
	tagClass
	bidiClass
	markClass // direction marks, which have no scope
	zeroClass
	selectorClass
	softClass
)

func classOf(r rune) hiddenClass {
	switch {
	case r == softHyphen:
		return softClass
	case r == 0x061C, r == 0x200E, r == 0x200F:
		return markClass
	case r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069:
		return bidiClass
	case r >= zeroSpace && r <= joiner, r >= 0x2060 && r <= 0x2065, r >= 0x206A && r <= 0x206F,
		r == bom, r == 0x180E, r == 0x034F, r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFFA0,
		r >= 0xFFF9 && r <= 0xFFFB, r >= 0x1D173 && r <= 0x1D17A:
		return zeroClass
	case r >= 0xFE00 && r <= 0xFE0F, r >= 0xE0100 && r <= 0xE01EF:
		return selectorClass
	case r >= tagFirst && r < 0xE1000:
		return tagClass
	}
	return visible
}

// mayHide marks the first bytes in UTF-8 of characters that have a class.
var mayHide = func() (t [256]bool) {
	for _, c := range []byte{0xC2, 0xCD, 0xD8, 0xE1, 0xE2, 0xE3, 0xEF, 0xF0, 0xF3} {
		t[c] = true
	}
	return t
}()

// skipVisible returns the next place from i on where a hidden character may start.
func skipVisible(s string, i int) int {
	for i+8 <= len(s) && (s[i]|s[i+1]|s[i+2]|s[i+3]|s[i+4]|s[i+5]|s[i+6]|s[i+7])&0x80 == 0 {
		i += 8
	}
	for i < len(s) && !mayHide[s[i]] {
		i++
	}
	return i
}

func runEnd(s string, i int, class hiddenClass) int {
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if classOf(r) != class {
			break
		}
		i += size
	}
	return i
}

// judge decides whether the run s[start:end] of class hides something.
func judge(s string, start, end int, class hiddenClass) (HiddenKind, bool) {
	r, size := utf8.DecodeRuneInString(s[start:end])
	single := size == end-start
	before, _ := utf8.DecodeLastRuneInString(s[:start])
	after, _ := utf8.DecodeRuneInString(s[end:])
	switch class {
	case tagClass:
		return HiddenTags, !nationalFlag(s, start, end)
	case bidiClass:
		return HiddenBidi, true
	case markClass:
		return HiddenBidi, !single || !nearRightToLeft(s, start, end)
	case selectorClass:
		return HiddenSelectors, !single || !selectable(before, r)
	case softClass:
		_, next := utf8.DecodeRuneInString(s[end:])
		return HiddenSoftHyphen, !single || strings.HasPrefix(s[end+next:], "\u00AD")
	}
	switch {
	case start == 0 && r == bom && single:
		return HiddenZeroWidth, false
	case !single:
		return HiddenZeroWidth, true
	case r == joiner || r == nonJoiner:
		needed := joining(before) || joining(after) || r == joiner && pictograph(before) && pictograph(after)
		return HiddenZeroWidth, !needed
	case r == zeroSpace:
		return HiddenZeroWidth, !unspaced(before) || !unspaced(after)
	}
	return HiddenZeroWidth, true
}

func nationalFlag(s string, start, end int) bool {
	if !strings.HasSuffix(s[:start], blackFlag) {
		return false
	}
	switch s[start:end] {
	case flagEngland, flagScotland, flagWales:
		return true
	}
	return false
}

const (
	flagEngland  = "\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F"
	flagScotland = "\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F"
	flagWales    = "\U000E0067\U000E0062\U000E0077\U000E006C\U000E0073\U000E007F"
)

// nearRightToLeft reports whether a right-to-left letter stands within eight
// characters of s[start:end].
func nearRightToLeft(s string, start, end int) bool {
	for n, i := 0, start; n < 8 && i > 0; n++ {
		r, size := utf8.DecodeLastRuneInString(s[:i])
		if rightToLeft(r) {
			return true
		}
		i -= size
	}
	for n, i := 0, end; n < 8 && i < len(s); n++ {
		r, size := utf8.DecodeRuneInString(s[i:])
		if rightToLeft(r) {
			return true
		}
		i += size
	}
	return false
}

func rightToLeft(r rune) bool {
	return r >= 0x0590 && r <= 0x08FF && r != 0x061C || r >= 0xFB1D && r <= 0xFDFF || r >= 0xFE70 && r < bom
}

// selectable reports whether selector v has a use after r.
func selectable(r, v rune) bool {
	switch {
	case v >= 0xE0100:
		return unicode.Is(unicode.Han, r)
	case v == emojiStyle || v == emojiStyle-1:
		return pictograph(r) || r == '#' || r == '*' || r >= '0' && r <= '9'
	default: // text variants of ideographs, mathematics and a few scripts
		return r >= 0x1000 && r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsSymbol(r))
	}
}

// pictograph reports whether r is part of an emoji: symbols, skin tones, and the
// selector that asks for the coloured form.
func pictograph(r rune) bool {
	switch {
	case r < 0xA9 || r == utf8.RuneError:
		return false
	case r == emojiStyle, r >= 0x1F000 && r <= 0x1FAFF:
		return true
	}
	return r <= 0x3299 && (unicode.IsSymbol(r) || r == 0x203C || r == 0x2049 || r == 0x3030)
}

// joining reports whether r belongs to a script in which joiners change letters.
func joining(r rune) bool {
	return r >= 0x0600 && r <= 0x08FF && r != 0x061C || // Arabic, Syriac, N'Ko and their neighbours
		r >= 0x0900 && r <= 0x0DFF || // the scripts of India and Sri Lanka
		r >= 0x0F00 && r <= 0x109F || r >= 0x1780 && r <= 0x18AF && r != 0x180E || // Tibetan, Myanmar, Khmer, Mongolian
		r >= 0x1A20 && r <= 0x1AAF || r >= 0x1B00 && r <= 0x1BFF || // Tai Tham, Balinese and others
		r >= 0xA840 && r <= 0xABFF || r >= 0xFB50 && r < bom || r >= 0x11000 && r <= 0x11FFF
}

// unspaced reports whether r belongs to a script that marks no words, so that a
// zero-width space tells where a line may break.
func unspaced(r rune) bool {
	return r >= 0x0E00 && r <= 0x0EFF || r >= 0x1000 && r <= 0x109F || r >= 0x1780 && r <= 0x17FF
}
