package hook

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hearsay-memory/hearsay/internal/memfile"
)

// maxLinks bounds the folders that real walks up.
const maxLinks = 256

// real resolves the links in a path as far as it exists; what does not exist yet is what
// would be made.
func real(name string) string {
	if name == "" {
		return ""
	}
	name = filepath.Clean(name)
	rest := ""
	for at, n := name, 0; n < maxLinks; n++ {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.ToSlash(filepath.Join(real, rest))
		}
		if target, err := os.Readlink(at); err == nil {
			// A dangling link: what it points to would be made.
			if !filepath.IsAbs(target) {
				target = filepath.Join(filepath.Dir(at), target)
			}
			at = filepath.Clean(target)
			continue
		}
		up := filepath.Dir(at)
		if up == at {
			break
		}
		rest = filepath.Join(filepath.Base(at), rest)
		at = up
	}
	return filepath.ToSlash(name)
}

// Real resolves the links in a path as far as it exists. A link within a tree is honest:
// both names are the one file, and it is guarded as the stricter of them. Where a name in
// the workspace is guarded and leads out of it, the name itself is returned: nobody
// writes through it.
func (f *Files) Real(name string) string {
	found := real(name)
	if f.set.Set.Class(found) != memfile.Ordinary {
		found = spelling(found, sameFile, readNames)
	}
	spelt := filepath.ToSlash(filepath.Clean(name))
	if f.dir[0] != f.dir[1] && beneath(spelt, f.dir[0]) {
		spelt = f.dir[1] + strings.TrimPrefix(spelt, f.dir[0])
	}
	if spelt == found || name == "" {
		return found
	}
	c := f.set.Set.Class(spelt)
	switch {
	case c == memfile.Ordinary, f.set.Set.Class(found) != memfile.Ordinary:
	case f.inside(spelt) && !f.inside(found):
		return spelt
	default:
		f.set.closure.Follow(spelt, c, f.set.reader())
	}
	return found
}

// spelling returns a name as the folders on its way spell it, where a file system opens
// the file by other spellings too: all of them are one file, with one record. same
// reports whether two names open one file, list returns the names in a folder.
func spelling(name string, same func(a, b string) bool, list func(dir string) []string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		dir := strings.Join(parts[:i], "/") + "/"
		other := strings.ToUpper(part)
		if other == part {
			other = strings.ToLower(part)
		}
		if i == 0 || part == other || !same(dir+part, dir+other) {
			continue // case counts here, or there is nothing
		}
		names := list(dir)
		if slices.Contains(names, part) {
			continue
		}
		for _, n := range names {
			if memfile.Fold(n) == memfile.Fold(part) && same(dir+part, dir+n) {
				parts[i] = n
				break
			}
		}
	}
	return strings.Join(parts, "/")
}

func sameFile(a, b string) bool {
	first, err := os.Lstat(filepath.FromSlash(a))
	if err != nil {
		return false
	}
	second, err := os.Lstat(filepath.FromSlash(b))
	return err == nil && os.SameFile(first, second)
}

// readNames returns none where the folder cannot be read: a name stays as it is then.
func readNames(dir string) []string {
	f, err := os.Open(filepath.FromSlash(dir))
	if err != nil {
		return nil
	}
	defer f.Close()
	names, _ := f.Readdirnames(-1)
	return names
}

// Refusal says, for an agent, why nobody writes a file by that resolved path, and what to
// write instead; empty where there is no such reason. It never holds the path.
func (f *Files) Refusal(name string) string {
	plain, odd := memfile.Plain(name)
	c := f.set.Class(name)
	if odd != "" {
		c = max(c, f.set.Class(plain))
	}
	if dir := f.memoryDir(); dir != "" && misplaced(plain) && !beneath(name, real(f.set.home+"/.claude/projects")) {
		return "Refused: that is a memory folder of the agent host, spelt into another tree. The memory of this project is kept in " + dir + "."
	}
	switch {
	case c == memfile.Ordinary:
		return ""
	case odd != "":
		return "Refused: that name stands for a memory or an instruction file in a way that hides it (" + odd + "). Use the plain path of the file."
	case real(name) != name:
		return "Refused: a link leads from that memory or instruction file out of the workspace. Write the file that you mean by its own path, or ask the user to replace the link."
	}
	return ""
}

// misplaced reports whether a path runs through the project memory of Claude Code,
// wherever that lies.
func misplaced(name string) bool {
	parts := strings.Split(memfile.Fold(name), "/")
	for i := range parts {
		if i+3 < len(parts) && parts[i] == ".claude" && parts[i+1] == "projects" && parts[i+3] == "memory" {
			return true
		}
	}
	return false
}

// memoryDir is where Claude Code keeps the memory of the workspace; empty: not known.
func (f *Files) memoryDir() string {
	if f.Home == "" || f.Workspace == "" {
		return ""
	}
	return f.Home + "/.claude/projects/" + projectName(f.Workspace) + "/memory"
}

// projectName is how Claude Code names the folder of a project: its path, with "-" for
// whatever is no ASCII letter or digit.
func projectName(dir string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' {
			return r
		}
		return '-'
	}, filepath.FromSlash(dir))
}
