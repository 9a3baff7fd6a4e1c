package segment

// Kind is what happened to lines. The zero value is no change that is reported.
type Kind uint8

// The kinds of changes.
const (
	None    Kind = iota
	Insert       // lines that were not there
	Delete       // lines that are no longer there
	Edit         // lines replaced by ones that have their words
	Move         // lines that vanished in one place and appear the same in another
	EOLOnly      // lines that have another line end, or a file with or without a byte-order mark
)

// String returns the kind's name; "none" outside the range.
func (k Kind) String() string {
	switch k {
	case Insert:
		return "insert"
	case Delete:
		return "delete"
	case Edit:
		return "edit"
	case Move:
		return "move"
	case EOLOnly:
		return "eol"
	}
	return "none"
}

// Change is lines of a kind that were changed together. For an insertion Before is empty
// and stands where the lines would be, for a deletion After; for a change of the
// byte-order mark both are empty. Owner is who the lines after are said by; for a deletion,
// who said the lines that are gone.
type Change struct {
	Kind          Kind
	Before, After Range
	Owner         Owner
}

// piece is a part of both versions. The pieces of a delta cover each of them in order.
type piece struct {
	kind          pieceKind
	before, after Range
}

type pieceKind uint8

const (
	same      pieceKind = iota // one line in its place, but perhaps for its line end
	edited                     // lines replaced by lines with their words
	inserted                   // one line
	deleted                    // one line
	movedHere                  // one line, its source is elsewhere
	movedAway                  // one line
	stamped                    // the host's line, there or no longer there
)

// pieces cuts both versions into pieces. Kin pairs new lines with vanished ones of the same
// hunk; where pairs cross, the earlier one stands.
func (m *match) pieces(k *kin) []piece {
	var out []piece
	b := 0
	for a := 0; a <= len(m.from); {
		for a < len(m.from) && m.from[a] >= 0 && !m.moved[a] && m.from[a] == b {
			out = append(out, piece{same, Range{b, b + 1}, Range{a, a + 1}})
			a, b = a+1, b+1
		}
		a1 := a
		for a1 < len(m.from) && (m.from[a1] < 0 || m.moved[a1]) {
			a1++
		}
		b1 := len(m.to)
		if a1 < len(m.from) {
			b1 = m.from[a1]
		}
		out = m.cut(out, Range{b, b1}, Range{a, a1}, k)
		a, b = a1, b1
		if a == len(m.from) {
			break
		}
	}
	return out
}

// cut cuts one hunk into pieces.
func (m *match) cut(out []piece, before, after Range, k *kin) []piece {
	b := before.From
	upto := func(end int) {
		for ; b < end; b++ {
			p := piece{deleted, Range{b, b + 1}, Range{}}
			if m.to[b] >= 0 {
				p.kind = movedAway
			} else if m.before[b] == stamp {
				p.kind = stamped
			}
			out = append(out, p)
		}
	}
	for a := after.From; a < after.To; a++ {
		p := piece{inserted, Range{}, Range{a, a + 1}}
		i, paired := k.best[a]
		switch {
		case m.moved[a]:
			p.kind = movedHere
		case m.after[a] == stamp:
			p.kind = stamped
		case !paired || i >= before.To || m.to[i] >= 0 || m.before[i] == stamp:
		case i >= b:
			joins := func(i int) bool { return m.to[i] < 0 && k.shares[[2]int{a, i}] }
			p.kind, p.before = edited, Range{i, i + 1}
			for p.before.From > b && joins(p.before.From-1) {
				p.before.From--
			}
			for p.before.To < before.To && joins(p.before.To) {
				p.before.To++
			}
			upto(p.before.From)
			b = p.before.To
		case len(out) > 0 && out[len(out)-1].kind == edited && i >= out[len(out)-1].before.From && out[len(out)-1].after.To == a:
			out[len(out)-1].after.To = a + 1 // split over several lines
			continue
		}
		out = append(out, p)
	}
	upto(before.To)
	return out
}
