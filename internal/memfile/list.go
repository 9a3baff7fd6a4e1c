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
	return list(s.memory, func(name string) bool { return s.Class(name) == Memory }, MaxListed, maxWalked)
}

// ListProtected does the same for protected files.
func (s *Set) ListProtected() (names []string, complete bool) {
	return list(s.protected, func(name string) bool { return s.Class(name) == Protected }, MaxListed, maxWalked)
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

func list(patterns []pattern, wanted func(string) bool, most, walk int) (names []string, complete bool) {
	dirs := make(map[string]bool) // and whether what lies below counts
	for _, p := range patterns {
		deep := len(p.parts) > 1 && p.parts[0] != "**"
		dirs[p.dir()] = dirs[p.dir()] || deep
	}
	complete = true
	walked := 0
	for dir, deep := range dirs {
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
				if slash != dir && (!deep || d.Name() == ".git" || d.Name() == "node_modules") {
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

// dir is the folder, as it is spelt on disk, that the files of a pattern lie in.
func (p pattern) dir() string {
	var dir strings.Builder
	dir.WriteString(p.spelt)
	for _, part := range p.names[:len(p.names)-1] {
		if strings.ContainsAny(part, "*?") {
			break
		}
		dir.WriteString("/" + part)
	}
	return dir.String()
}
