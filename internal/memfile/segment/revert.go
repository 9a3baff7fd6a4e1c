package segment

// Line is a line of a file that is put together from two versions: of the one that stands
// now, or of the one before, counted from 0; the other number is -1.
type Line struct{ Now, Before int }

// Revert takes a change from before to after out of the lines that stand now: the lines
// that it brought go, wherever brought says they are, and those that it dropped come back
// where their place is as the change left it. Whatever else is there now stays. left are
// the lines of before that were not put back, because their place changed since; what
// stands there again by itself is not left.
//
// The order of lines that the change moved stays as it is.
func Revert(before, after, now []byte, brought func(now int) bool) (lines []Line, left []Range) {
	b, a, n := parseAll(before), parseAll(after), parseAll(now)
	first := align(b, a)
	first.move(a)
	since := align(a, n)
	again := make(map[string]int) // what came since
	for i := range n.lines {
		if since.from[i] < 0 {
			again[n.text(i)]++
		}
	}
	back := make(map[int][]int) // by line now: the lines before that go in front of it
	for _, h := range first.hunks() {
		var gone []int
		for i := h.before.From; i < h.before.To; i++ {
			if first.to[i] < 0 && first.before[i] != stamp {
				gone = append(gone, i)
			}
		}
		if len(gone) == 0 || stand(b, gone, again) {
			continue
		}
		if at, ok := since.place(h.after); ok {
			back[at] = append(back[at], gone...)
			continue
		}
		for _, i := range gone {
			if k := len(left) - 1; k >= 0 && left[k].To == i {
				left[k].To++
			} else {
				left = append(left, Range{i, i + 1})
			}
		}
	}
	for i := 0; i <= len(n.lines); i++ {
		for _, j := range back[i] {
			lines = append(lines, Line{-1, j})
		}
		if i < len(n.lines) && !brought(i) {
			lines = append(lines, Line{i, -1})
		}
	}
	return lines, left
}

// stand reports whether lines stand among those that came since, and takes them from there.
func stand(t *text, lines []int, since map[string]int) bool {
	need := make(map[string]int)
	for _, i := range lines {
		if s := t.text(i); hasWords(s) {
			need[s]++
		}
	}
	for s, n := range need {
		if since[s] < n {
			return false
		}
	}
	for s, n := range need {
		since[s] -= n
	}
	return len(need) > 0
}

// place is where in the later version a range of lines of the earlier one begins, if it
// stands there whole, or where it would, if it is empty.
func (m *match) place(r Range) (at int, ok bool) {
	switch {
	case r.Len() > 0:
		at = m.to[r.From]
		for i := r.From; i < r.To; i++ {
			if m.to[i] < 0 || m.to[i] != at+i-r.From {
				return 0, false
			}
		}
		return at, true
	case r.From == 0:
		return 0, true
	case m.to[r.From-1] >= 0:
		return m.to[r.From-1] + 1, true
	case r.To == len(m.to):
		return len(m.from), true
	default:
		return m.to[r.To], m.to[r.To] >= 0
	}
}

// Whose returns the file with the owner of each of its lines told, from the top: what stood
// there before came back. Missing ones are nobody's.
func (f File) Whose(owners []Owner) File {
	m := maker{File: File{digest: f.digest, front: f.front, ghosts: f.ghosts}}
	at := 0
	for run := range f.Runs() {
		for range run.Lines {
			var o Owner
			if at < len(owners) {
				o = owners[at]
			}
			m.add(1, o, run.Edited && o == run.Owner)
			at++
		}
	}
	return m.File
}
