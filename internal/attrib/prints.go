package attrib

import (
	"encoding/binary"
	"errors"
	"slices"
)

// Prints are fingerprints of foreign text: of its runs of content words, its literals
// and, in scripts without spaces, its runs of characters. They are 32 bits of a
// keyed hash each, kept as a sorted set, so that a union is exact.
//
// The zero value cannot tell: it shares words with every text. So do prints that
// grew beyond 1,048,576 fingerprints (some 3 MB of prose). [Key.Foreign] of an empty text
// makes prints that share with none. Prints do not change once made and may be used from
// many goroutines.
//
// Each fingerprint that is looked for is found by chance one time in 15,000 after 1 MiB of
// prose, and in 4,096 at most, which only ever lowers trust.
type Prints struct {
	told bool // false: everything matches
	id   keyID
	set  []uint32 // ascending, distinct
}

// mostPrints bounds a set: 4 MiB in memory, at most 3 MiB encoded.
const mostPrints = 1 << 20

// mostForeign bounds the bytes of one text that are read; a longer one matches all.
const mostForeign = 64 << 20

// Overfull reports whether the prints cannot tell, and count as sharing with every text.
func (p Prints) Overfull() bool { return !p.told }

// Len returns the number of fingerprints.
func (p Prints) Len() int { return len(p.set) }

// Foreign returns the prints of text. It never fails; what is too much for prints to
// hold makes ones that match everything.
func (k Key) Foreign(text string) Prints {
	s := k.secrets()
	if s.zero || len(text) > mostForeign {
		return Prints{}
	}
	c := collector{set: make([]uint32, 0, len(text)/4+8)}
	if !s.scan(text, &c) {
		return Prints{}
	}
	set := compact(c.set)
	if len(set) > mostPrints {
		return Prints{}
	}
	return Prints{told: true, id: s.id, set: slices.Clip(set)}
}

// collector keeps the fingerprints of a scan, and drops repeats when there are many.
type collector struct {
	set  []uint32
	next int // compact at this length
}

func (c *collector) found(print uint32, _ strength, _, _ int) bool {
	c.set = append(c.set, print)
	if len(c.set) >= 4*mostPrints && len(c.set) >= c.next {
		c.set = compact(c.set)
		c.next = len(c.set) + 2*mostPrints
		return len(c.set) <= mostPrints
	}
	return true
}

// compact sorts set in place and drops repeats.
func compact(set []uint32) []uint32 {
	if len(set) < 1<<12 {
		slices.Sort(set)
	} else {
		radixSort(set)
	}
	return slices.Compact(set)
}

// radixSort sorts evenly spread numbers, by digits of 11 bits from the lowest on.
func radixSort(set []uint32) {
	const digit = 11
	from, to := set, make([]uint32, len(set))
	for shift := 0; shift < 33; shift += digit {
		var at [1 << digit]int
		for _, v := range from {
			at[v>>shift&(1<<digit-1)]++
		}
		sum := 0
		for i, n := range at {
			at[i], sum = sum, sum+n
		}
		for _, v := range from {
			d := v >> shift & (1<<digit - 1)
			to[at[d]] = v
			at[d]++
		}
		from, to = to, from
	}
	copy(set, from) // three passes end in the other half
}

// Merge returns the union: prints that match whatever p or q matches. It is
// commutative, associative and idempotent; the zero value absorbs, and prints
// of different keys together match everything.
func (p Prints) Merge(q Prints) Prints {
	if !p.told || !q.told || p.id != q.id {
		return Prints{}
	}
	switch {
	case len(q.set) == 0:
		return p
	case len(p.set) == 0:
		return q
	}
	a, b := p.set, q.set
	out := make([]uint32, 0, min(len(a)+len(b), mostPrints+1))
	for (len(a) > 0 || len(b) > 0) && len(out) <= mostPrints {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0] < b[0]:
			out, a = append(out, a[0]), a[1:]
		case len(a) == 0 || b[0] < a[0]:
			out, b = append(out, b[0]), b[1:]
		default:
			out, a, b = append(out, a[0]), a[1:], b[1:]
		}
	}
	if len(out) > mostPrints {
		return Prints{}
	}
	return Prints{told: true, id: p.id, set: slices.Clip(out)}
}

// has reports whether the fingerprint is in the set.
func (p *Prints) has(print uint32) bool {
	_, ok := slices.BinarySearch(p.set, print)
	return ok
}

var errPrints = errors.New("attrib: malformed prints")

// MarshalBinary encodes the prints: a version byte; 0 for prints that match everything,
// else 1, the key's id, the number of fingerprints, the first and the differences, as
// varints. Equal prints have equal encodings. It never fails.
func (p Prints) MarshalBinary() ([]byte, error) {
	if !p.told {
		return []byte{version, 0}, nil
	}
	out := make([]byte, 0, 16+3*len(p.set))
	out = append(out, version, 1)
	out = append(out, p.id[:]...)
	out = binary.AppendUvarint(out, uint64(len(p.set)))
	last := uint32(0)
	for _, v := range p.set {
		out = binary.AppendUvarint(out, uint64(v-last))
		last = v
	}
	return out, nil
}

// UnmarshalBinary decodes what [Prints.MarshalBinary] writes and nothing else. On an
// error p is the zero value, which matches everything.
func (p *Prints) UnmarshalBinary(b []byte) error {
	*p = Prints{}
	if len(b) == 2 && b[0] == version && b[1] == 0 {
		return nil
	}
	if len(b) < 10 || b[0] != version || b[1] != 1 {
		return errPrints
	}
	id := keyID(b[2:10])
	n, rest, ok := readUvarint(b[10:])
	if !ok || n > mostPrints || n > uint64(len(rest)) {
		return errPrints
	}
	set := make([]uint32, 0, n)
	last := uint64(0)
	for i := range n {
		var d uint64
		if d, rest, ok = readUvarint(rest); !ok || d > 1<<32-1-last || i > 0 && d == 0 {
			return errPrints
		}
		last += d
		set = append(set, uint32(last))
	}
	if len(rest) != 0 {
		return errPrints
	}
	*p = Prints{told: true, id: id, set: set}
	return nil
}

// readUvarint reads a varint in its shortest form.
func readUvarint(b []byte) (v uint64, rest []byte, ok bool) {
	v, n := binary.Uvarint(b)
	if n <= 0 || n > 1 && b[n-1] == 0 {
		return 0, nil, false
	}
	return v, b[n:], true
}
