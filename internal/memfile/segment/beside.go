package segment

import (
	"bytes"
	"crypto/sha256"
	"slices"
)

// Beside returns the file that f would be with g below it, and its bytes: what a version
// is compared with whose lines may come from either. fData and gData are the bytes of f
// and g; the error is [ErrStale] where they are not.
//
// So a file that takes lines of another one is told apart by [File.Apply] and [File.Drift]
// as one whose lines moved: each line of both is used once, and what vanished from either
// is remembered.
func (f File) Beside(fData []byte, g File, gData []byte) (File, []byte, error) {
	if err := f.Fits(fData); err != nil {
		return File{}, nil, err
	}
	if err := g.Fits(gData); err != nil {
		return File{}, nil, err
	}
	if len(fData) == 0 {
		g.ghosts = g.ghosts.joined(f.ghosts)
		return g, gData, nil
	}
	data := bytes.Clone(fData)
	if data[len(data)-1] != '\n' && string(data) != bom {
		data = append(data, '\n')
	}
	data = append(data, bytes.TrimPrefix(gData, []byte(bom))...)
	h := maker{File: File{digest: sha256.Sum256(data), front: frontOf(data).lines, ghosts: f.ghosts.joined(g.ghosts)}}
	for _, from := range []File{f, g} {
		for r := range from.Runs() {
			// Front matter that only both together have is a run of its own as well.
			first := min(r.Lines, max(0, h.front-h.lines))
			h.add(first, r.Owner, r.Edited)
			h.add(r.Lines-first, r.Owner, r.Edited)
		}
	}
	return h.File, data, h.Fits(data)
}

// joined returns the lines that vanished from either. Where their prints are of different
// lengths, the shorter one counts.
func (g ghosts) joined(h ghosts) ghosts {
	switch {
	case len(h.list) == 0:
		return g
	case len(g.list) == 0:
		return h
	}
	bits := min(g.bits, h.bits)
	g, h = g.coarser(bits), h.coarser(bits)
	list := slices.Concat(g.list, h.list)
	slices.SortFunc(list, byPrint)
	g.list = joinGhosts(list)
	for len(g.list) > maxGhosts {
		g = g.coarser(g.bits - 1)
	}
	return g
}
