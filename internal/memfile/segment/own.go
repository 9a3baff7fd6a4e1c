package segment

// Own returns the file with lines of it given to an owner: a person adopted them, as
// they are. It is the only way by which a line rises.
func (f File) Own(r Range, o Owner) File {
	m := maker{File: File{digest: f.digest, front: f.front, ghosts: f.ghosts}}
	from := min(max(r.From, 0), f.lines)
	to := min(max(r.To, from), f.lines)
	m.take(f, 0, from)
	if from < f.front && f.front < to { // it shares no run with what follows
		m.add(f.front-from, o, false)
		m.add(to-f.front, o, false)
	} else {
		m.add(to-from, o, false)
	}
	m.take(f, to, f.lines)
	return m.File
}
