package textfold

import (
	_ "embed"
	"unicode/utf8"
)

// table.bin is the folding of every character outside ASCII, frozen so that a
// newer Unicode version in a dependency cannot change what stored fingerprints
// mean. TestTable derives it anew from the rules and from lookalikes.txt.
//
// Layout, numbers little endian: one uint16 a block of 64 characters from
// U+0000 to below tableEnd, giving the number of that block's values; then
// blocks of 64 uint16 values; then a pool of strings, each with its length in a
// byte before it. The file begins with the uint16 count of distinct blocks.
//
//go:embed table.bin
var table string

// tableEnd is past the last character that folds to something else than itself
// or to nothing by a range rule.
const tableEnd = 0x30000

// The values of the table. Below poolBase a value above asciiBase is one ASCII
// byte; from poolBase on it is an offset into the pool.
const (
	keepWord   = 0
	keepSymbol = 1
	remove     = 2
	jamo       = 3
	asciiBase  = 0x100
	poolBase   = 0x200
)

const indexSize = tableEnd / 64 * 2

func word(at int) uint16 { return uint16(table[at+1])<<8 | uint16(table[at]) }

func lookup(r rune) uint16 {
	switch {
	case r < 0:
		return remove
	case r < tableEnd:
		block := int(word(2 + int(r>>6)*2))
		return word(2 + indexSize + block*128 + int(r&63)*2)
	case r >= 0xE0000 && r < 0xE1000:
		return remove // tag characters, variation selectors, and what is reserved among them
	default:
		return keepWord
	}
}

func pooled(v uint16) string {
	at := 2 + indexSize + int(word(0))*128 + int(v-poolBase)
	return table[at+1 : at+1+int(table[at])]
}

// Hangul composition, Unicode chapter 3.12.
const (
	jamoL, jamoV, jamoT    = 0x1100, 0x1161, 0x11A7
	countL, countV, countT = 19, 21, 28
	syllable               = 0xAC00
	countS                 = countL * countV * countT
)

// appendJamo appends r, joining it with the jamo or syllable before it.
func appendJamo(dst []byte, r rune) []byte {
	last, size := utf8.DecodeLastRune(dst)
	switch l, v, t := last-jamoL, r-jamoV, r-jamoT; {
	case l >= 0 && l < countL && v >= 0 && v < countV:
		return utf8.AppendRune(dst[:len(dst)-size], syllable+(l*countV+v)*countT)
	case t > 0 && t < countT && last >= syllable && last < syllable+countS && (last-syllable)%countT == 0:
		return utf8.AppendRune(dst[:len(dst)-size], last+t)
	}
	return utf8.AppendRune(dst, r)
}
