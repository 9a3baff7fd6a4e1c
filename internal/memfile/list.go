package memfile

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// MaxListed bounds the files that are looked at for one event, and maxWalked the names
// that are read to find them.
const (
	MaxListed = 20_000
	maxWalked = 100_000
)

// List finds the memory files that are there: in the folders that their patterns name,
// and, for patterns of any folder, beside the root of the workspace. complete is false
// where there are more than are looked at. Names come sorted.
func (s *Set) List() (names []string, complete bool) {
	return list(s.memory, "", func(name string) bool { return s.Class(name) == Memory }, MaxListed, maxWalked)
}

// ListProtected does the same for protected files, but for those that lie in the folder
// without, which is slash-separated and may be empty: Hearsay's own home, where everything
// is protected and has a log of its own.
func (s *Set) ListProtected(without string) (names []string, complete bool) {
	return list(s.protected, without, func(name string) bool { return s.Class(name) == Protected }, MaxListed, maxWalked)
}

// Fixed are the names, of memory files or of protected ones, that a host would load from
// the root of a workspace, whether they are there or not.
func (s *Set) Fixed(c Class) (names []string) {
	patterns := s.memory
	if c == Protected {
		patterns = s.protected
	}
	for _, p := range patterns {
		rest := strings.TrimPrefix(strings.Join(p.names, "/"), "**/")
		if !strings.ContainsAny(rest, "*?") {
			names = append(names, p.spelt+"/"+rest)
		}
	}
	return names
}

func list(patterns []pattern, without string, wanted func(string) bool, most, walk int) (names []string, complete bool) {
	below := make(map[string][]pattern) // by the folder that its files lie in
	for _, p := range patterns {
		p = p.beside()
		below[p.dir()] = append(below[p.dir()], p)
	}
	complete = true
	walked := 0
	for dir, patterns := range below {
		err := filepath.WalkDir(filepath.FromSlash(dir), func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				return nil // what cannot be read is not ours to guard
			}
			if walked++; walked > walk || len(names) >= most {
				complete = false
				return filepath.SkipAll
			}
			slash := filepath.ToSlash(name)
			if d.IsDir() {
				if slash == without {
					return filepath.SkipDir
				}
				if slash != dir && (d.Name() == ".git" || d.Name() == "node_modules" || !leads(patterns, Fold(slash[len(dir)+1:]))) {
					return filepath.SkipDir
				}
				return nil
			}
			if wanted(slash) {
				names = append(names, slash)
			}
			return nil
		})
		if err != nil && !os.IsNotExist(err) {
			complete = false
		}
	}
	slices.Sort(names)
	return slices.Compact(names), complete
}

// leads reports whether a folder, as it is called below the patterns' own, folded, can hold
// a file that fits one of them.
func leads(patterns []pattern, folder string) bool {
	names := strings.Split(folder, "/")
	return slices.ContainsFunc(patterns, func(p pattern) bool { return leadsTo(p.parts[p.fixed():], names) })
}

func leadsTo(parts, names []string) bool {
	for i, part := range parts {
		switch {
		case part == "**" || i == len(names):
			return true
		case i == len(parts)-1 || !matchName(part, names[i]):
			return false
		}
	}
	return false
}

// beside is the pattern where one of any folder counts beside its root alone.
func (p pattern) beside() pattern {
	if p.parts[0] == "**" && len(p.parts) > 1 {
		p.parts, p.names = p.parts[1:], p.names[1:]
	}
	return p
}

// dir is the folder, as it is spelt on disk, that the files of a pattern lie in.
func (p pattern) dir() string {
	return strings.Join(append([]string{p.spelt}, p.names[:p.fixed()]...), "/")
}

// fixed is how many folders a pattern names without a wildcard.
func (p pattern) fixed() int {
	folders := p.names[:len(p.names)-1]
	if i := slices.IndexFunc(folders, func(name string) bool { return strings.ContainsAny(name, "*?") }); i >= 0 {
		return i
	}
	return len(folders)
}
