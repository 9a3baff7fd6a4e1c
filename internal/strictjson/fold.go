package strictjson

import (
	"encoding/binary"
	"unicode"
	"unicode/utf8"
)

// upper folds an ASCII letter.
func upper(c byte) byte {
	if c-'a' < 26 {
		c -= 'a' - 'A'
	}
	return c
}

// upper8 folds the ASCII letters among the eight ASCII bytes of x.
func upper8(x uint64) uint64 {
	from, beyond := x+(0x80-'a')*ones, x+(0x7F-'z')*ones
	return x - (from&^beyond&highs)>>2 // 0x80>>2 is the distance of the cases
}

// putFoldedASCII writes the folded form of the ASCII text at b[start:end] to
// dst, which has room for it and seven bytes more.
func putFoldedASCII(dst, b []byte, start, end int) []byte {
	n := end - start
	i := 0
	for ; i < n && start+i+8 <= len(b); i += 8 { // may fold bytes beyond end, which are cut off below
		binary.LittleEndian.PutUint64(dst[i:], upper8(binary.LittleEndian.Uint64(b[start+i:])&^highs))
	}
	for ; i < n; i++ {
		dst[i] = upper(b[start+i])
	}
	return dst[:n]
}

const (
	patience  = 256     // runes folded through the Unicode tables before pages are made
	pageRunes = 256     // runes on a page
	caseEnd   = 0x1F000 // no rune from here on has case
)

// A folder folds the case of text. Unicode's own tables take up to 200 ns a
// rune, which would let a small input cost seconds; a folder that has seen many
// runes makes its own table, page by page, whose cost has a ceiling.
type folder struct {
	seen  int
	pages []*[pageRunes]rune
}

// rune returns the least rune of r's case orbit, which for ASCII letters is the
// upper-case one.
func (f *folder) rune(r rune) rune {
	if r < utf8.RuneSelf {
		return rune(upper(byte(r)))
	}
	if r >= 0x2E80 && r < 0xA640 || r >= 0xAC00 && r < 0xD7B0 || r >= caseEnd {
		return r // CJK, Hangul and symbols
	}
	if f.seen < patience {
		f.seen++
		return foldRune(r)
	}
	if f.pages == nil {
		f.pages = make([]*[pageRunes]rune, caseEnd/pageRunes)
	}
	page := f.pages[r/pageRunes]
	if page == nil {
		page = new([pageRunes]rune)
		for i := range page {
			page[i] = foldRune(r/pageRunes*pageRunes + rune(i))
		}
		f.pages[r/pageRunes] = page
	}
	return page[r%pageRunes]
}

// foldRune asks the Unicode tables.
func foldRune(r rune) rune {
	least := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		least = min(least, next)
	}
	return least
}

// appendRaw appends the folded text of a raw string that a scan has accepted.
func (f *folder) appendRaw(dst, raw []byte) []byte {
	for i := 0; i < len(raw); {
		switch c := raw[i]; {
		case c == '\\':
			r, n := unescape(raw[i:])
			dst = utf8.AppendRune(dst, f.rune(r))
			i += n
		case c < utf8.RuneSelf:
			dst = append(dst, upper(c))
			i++
		default:
			r, n := utf8.DecodeRune(raw[i:])
			dst = utf8.AppendRune(dst, f.rune(r))
			i += n
		}
	}
	return dst
}

// appendText appends the folded form of decoded text. As in a written string,
// bytes that are not UTF-8 count as U+FFFD.
func (f *folder) appendText(dst []byte, text string) []byte {
	for _, r := range text {
		dst = utf8.AppendRune(dst, f.rune(r))
	}
	return dst
}
