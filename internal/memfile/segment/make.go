package segment

import "github.com/hearsay-memory/hearsay"

// maker makes a file, run by run from the top.
type maker struct {
	File
	index map[Owner]int32 // the numbers of the owners
	of    []int32         // by number of an owner of the file that is taken from: its number here, from 1
}

// add adds lines.
func (m *maker) add(lines int, o Owner, edited bool) {
	if lines > 0 {
		m.append(lines, m.number(o), edited)
	}
}

// take adds lines from up to but not including to of a file, always the same one.
func (m *maker) take(f File, from, to int) {
	if m.of == nil {
		m.of = make([]int32, len(f.owners))
	}
	at := 0
	for _, r := range f.runs {
		lines := min(at+r.lines, to) - max(at, from)
		at += r.lines
		if lines <= 0 {
			continue
		}
		if m.of[r.owner] == 0 {
			m.of[r.owner] = m.number(f.owners[r.owner]) + 1
		}
		m.append(lines, m.of[r.owner]-1, r.edited)
	}
}

// number returns the number of an owner.
func (m *maker) number(o Owner) int32 {
	o.Label = o.Label.Join(hearsay.LabelIdentity)
	if n := len(m.runs); n > 0 && m.owners[m.runs[n-1].owner] == o {
		return m.runs[n-1].owner
	}
	n, ok := m.index[o]
	if !ok {
		if m.index == nil {
			m.index = map[Owner]int32{}
		}
		n = int32(len(m.owners))
		m.owners = append(m.owners, o)
		m.index[o] = n
	}
	return n
}

// append adds lines to the last run where that is of the same owner, else as a new one.
func (f *File) append(lines int, owner int32, edited bool) {
	n, atFront := len(f.runs), f.lines == f.front
	f.lines += lines
	if n > 0 && f.runs[n-1].owner == owner && f.runs[n-1].edited == edited && !atFront {
		f.runs[n-1].lines += lines
		return
	}
	f.runs = append(f.runs, run{lines, owner, edited})
}
