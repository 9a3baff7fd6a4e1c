package attrib

import "bytes"

// Signs that are no part of a literal, at the edges of a chunk and of a piece.
var (
	chunkEdge = marks("()[]{}<>,;:!?\"'`|*_")
	pieceEdge = marks("._+-~$%")
)

func trim(b []byte, edge *[256]bool) []byte {
	for len(b) > 0 && edge[b[0]] {
		b = b[1:]
	}
	for len(b) > 0 && edge[b[len(b)-1]] {
		b = b[:len(b)-1]
	}
	return b
}

// literals finds the literals of a folded chunk: it as a whole, and its pieces
// between slashes, signs and brackets, so that a host is found within an address.
func (sc *scanner) literals(f []byte) {
	whole := trim(f, &chunkEdge)
	for len(whole) > 0 && whole[len(whole)-1] == '.' {
		whole = whole[:len(whole)-1]
	}
	pieces, distinct, slashes, first := 0, false, 0, true
	for i := 0; i < len(f); {
		class := byteClass[f[i]]
		if class == edge || class == apos {
			if f[i] == '/' || f[i] == '\\' {
				slashes++
				if pieces == 0 && first {
					slashes++ // a path from a root
				}
			}
			first = false
			i++
			continue
		}
		start := i
		for i < len(f) && byteClass[f[i]] != edge && byteClass[f[i]] != apos {
			i++
		}
		piece := trim(f[start:i], &pieceEdge)
		if len(piece) == 0 {
			continue
		}
		pieces++
		if len(piece) <= mostLiteral && distinctive(piece) {
			distinct = true
			sc.literal(piece)
		}
	}
	if pieces < 2 && slashes < 2 || len(whole) > mostLiteral {
		return
	}
	if distinct && pieces > 1 || slashes >= 2 || pieces > 1 && bytes.IndexByte(whole, '@') > 0 {
		sc.literal(whole)
	}
}

// humps finds names that are joined by capitals: at least two within the word, since
// one is in many a product's name.
func (sc *scanner) humps(raw string) {
	start, humps := 0, 0
	var before byte
	for i := 0; i <= len(raw); i++ {
		var c byte
		if i < len(raw) {
			c = raw[i]
		}
		upper := c >= 'A' && c <= 'Z'
		if !upper && (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			if humps >= 2 && i-start <= mostLiteral {
				var fold [mostLiteral]byte
				n := copy(fold[:], raw[start:i])
				sc.literal(bytes.ToLower(fold[:n]))
			}
			start, humps, before = i+1, 0, 0
			continue
		}
		if upper && before >= 'a' && before <= 'z' {
			humps++
		}
		before = c
	}
}

func (sc *scanner) literal(lit []byte) {
	if len(lit) == 0 || isCommon(lit) {
		return
	}
	st := Inferred
	if len(lit) >= longLiteral && !lettersOnly(lit) {
		st = Known
	}
	sc.emit(sc.literalKey.bytes(lit), st, sc.start)
}

func lettersOnly(b []byte) bool {
	for _, c := range b {
		if byteClass[c] != letter {
			return false
		}
	}
	return true
}

// distinctive reports whether a piece is a literal and not an ordinary word, number or
// compound. It is made of letters, digits and the joints . _ + - ~ $ %.
func distinctive(p []byte) bool {
	var letters, digits, joints, hyphens, dots int
	part, longest, stops := 0, 0, false
	end := func(i int) {
		w := p[part:i]
		longest = max(longest, len(w))
		stops = stops || isCommon(w)
		part = i + 1
	}
	for i, c := range p {
		switch byteClass[c] {
		case letter:
			letters++
		case digit:
			digits++
		default:
			joints++
			end(i)
			switch c {
			case '-':
				hyphens++
			case '.':
				dots++
			}
		}
	}
	end(len(p))
	switch {
	case len(p) < 3:
		return false
	case digits > 0 && letters > 0:
		return true
	case letters == 0:
		return len(p) >= 5 // a number: years and ports are no names
	case joints == 0:
		return false
	case joints == hyphens: // well-known, state-of-the-art
		return hyphens > 1 && !stops
	case joints == dots: // e.g, i.e
		return longest > 2
	}
	return true
}
