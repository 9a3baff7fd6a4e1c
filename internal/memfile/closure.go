package memfile

import (
	"errors"
	"path"
	"slices"
	"strings"
)

// Bounds of a [Closure]. The depth is that of the host that goes deepest: Claude Code
// goes 4 files deep, Gemini CLI 5 (docs/hosts.md).
const (
	maxDepth    = 5
	maxImported = 1024 // files
)

// ErrFolder says that a name is one of a folder.
var ErrFolder = errors.New("it is a folder")

// Reader is how a [Closure] sees the file system. Names are absolute and slash separated.
type Reader struct {
	Home string // what "~/" stands for; empty: not known

	// Read reads a file as [Peeker.Peek] does. It returns its name with the links resolved,
	// also where it cannot be read. The text is valid until the next call.
	Read func(name string) (real string, data []byte, err error)
}

// Closure is the files that guarded files bring into a session beside themselves: what
// they import, and the real file where they are links. The zero value is empty.
//
// A file is in it though it does not exist: whoever made it would speak in the next
// session. A folder is not.
type Closure struct {
	files map[string]*brought // by folded name
	cut   bool
}

// brought is a file of a closure.
type brought struct {
	class Class
	depth [Protected + 1]int // by class, the least number of imports that lead to it as that
	real  string             // its real name
	names []string           // what it imports
}

// Follow adds a guarded file and what it imports, and what that imports, at most five
// files deep. All of it is as guarded as the file. Following a file twice does nothing.
func (c *Closure) Follow(name string, class Class, r Reader) {
	if c.files == nil {
		c.files = make(map[string]*brought)
	}
	type step struct {
		file  *brought
		name  string // by which a host came to it
		depth int
	}
	var todo []step
	add := func(name string, depth int) {
		if f, fresh := c.add(name, class, depth, r); fresh && depth < maxDepth {
			todo = append(todo, step{f, name, depth})
		}
	}
	for add(path.Clean(name), 0); len(todo) > 0; todo = todo[1:] {
		at := todo[0]
		for _, to := range at.file.targets(at.name, r.Home) {
			add(to, at.depth+1)
		}
	}
}

// targets are the files that a file imports which a host came to by that name. What an
// import is relative to is the folder of the name, or the real one.
func (f *brought) targets(name, home string) []string {
	var out []string
	dir, real := path.Dir(name), path.Dir(f.real)
	for _, n := range f.names {
		below, ok := strings.CutPrefix(n, "~/")
		switch {
		case ok && home != "":
			out = append(out, path.Join(home, below))
		case ok:
		case path.IsAbs(n):
			out = append(out, path.Clean(n))
		default:
			out = append(out, path.Join(dir, n))
			if real != dir {
				out = append(out, path.Join(real, n))
			}
		}
	}
	return out
}

// add adds one file, and reports whether what it imports has to be followed: it was not
// known by that name, or not as guarded, or only by a longer way.
func (c *Closure) add(name string, class Class, depth int, r Reader) (f *brought, fresh bool) {
	key := Fold(name)
	f = c.files[key]
	if f == nil {
		if len(c.files) >= maxImported {
			c.cut = true
			return nil, false
		}
		real, data, err := r.Read(name)
		if errors.Is(err, ErrFolder) {
			return nil, false
		}
		f = &brought{depth: [...]int{maxDepth + 1, maxDepth + 1, maxDepth + 1}, real: real}
		// What cannot be read is guarded, and no host can follow it either.
		if err == nil {
			f.names = Imports(data)
			if len(f.names) >= maxNames || len(data) >= maxPeek {
				c.cut = true
			}
		}
		if real != name {
			// Both names are the one file.
			if known := c.files[Fold(real)]; known != nil {
				f = known
			}
			c.files[Fold(f.real)] = f
		}
		c.files[key], fresh = f, true
	}
	fresh = fresh || class > f.class || depth < f.depth[class]
	f.class, f.depth[class] = max(f.class, class), min(f.depth[class], depth)
	return f, fresh
}

// Class returns how a file of the closure is guarded; Ordinary where it is not in it.
func (c *Closure) Class(name string) Class {
	if f := c.files[Fold(name)]; f != nil {
		return f.class
	}
	return Ordinary
}

// Holds returns the strictest class of the files of the closure at or below a folder.
func (c *Closure) Holds(dir string) Class {
	class := c.Class(dir)
	dir = strings.TrimSuffix(Fold(dir), "/") + "/"
	for name, f := range c.files {
		if strings.HasPrefix(name, dir) {
			class = max(class, f.class)
		}
	}
	return class
}

// Names lists the real names of the files of one class, sorted.
func (c *Closure) Names(class Class) []string {
	var out []string
	for _, f := range c.files {
		if f.class == class {
			out = append(out, f.real)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Complete reports whether all imports were followed.
func (c *Closure) Complete() bool { return !c.cut }
