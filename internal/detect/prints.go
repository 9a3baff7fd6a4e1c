package detect

import (
	"slices"
	"unicode/utf8"

	"github.com/hearsay-memory/hearsay/internal/textfold"
)

// A text is compared by fingerprints of its letters and digits alone, folded: case,
// accents, look-alikes, invisible characters, punctuation and spacing make no difference.
// A fingerprint is the hash of gramLen of them in a row; of the hashes that begin in each
// window of windowLen places, the least is kept. So what two texts share, wherever it
// stands in them, is seen by the same fingerprints: every passage of 39 letters, which is
// gramLen - 1 + passagePrints × windowLen, gives at least passagePrints, and one of 29
// does as a rule. Chinese, Japanese and Korean take a third as many.
const (
	gramLen       = 16
	windowLen     = 6
	passagePrints = 4

	perPrint = 4 // bytes of prose for a fingerprint, about
)

// printer makes fingerprints. Its buffers are used again.
type printer struct {
	seed    uint64
	folded  []byte
	letters []byte
	hashes  []uint64
}

// prints appends the fingerprints of a text to dst, ascending and each once.
func (p *printer) prints(dst []uint64, text string) []uint64 {
	p.fold(text)
	from := len(dst)
	if len(p.letters) < gramLen {
		if len(p.letters) > 0 {
			dst = append(dst, p.mix(p.hash(p.letters)))
		}
		return dst
	}
	base := p.seed | 1
	drop := uint64(1) // base to the power of gramLen
	for range gramLen {
		drop *= base
	}
	h := p.hash(p.letters[:gramLen])
	p.hashes = append(p.hashes[:0], p.mix(h))
	for i, c := range p.letters[gramLen:] {
		h = h*base + uint64(c) - drop*uint64(p.letters[i])
		p.hashes = append(p.hashes, p.mix(h))
	}
	least, kept := 0, -1
	for at, h := range p.hashes {
		switch {
		case h <= p.hashes[least]: // the rightmost of equal ones: it stays the longest
			least = at
		case least <= at-windowLen:
			least = at - windowLen + 1
			for i := least + 1; i <= at; i++ {
				if p.hashes[i] <= p.hashes[least] {
					least = i
				}
			}
		}
		if least != kept && (at >= windowLen-1 || at == len(p.hashes)-1) {
			dst = append(dst, p.hashes[least])
			kept = least
		}
	}
	slices.Sort(dst[from:])
	return dst[:from+len(slices.Compact(dst[from:]))]
}

func (p *printer) hash(b []byte) (h uint64) {
	for _, c := range b {
		h = h*(p.seed|1) + uint64(c)
	}
	return h
}

// mix spreads a hash, so that which is least is nobody's choice.
func (p *printer) mix(h uint64) uint64 {
	h ^= p.seed
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

// fold leaves the letters and digits of a text: a byte each, and three for one of a
// script that has a letter for a syllable or a word, which says as much as three others.
func (p *printer) fold(text string) {
	p.folded = textfold.FoldWords(p.folded[:0], text)
	p.letters = p.letters[:0]
	for i := 0; i < len(p.folded); {
		c := p.folded[i]
		if c < utf8.RuneSelf {
			if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
				p.letters = append(p.letters, c)
			}
			i++
			continue
		}
		r, size := utf8.DecodeRune(p.folded[i:])
		if r >= firstDense {
			p.letters = append(p.letters, p.folded[i:i+size]...)
		} else {
			p.letters = append(p.letters, byte(r)|0x80)
		}
		i += size
	}
}

// firstDense is where the scripts of East Asia begin.
const firstDense = 0x2E80
