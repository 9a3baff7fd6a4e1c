package attrib

import (
	"unicode/utf8"

	"github.com/hearsay-memory/hearsay/internal/textfold"
)

// strength is what finding a fingerprint amounts to.
type strength = Certainty

// How long the runs are that infer, in content words, and in characters of a script
// without spaces. What is known is twice as long.
const (
	shortRun   = 3
	shortChars = 6
	ringSize   = 16
)

// Literals are names, addresses, paths and numbers with letters: distinctive alone.
const (
	longLiteral = 8   // bytes from which a literal is known rather than inferred
	mostLiteral = 256 // a longer one counts by its pieces only
	mostWord    = 64  // bytes of a word that count
)

// taker takes fingerprints and the place in the text that each is of; it returns
// false to end the scan.
type taker interface {
	found(print uint32, st strength, start, end int) bool
}

// scanner makes the fingerprints of a text. Text and foreign text are cut by the same
// code, each chunk between spaces by itself.
type scanner struct {
	*secrets
	take taker
	ok   bool
	fold []byte

	start, end int // of the chunk at hand, in the text

	words, chars run
}

// run is the newest parts of a run of words or characters. What is known is a pair of
// what infers, so each part is hashed once for each.
type run struct {
	n      uint
	part   [ringSize]uint64 // words, or characters
	short  [ringSize]uint64 // hashes of short runs that end here
	chunks [ringSize]int    // where the part's chunk began
}

func (r *run) add(v uint64, start int) {
	r.part[r.n%ringSize], r.chunks[r.n%ringSize] = v, start
	r.n++
}

// back returns the i-th newest of a ring, from 1 on.
func (r *run) back(ring *[ringSize]uint64, i uint) uint64 { return ring[(r.n-i)%ringSize] }

// since returns where the chunk of the i-th newest part began.
func (r *run) since(i uint) int { return r.chunks[(r.n-i)%ringSize] }

// scan hands the fingerprints of text to take, and reports whether it saw all of it.
func (s *secrets) scan(text string, take taker) bool {
	sc := scanner{secrets: s, take: take, ok: true}
	for i := 0; i < len(text) && sc.ok; {
		for i < len(text) && space[text[i]] {
			i++
		}
		start := i
		ascii := true
		for i < len(text) && !space[text[i]] {
			ascii = ascii && text[i] < utf8.RuneSelf
			i++
		}
		if i > start {
			sc.start, sc.end = start, i
			sc.chunk(text[start:i], ascii)
		}
	}
	return sc.ok
}

// space marks the ASCII spaces and other control characters that end a chunk.
// Control characters that folding removes do not: they would hide a word.
var space = [256]bool{' ': true, '\t': true, '\n': true, '\v': true, '\f': true, '\r': true}

// Classes of bytes of folded text.
const (
	edge   = iota // ends a word and a literal's piece
	letter        // also all bytes above ASCII
	digit
	joint // ends a word, stays in a literal's piece
	apos  // joins the letters around it
)

var byteClass = func() (t [256]uint8) {
	for c := range t {
		switch {
		case c >= 'a' && c <= 'z', c >= utf8.RuneSelf:
			t[c] = letter
		case c >= '0' && c <= '9':
			t[c] = digit
		}
	}
	for _, c := range []byte("._+-~$%") {
		t[c] = joint
	}
	t['\''] = apos
	return t
}()

// chunk scans what stands between two spaces.
func (sc *scanner) chunk(raw string, ascii bool) {
	if ascii {
		sc.fold = textfold.Fold(sc.fold[:0], raw)
	} else {
		sc.fold = textfold.FoldWords(sc.fold[:0], raw)
	}
	sc.humps(raw)
	f := sc.fold
	literal, joined := false, false // joined: a sign stands before the next word, inside
	for i := 0; i < len(f); {
		c := f[i]
		if class := byteClass[c]; class != letter && class != digit {
			joined = joined || i > 0 && !opens[c] || rooted[c]
			i++
			continue
		}
		literal = literal || joined
		if c >= utf8.RuneSelf {
			if r, size := utf8.DecodeRune(f[i:]); unspaced(r) {
				sc.char(r)
				i += size
				continue
			}
		}
		start := i
		i = sc.wordEnd(f, i)
		literal = literal || hasDigit(f[start:i])
		sc.word(f[start:i])
	}
	if literal {
		sc.literals(f)
	}
}

// opens marks signs before a word that are no part of a literal; rooted, those that
// make one of it.
var (
	opens  = marks("([{<\"'`*")
	rooted = marks("/\\@~$%.")
)

func marks(signs string) (t [256]bool) {
	for i := range len(signs) {
		t[signs[i]] = true
	}
	return t
}

// wordEnd returns where the word at byte i of f ends.
func (sc *scanner) wordEnd(f []byte, i int) int {
	for i < len(f) {
		switch c := f[i]; {
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRune(f[i:])
			if unspaced(r) {
				return i
			}
			i += size
		case byteClass[c] == letter || byteClass[c] == digit:
			i++
		case c == '\'' && i+1 < len(f) && byteClass[f[i+1]] == letter:
			i++
		default:
			return i
		}
	}
	return i
}

func hasDigit(b []byte) bool {
	for _, c := range b {
		if byteClass[c] == digit {
			return true
		}
	}
	return false
}

// word adds a word to the run. Common words do not count, and a final s or 's is no
// difference.
func (sc *scanner) word(w []byte) {
	if isCommon(w) {
		return
	}
	if n := len(w); n > 3 && w[n-1] == 's' {
		w = w[:n-1]
		if n := len(w); w[n-1] == '\'' {
			w = w[:n-1]
		}
	}
	w = w[:min(len(w), mostWord)]
	r := &sc.words
	r.add(sc.secrets.word.bytes(w), sc.start)
	if r.n < shortRun {
		return
	}
	h := sc.runs.three(r.back(&r.part, 3), r.back(&r.part, 2), r.back(&r.part, 1))
	sc.emitRun(r, h, shortRun)
}

// char adds a character of a script without spaces.
func (sc *scanner) char(c rune) {
	r := &sc.chars
	r.add(uint64(c), sc.start)
	if r.n < shortChars {
		return
	}
	p := &r.part
	h := sc.runs.three(r.back(p, 6)<<32|r.back(p, 5), r.back(p, 4)<<32|r.back(p, 3), r.back(p, 2)<<32|r.back(p, 1))
	sc.emitRun(r, h, shortChars)
}

// emitRun emits the short run that ends here, whose hash is h, and the long one.
func (sc *scanner) emitRun(r *run, h uint64, length uint) {
	r.short[(r.n-1)%ringSize] = h
	sc.emit(h, Inferred, r.since(length))
	if r.n >= 2*length {
		sc.emit(sc.runs.two(r.back(&r.short, 1+length), h), Known, r.since(2*length))
	}
}

func (sc *scanner) emit(h uint64, st strength, start int) {
	sc.ok = sc.ok && sc.take.found(uint32(h), st, start, sc.end)
}

// unspaced reports whether r is of a script that sets no spaces between words.
func unspaced(r rune) bool {
	switch {
	case r < 0x0E00:
		return false
	case r <= 0x0EFF, // Thai, Lao
		r >= 0x1000 && r <= 0x109F, // Myanmar
		r >= 0x1780 && r <= 0x17FF, // Khmer
		r >= 0x2E80 && r <= 0x2FDF, r >= 0x3005 && r <= 0x3007,
		r >= 0x3040 && r <= 0x30FF, r >= 0x3100 && r <= 0x312F, // kana, bopomofo
		r >= 0x31F0 && r <= 0x31FF, r >= 0x3400 && r <= 0x9FFF, r >= 0xF900 && r <= 0xFAFF,
		r >= 0x20000 && r <= 0x3FFFF:
		return true
	}
	return false
}
