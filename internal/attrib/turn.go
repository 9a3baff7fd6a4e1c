package attrib

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"slices"
)

// Turn is the prints of one turn that the user typed: of each clause, and of the
// whole. The zero value matches nothing. A Turn does not change once made.
type Turn struct {
	id    keyID
	short bool // whole counts
	whole clausePrint
	set   []clausePrint // ascending, distinct
}

// clausePrint is long enough that nobody finds two clauses with one print: here a
// collision would raise trust.
type clausePrint [16]byte

const (
	mostTurnPrints = mostClauses * mostForms
	mostWhole      = 40 // words of a turn that counts as a whole
)

func comparePrints(a, b clausePrint) int { return bytes.Compare(a[:], b[:]) }

// Turn returns the prints of a turn, which must be what a person typed, as the host
// attests it. Quoted, fenced and indented parts, quoted lines and lines of more than 400
// bytes are left out, and so is what follows a sentence that reports someone's words or
// gives a text to work on. A turn of more than 2 KiB or 100 lines is a paste, and one that
// hides something or holds control tokens was not typed: they match nothing.
func (k Key) Turn(text string) Turn {
	s := k.secrets()
	if s.zero {
		return Turn{}
	}
	o, ok := cut(text, true)
	if !ok {
		return Turn{}
	}
	t := Turn{id: s.id}
	p := s.printer()
	for i := range o.clauses {
		c := &o.clauses[i]
		if c.void {
			continue
		}
		for _, f := range implied(c) {
			t.set = append(t.set, p.print(f))
		}
	}
	slices.SortFunc(t.set, comparePrints)
	t.set = slices.Compact(t.set)
	if w, ok := o.whole(); ok {
		t.short, t.whole = true, p.print(w)
	}
	return t
}

// whole returns the form of a text as one, framing aside. It reports false where parts
// of the text are not the speaker's, or it is too long, or says nothing.
func (o *outline) whole() (form, bool) {
	var all []string
	words, says := 0, false
	for i := range o.clauses {
		c := &o.clauses[i]
		if announces(c.tokens) || o.turn && onlyInterjects(c.tokens) {
			continue
		}
		says = says || hasContent(c.tokens)
		words += len(c.tokens)
		all = append(all, c.tokens...)
		if c.question {
			all = append(all, "\x02?")
		}
		all = append(all, breakMark)
	}
	if o.left || o.report || !says || words > mostWhole {
		return "", false
	}
	return formOf("whole", all), true
}

func onlyInterjects(tokens []string) bool {
	for _, t := range tokens {
		if !interjection.has(t) && t != comma {
			return false
		}
	}
	return true
}

// printer makes the prints of forms.
type printer struct{ key []byte }

func (s *secrets) printer() printer { return printer{s.turn[:]} }

func (p printer) print(f form) clausePrint {
	m := hmac.New(sha256.New, p.key)
	m.Write([]byte(f))
	var sum [sha256.Size]byte
	return clausePrint(m.Sum(sum[:0])[:16])
}

// asked is what a text says, as prints.
type asked struct {
	mine    bool            // each clause could be a user's
	clauses [][]clausePrint // any print of each clause will do
	short   bool
	whole   clausePrint
}

// mostAskedClauses bounds the clauses of a text that can be a user's.
const mostAskedClauses = 64

// ask returns the prints of a text that is asked about.
func (s *secrets) ask(text string) asked {
	var a asked
	o, ok := cut(text, false)
	if !ok || o.left || len(o.clauses) > mostAskedClauses {
		return a
	}
	p := s.printer()
	a.mine = true
	for i := range o.clauses {
		c := &o.clauses[i]
		if announces(c.tokens) {
			continue
		}
		if c.void {
			a.mine = false
			break
		}
		var any []clausePrint
		for _, f := range claimed(c) {
			any = append(any, p.print(f))
		}
		a.clauses = append(a.clauses, any)
	}
	if w, ok := o.whole(); ok {
		a.short, a.whole = true, p.print(w)
	}
	return a
}

// isWhole reports whether the text is the turn, word for word.
func (a *asked) isWhole(t *Turn) bool { return a.short && t.short && a.whole == t.whole }

// within reports whether each clause is one of the turn's. A text without clauses
// is nobody's.
func (a *asked) within(t *Turn) bool {
	if !a.mine || len(a.clauses) == 0 {
		return false
	}
	for _, any := range a.clauses {
		if !slices.ContainsFunc(any, t.has) {
			return false
		}
	}
	return true
}

func (t *Turn) has(p clausePrint) bool {
	_, ok := slices.BinarySearchFunc(t.set, p, comparePrints)
	return ok
}

var errTurn = errors.New("attrib: malformed turn")

// MarshalBinary encodes the turn: a version byte, the key's id, 1 and the print of the
// whole or 0, the number of prints as a varint, and the prints in ascending order. It
// never fails.
func (t Turn) MarshalBinary() ([]byte, error) {
	out := make([]byte, 0, 32+16*len(t.set))
	out = append(out, version)
	out = append(out, t.id[:]...)
	if t.short {
		out = append(out, 1)
		out = append(out, t.whole[:]...)
	} else {
		out = append(out, 0)
	}
	out = binary.AppendUvarint(out, uint64(len(t.set)))
	for _, p := range t.set {
		out = append(out, p[:]...)
	}
	return out, nil
}

// UnmarshalBinary decodes what [Turn.MarshalBinary] writes and nothing else. On an error
// t is the zero value, which matches nothing.
func (t *Turn) UnmarshalBinary(b []byte) error {
	*t = Turn{}
	if len(b) < 11 || b[0] != version || b[9] > 1 {
		return errTurn
	}
	out := Turn{id: keyID(b[1:9]), short: b[9] == 1}
	b = b[10:]
	if out.short {
		if len(b) < 16 {
			return errTurn
		}
		out.whole, b = clausePrint(b[:16]), b[16:]
	}
	n, b, ok := readUvarint(b)
	if !ok || n > mostTurnPrints || uint64(len(b)) != 16*n {
		return errTurn
	}
	for range n {
		p := clausePrint(b[:16])
		if last := len(out.set) - 1; last >= 0 && comparePrints(out.set[last], p) >= 0 {
			return errTurn
		}
		out.set, b = append(out.set, p), b[16:]
	}
	*t = out
	return nil
}
