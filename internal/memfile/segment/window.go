package segment

import "bytes"

// window is where two versions differ: whole lines of each, with the same lines above it and
// the same below. Only what lies in it is cut into lines and compared, and what is found is
// what a comparison of everything finds: the lines outside are those that [match.trim]
// would pair first, from the top and then from the end.
type window struct {
	b, a       *text
	top        int    // lines above it
	head, tail []byte // of the version after: what lies above, without the mark, and below
}

// differing returns the window of two versions.
func differing(before, after []byte) window {
	b, a := newSide(before), newSide(after)
	var w window
	w.top = above(&b, &a)
	same := below(b, a)
	b.to, a.to = b.to-same, a.to-same
	w.b, w.a = b.cut(w.top), a.cut(w.top)
	w.head, w.tail = after[a.mark:a.from], after[a.to:]
	return w
}

// side is one version while the window is sought.
type side struct {
	data     []byte
	mark     int // bytes of the byte-order mark
	front    front
	from, to int // the window, in bytes
}

func newSide(data []byte) side {
	s := side{data: data, front: frontOf(data), to: len(data)}
	if bytes.HasPrefix(data, []byte(bom)) {
		s.mark = len(bom)
	}
	s.from = s.mark
	return s
}

// parseAll cuts a whole version into lines.
func parseAll(data []byte) *text { return newSide(data).cut(0) }

// cut cuts the window into lines.
func (s side) cut(top int) *text {
	t := parse(s.data[s.from:s.to])
	t.bom, t.front, t.stamp = s.mark > 0, s.front.lines, -1
	if s.front.stamp >= top {
		t.stamp = s.front.stamp - top
	}
	return t
}

// above moves the beginnings past the lines that are the same, and counts them. The host's
// stamp is the same as any other stamp and as nothing else.
func above(b, a *side) (lines int) {
	for ; lines <= max(b.front.stamp, a.front.stamp); lines++ {
		x, y := firstLine(b.data[b.from:]), firstLine(a.data[a.from:])
		stamped := lines == b.front.stamp
		if stamped != (lines == a.front.stamp) || !stamped && !bytes.Equal(x, y) {
			return lines
		}
		b.from, a.from = b.from+len(x), a.from+len(y)
	}
	n := commonPrefix(b.data[b.from:], a.data[a.from:])
	same := b.data[b.from : b.from+n]
	same = same[:bytes.LastIndexByte(same, '\n')+1]
	b.from, a.from = b.from+len(same), a.from+len(same)
	return lines + bytes.Count(same, []byte{'\n'})
}

// below returns the bytes of lines at the end that are the same, none of which is front
// matter.
func below(b, a side) int {
	// Lines that differ by their ends alone are in the window, and they are paired from the
	// top: the other end may not have them first. Of as many lines it has the same pairs.
	fromB, fromA := b.from, a.from
	for fromB < len(b.data) && fromA < len(a.data) {
		x, y := firstLine(b.data[fromB:]), firstLine(a.data[fromA:])
		if !bytes.Equal(withoutEnd(x), withoutEnd(y)) {
			break
		}
		fromB, fromA = fromB+len(x), fromA+len(y)
	}
	if fromB > b.from && countLines(b.data) == countLines(a.data) {
		fromB, fromA = b.from, a.from
	}
	n := commonSuffix(b.data[max(fromB, b.front.end):], a.data[max(fromA, a.front.end):])
	at := bytes.IndexByte(b.data[len(b.data)-n:], '\n') + 1
	if at == 0 {
		return 0
	}
	return n - at
}

// firstLine returns the first line of data with its end.
func firstLine(data []byte) []byte {
	if n := bytes.IndexByte(data, '\n'); n >= 0 {
		return data[:n+1]
	}
	return data
}

// withoutEnd returns a line without its end.
func withoutEnd(line []byte) []byte {
	line, ended := bytes.CutSuffix(line, []byte{'\n'})
	if ended {
		line = bytes.TrimSuffix(line, []byte{'\r'})
	}
	return line
}

// commonPrefix returns how many bytes both begin with. It compares long parts first, as
// that costs less than a look at each byte.
func commonPrefix(b, a []byte) int {
	n, most := 0, min(len(b), len(a))
	for part := 1 << 12; part > 0; part >>= 4 {
		for n+part <= most && bytes.Equal(b[n:n+part], a[n:n+part]) {
			n += part
		}
	}
	return n
}

// commonSuffix returns how many bytes both end with.
func commonSuffix(b, a []byte) int {
	n, most := 0, min(len(b), len(a))
	for part := 1 << 12; part > 0; part >>= 4 {
		for n+part <= most && bytes.Equal(b[len(b)-n-part:len(b)-n], a[len(a)-n-part:len(a)-n]) {
			n += part
		}
	}
	return n
}
