package sleep

import (
	"hash/fnv"
	"math"
	"strings"
)

// wordsOf returns the words of a text as they are compared: without case, spacing and the
// punctuation that ends a sentence. Signs within a word and question marks stay, since
// "c++" is not "c" and a question is no statement.
func wordsOf(text string) []string {
	words := strings.Fields(strings.ToLower(text))
	kept := words[:0]
	for _, w := range words {
		if w = strings.TrimRight(strings.Trim(w, `"'“”‘’`), `.,;:!…。，；：！`); w != "" {
			kept = append(kept, w)
		}
	}
	return kept
}

// The shape of a sketch: bands of rows, so that texts of which nine words in ten are the
// same share a band in 99 cases of 100, and those of which half are in one of 4.
const (
	bands = 4
	rows  = 4
)

// sketch tells texts apart that have few words in common: the least hash of the words, for
// each of several orders of them. It only finds what is then compared in full.
type sketch [bands]uint64

func sketchOf(words []string) sketch {
	var least [bands * rows]uint32
	for i := range least {
		least[i] = math.MaxUint32
	}
	for _, w := range words {
		h := fnv.New64a()
		h.Write([]byte(w))
		x := h.Sum64()
		for i := range least {
			x += 0x9e3779b97f4a7c15
			if v := uint32(mix(x) >> 32); v < least[i] {
				least[i] = v
			}
		}
	}
	var s sketch
	for b := range s {
		for _, v := range least[b*rows : (b+1)*rows] {
			s[b] = mix(s[b] ^ uint64(v))
		}
	}
	return s
}

// mix spreads the bits of a number over all of it.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Of two texts that say nearly the same, the longer has at most a quarter more words, and
// the shorter at least so many that this is little.
const (
	nearLeast = 8
	nearPart  = .8
)

// covers reports whether a text says all that another says, in the same order, and hardly
// more: then the other can go, and not a word is lost.
func covers(long, short []string) bool {
	if len(short) < nearLeast || float64(len(short)) < nearPart*float64(len(long)) {
		return false
	}
	i := 0
	for _, w := range long {
		if i < len(short) && short[i] == w {
			i++
		}
	}
	return i == len(short)
}
