package textfold

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"flag"
	"os"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

var update = flag.Bool("update", false, "write table.bin anew; then raise Version")

//go:embed lookalikes.txt
var lookalikes string

// decoration holds the combining marks that folding removes.
var decoration = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x0300, Hi: 0x036F, Stride: 1}, {Lo: 0x0483, Hi: 0x0489, Stride: 1}, // Latin, Greek, Cyrillic
	{Lo: 0x0591, Hi: 0x05BD, Stride: 1}, {Lo: 0x05BF, Hi: 0x05BF, Stride: 1}, // Hebrew
	{Lo: 0x05C1, Hi: 0x05C2, Stride: 1}, {Lo: 0x05C4, Hi: 0x05C5, Stride: 1}, {Lo: 0x05C7, Hi: 0x05C7, Stride: 1},
	{Lo: 0x0610, Hi: 0x061A, Stride: 1}, {Lo: 0x0640, Hi: 0x0640, Stride: 1}, {Lo: 0x064B, Hi: 0x065F, Stride: 1}, // Arabic, with tatweel
	{Lo: 0x0670, Hi: 0x0670, Stride: 1}, {Lo: 0x06D6, Hi: 0x06DC, Stride: 1}, {Lo: 0x06DF, Hi: 0x06E4, Stride: 1},
	{Lo: 0x1AB0, Hi: 0x1AFF, Stride: 1}, {Lo: 0x1DC0, Hi: 0x1DFF, Stride: 1},
	{Lo: 0x20D0, Hi: 0x20FF, Stride: 1}, {Lo: 0xFE20, Hi: 0xFE2F, Stride: 1},
}}

// unseen holds what has no glyph beyond the format and control characters.
var unseen = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x034F, Hi: 0x034F, Stride: 1}, {Lo: 0x115F, Hi: 0x1160, Stride: 1}, {Lo: 0x17B4, Hi: 0x17B5, Stride: 1},
	{Lo: 0x180B, Hi: 0x180F, Stride: 1}, {Lo: 0x2065, Hi: 0x2065, Stride: 1}, {Lo: 0x3164, Hi: 0x3164, Stride: 1},
	{Lo: 0xFE00, Hi: 0xFE0F, Stride: 1}, {Lo: 0xFFA0, Hi: 0xFFA0, Stride: 1}, {Lo: 0xFFF0, Hi: 0xFFF8, Stride: 1},
}}

// rules states the folding of one character from the standard's data.
type rules struct {
	latin map[rune]string
	fold  cases.Caser
}

func readRules(t testing.TB) rules {
	latin := map[rune]string{}
	for line := range strings.Lines(lookalikes) {
		to, from, ok := strings.Cut(strings.TrimSpace(line), " ")
		if to == "#" && len(from) > len("♯") || to == "" {
			continue
		}
		if !ok {
			t.Fatalf("lookalikes.txt: no characters after %q", to)
		}
		for _, r := range from {
			if _, dup := latin[r]; dup || r < utf8.RuneSelf {
				t.Fatalf("lookalikes.txt: %q (%U) is given twice or is ASCII", r, r)
			}
			latin[r] = to
		}
	}
	return rules{latin, cases.Fold()}
}

// step folds each character of s once.
func (r rules) step(s string) string {
	var b strings.Builder
	for _, c := range s {
		to, look := r.latin[c]
		switch {
		case look:
			b.WriteString(to)
		case c == '\u0085' || c == '\u2028' || c == '\u2029':
			b.WriteByte('\n')
		case c == '\u2800' || unicode.Is(unicode.Z, c):
			b.WriteByte(' ')
		case c < utf8.RuneSelf:
			b.WriteRune(unicode.ToLower(c))
		case unicode.In(c, unicode.Cc, unicode.Cf, decoration, unseen):
		case c >= 0xAC00 && c <= 0xD7A3:
			b.WriteRune(c)
		case unicode.Is(unicode.Cherokee, c): // the standard folds these to capitals
			b.WriteRune(unicode.ToLower(c))
		default:
			b.WriteString(norm.NFKD.String(r.fold.String(string(c))))
		}
	}
	return b.String()
}

// rune folds c until nothing changes.
func (r rules) rune(c rune) string {
	s := string(c)
	for range 8 {
		next := r.step(s)
		if next == s {
			return compose(s)
		}
		s = next
	}
	panic("the rules never settle for " + string(c))
}

// compose joins jamo and leaves everything else decomposed.
func compose(s string) string {
	var out []rune
	for _, c := range s {
		if n := len(out); n > 0 {
			pair := []rune(norm.NFC.String(string(out[n-1]) + string(c)))
			if len(pair) == 1 && unicode.Is(unicode.Hangul, pair[0]) {
				out[n-1] = pair[0]
				continue
			}
		}
		out = append(out, c)
	}
	return string(out)
}

// build makes the table from the rules.
func (r rules) build() []byte {
	var index, blocks, pool []byte
	seen, strs := map[string]uint16{}, map[string]uint16{}
	for start := rune(0); start < tableEnd; start += 64 {
		var block []byte
		for c := start; c < start+64; c++ {
			block = binary.LittleEndian.AppendUint16(block, r.value(c, strs, &pool))
		}
		n, ok := seen[string(block)]
		if !ok {
			n = uint16(len(seen))
			seen[string(block)] = n
			blocks = append(blocks, block...)
		}
		index = binary.LittleEndian.AppendUint16(index, n)
	}
	head := binary.LittleEndian.AppendUint16(nil, uint16(len(seen)))
	return bytes.Join([][]byte{head, index, blocks, pool}, nil)
}

func (r rules) value(c rune, strs map[string]uint16, pool *[]byte) uint16 {
	if c < utf8.RuneSelf || c >= 0xD800 && c < 0xE000 {
		return keepWord // the fold never asks
	}
	switch s := r.rune(c); {
	case s == "":
		return remove
	case s == string(c) && c >= 0x1100 && c < 0x1200:
		return jamo
	case s == string(c) && unicode.In(c, unicode.P, unicode.S, unicode.Co):
		return keepSymbol
	case s == string(c):
		return keepWord
	case len(s) == 1:
		return asciiBase + uint16(s[0])
	default:
		v, ok := strs[s]
		if !ok {
			v = uint16(poolBase + len(*pool))
			strs[s] = v
			*pool = append(append(*pool, byte(len(s))), s...)
		}
		return v
	}
}

func TestTable(t *testing.T) {
	want := readRules(t).build()
	if *update {
		if err := os.WriteFile("table.bin", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal([]byte(table), want) {
		t.Error("table.bin is not what the rules and lookalikes.txt give; a change needs -update and a new Version")
	}
}
