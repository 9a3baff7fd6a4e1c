// Package memfile guards the files that are an agent's memory: it knows which they are
// and which are standing instructions, keeps calls that change them as they were made,
// and makes released ones again.
//
// Names are compared as [Fold] says, on every system: a file that some system would open
// by the name is guarded by it. A file is opened from its real folder and
// without following a link; what is no regular file with one name is refused.
package memfile

import (
	"path"
	"slices"
	"strings"
)

// Class says how a file is guarded. The zero value is not.
type Class uint8

// The classes of files.
const (
	Ordinary  Class = iota
	Memory          // what is written to it is decided by the rules
	Protected       // no agent writes it
)

// Set is which files are guarded. The zero value guards none.
type Set struct {
	memory, protected []pattern
}

// pattern is a slash-separated pattern below a root, folded, and as it is spelt.
type pattern struct {
	root, spelt string
	parts       []string
	names       []string // the parts as they are spelt
	must        string   // the longest part without a wildcard: what fits contains it
}

// Add guards the files below root that fit one of the patterns: "*" and "?" stand for
// characters of one name, "**" for any folders. A pattern that begins with "/" or a drive
// stands for itself; one without a slash fits a name in any folder below root.
func (s *Set) Add(c Class, root string, patterns ...string) {
	spelt := strings.TrimSuffix(path.Clean(root), "/")
	base := Fold(spelt)
	into := &s.memory
	switch c {
	case Memory:
	case Protected:
		into = &s.protected
	default:
		return
	}
	*into = slices.Grow(*into, len(patterns))
	for _, p := range patterns {
		one := pattern{root: base, spelt: spelt}
		switch {
		case strings.HasPrefix(p, "/"):
			one.root, one.spelt, p = "", "", strings.TrimPrefix(p, "/")
		case drive(p) && strings.HasPrefix(p[2:], "/"):
			one.root, one.spelt, p = Fold(p[:2]), p[:2], p[3:]
		case !strings.Contains(p, "/"):
			p = "**/" + p
		}
		folded := Fold(p)
		one.parts = strings.Split(folded, "/")
		if one.names = one.parts; folded != p {
			one.names = strings.Split(p, "/")
		}
		for _, part := range one.parts {
			if len(part) > len(one.must) && !strings.ContainsAny(part, "*?") {
				one.must = part
			}
		}
		*into = append(*into, one)
	}
}

// Class returns how a file is guarded. The name is absolute, clean and slash separated.
// What is protected is so even where it is memory too.
func (s *Set) Class(name string) Class {
	n := folded{name: Fold(name), root: "/"}
	if slices.ContainsFunc(s.protected, n.fits) {
		return Protected
	}
	if slices.ContainsFunc(s.memory, n.fits) {
		return Memory
	}
	return Ordinary
}

// Holds returns the strictest class of a file that could lie at or below name, where a
// name stands for a whole folder.
func (s *Set) Holds(name string) Class {
	class := s.Class(name)
	if class == Protected {
		return class
	}
	name = strings.TrimSuffix(Fold(name), "/")
	for _, p := range s.protected {
		if p.below(name) {
			return Protected
		}
	}
	for _, p := range s.memory {
		if p.below(name) {
			return Memory
		}
	}
	return class
}

// below reports whether a file that fits could lie below name, by the part of the
// pattern that has no wildcard.
func (p pattern) below(name string) bool {
	var fixed strings.Builder
	fixed.WriteString(p.root)
	for _, part := range p.parts {
		if strings.ContainsAny(part, "*?") {
			break
		}
		fixed.WriteString("/" + part)
	}
	return strings.HasPrefix(fixed.String()+"/", name+"/")
}

// folded is a folded name, cut where a root ends: most patterns have the same root.
type folded struct {
	name, root string
	below      bool // the name lies below the root
	parts      []string
}

func (n *folded) fits(p pattern) bool {
	if !strings.Contains(n.name, p.must) && !strings.Contains(n.name, "~") {
		return false
	}
	if n.root != p.root {
		rest, ok := strings.CutPrefix(n.name, p.root+"/")
		n.root, n.below, n.parts = p.root, ok, nil
		if ok {
			n.parts = strings.Split(rest, "/")
		}
	}
	return n.below && match(p.parts, n.parts)
}

// match matches names against parts. Runs of "**" are tried from the shortest on; the
// last one decides, so the work is bounded by the product of both lengths.
func match(parts, names []string) bool {
	back, from := -1, 0
	i, j := 0, 0
	for j < len(names) {
		switch {
		case i < len(parts) && parts[i] == "**":
			back, from = i, j
			i++
		case i < len(parts) && matchName(parts[i], names[j]):
			i, j = i+1, j+1
		case back >= 0:
			from++
			i, j = back+1, from
		default:
			return false
		}
	}
	for i < len(parts) && parts[i] == "**" {
		i++
	}
	return i == len(parts)
}

// literal escapes what path.Match knows beside "*" and "?".
var literal = strings.NewReplacer(`\`, `\\`, "[", `\[`)

func matchName(p, name string) bool {
	if !strings.ContainsAny(p, `*?\[`) {
		return p == name || strings.Contains(name, "~") && short(p, name)
	}
	ok, err := path.Match(literal.Replace(p), name)
	return ok && err == nil || strings.Contains(name, "~") && short(p, name)
}
