package segment

// Own returns the file with lines of it given to an owner: a person adopted them, as
// they are. It is the only way by which a line rises.
func (f File) Own(r Range, o Owner) File {
	g := File{digest: f.digest, front: f.front, ghosts: f.ghosts}
	at := 0
	for _, run := range f.runs {
		from, to := at, at+run.Lines
		at = to
		before, inside := min(max(r.From, from), to), min(max(r.To, from), to)
		g.append(before-from, run.Owner, run.Edited)
		g.append(inside-before, o, false)
		g.append(to-max(inside, before), run.Owner, run.Edited)
	}
	return g
}
