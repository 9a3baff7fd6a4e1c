package hook

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/internal/shell"
)

// reach is which files are guarded: those that the policy and the hosts name, and those
// that these bring in. The latter are looked for once, when a write is first judged.
type reach struct {
	memfile.Set
	dir, workspace, home string   // real paths; home empty: not known
	names                []string // of files that a host loads from any folder that it works in

	closure memfile.Closure
	peek    memfile.Peeker
	folders map[string]string // the real paths of folders that files were followed in
	roots   []string          // the files that were followed
	done    map[string]bool   // the folders whose files were followed
	listed  []listedFile      // the memory files that were there when a second name was first met
}

// listedFile is a file by its name and by what it is.
type listedFile struct {
	name string
	info os.FileInfo
}

// literal takes over the patterns that name a file of Markdown.
func (r *reach) literal(lists ...[]string) {
	for _, p := range slices.Concat(lists...) {
		p = strings.TrimPrefix(p, "**/")
		if !strings.ContainsAny(p, "*?") && strings.EqualFold(path.Ext(p), ".md") && !strings.HasPrefix(p, "/") {
			r.names = append(r.names, p)
		}
	}
	slices.Sort(r.names)
	r.names = slices.Compact(r.names)
}

// Class returns how a resolved path is guarded. What is named keeps the class that it is
// named with: an instruction file that imports the agent's memory does not take it away.
//
// What a memory file imports is memory, but where writing it does more than that: that
// is asked as an action, which no sentence in a memory file may replace.
func (r *reach) Class(name string) memfile.Class {
	if c := r.Set.Class(name); c != memfile.Ordinary {
		return c
	}
	r.follow(path.Dir(name))
	c := r.closure.Class(name)
	if c == memfile.Memory && len(shell.Writes(shell.Context{Dir: r.dir, Home: r.home, Workspace: []string{r.workspace}}, name)) > 0 {
		return memfile.Ordinary
	}
	return c
}

// Holds returns the strictest class of a file that could lie at or below a path.
func (r *reach) Holds(name string) memfile.Class {
	c := r.Set.Holds(name)
	if c == memfile.Protected {
		return c
	}
	r.follow(name)
	return max(c, r.closure.Holds(name))
}

// List finds the memory files that are there, those that others import among them.
func (r *reach) List() (names []string, complete bool) {
	names, complete = r.Set.List()
	r.follow(r.dir)
	for _, name := range r.closure.Names(memfile.Memory) {
		if r.Class(name) != memfile.Memory {
			continue
		}
		if info, err := os.Lstat(filepath.FromSlash(name)); err == nil && info.Mode().IsRegular() {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), complete && r.closure.Complete()
}

func (r *reach) reader() memfile.Reader {
	return memfile.Reader{Home: r.home, Read: r.read}
}

// read reads a file that is followed. The links on its way are resolved, those of its
// folder once for all files in it. On Windows a name has to be resolved whole: a file has
// several there.
func (r *reach) read(name string) (string, []byte, error) {
	data, ok := r.peek.Plain(name)
	if !ok {
		found := real(name)
		data, err := r.peek.Peek(found)
		return found, data, err
	}
	dir := path.Dir(name)
	found, ok := r.folders[dir]
	if !ok {
		if r.folders == nil {
			r.folders = make(map[string]string)
		}
		found = real(dir)
		r.folders[dir] = found
	}
	return path.Join(found, path.Base(name)), data, nil
}

// follow follows the files that a session in the workspace loads at its start, and those
// that it would load beside a file in a folder of the workspace.
func (r *reach) follow(dir string) {
	if r.done == nil {
		r.done = make(map[string]bool)
		r.start()
	}
	for ; r.workspace != "" && beneath(dir, r.workspace) && !r.done[dir]; dir = path.Dir(dir) {
		r.folder(dir)
		if dir == r.workspace {
			break
		}
	}
}

// start follows what is loaded whatever the session does.
func (r *reach) start() {
	for at := r.dir; r.workspace != "" && beneath(at, r.workspace); at = path.Dir(at) {
		r.folder(at)
		if at == r.workspace {
			break
		}
	}
	for _, dir := range above(r.workspace) {
		r.folder(dir)
	}
	if r.workspace != "" {
		r.rules(r.workspace + "/.claude/rules")
	}
	if r.home == "" {
		return
	}
	for _, name := range [...]string{".claude/CLAUDE.md", ".codex/AGENTS.md", ".codex/AGENTS.override.md", ".gemini/GEMINI.md"} {
		r.root(r.home + "/" + name)
	}
	r.rules(r.home + "/.claude/rules")
	if r.workspace != "" {
		r.root(r.home + "/.claude/projects/" + projectName(r.workspace) + "/memory/MEMORY.md")
	}
}

// folder follows the files that a host loads from one folder.
func (r *reach) folder(dir string) {
	r.done[dir] = true
	for _, name := range r.names {
		r.root(dir + "/" + name)
	}
	r.root(dir + "/.claude/CLAUDE.md")
}

// maxRules bounds the rule files of one folder that are followed.
const maxRules = 256

// rules follows the files of a folder of rules. One that is a link makes the folder that
// it leads to one of rules as well.
func (r *reach) rules(dir string) {
	if to := real(dir); to != dir {
		r.Add(memfile.Protected, "", to+"/**")
	}
	for _, pattern := range [...]string{"/*.md", "/*/*.md"} {
		names, _ := filepath.Glob(filepath.FromSlash(dir) + pattern) // a folder with odd characters in its name has none
		for _, name := range names[:min(len(names), maxRules)] {
			r.root(filepath.ToSlash(name))
		}
	}
}

// root follows one file, if it is there.
func (r *reach) root(name string) {
	if _, err := os.Lstat(filepath.FromSlash(name)); err != nil {
		return
	}
	c := r.Set.Class(name)
	if c == memfile.Ordinary {
		return
	}
	r.roots = append(r.roots, name)
	r.closure.Follow(name, c, r.reader())
}

// linked is how a file is guarded that is another name of a guarded one: a hard link.
func (r *reach) linked(name string) memfile.Class {
	info, err := os.Lstat(filepath.FromSlash(name))
	if err != nil || !info.Mode().IsRegular() || memfile.Links(info) < 2 {
		return memfile.Ordinary
	}
	if r.listed == nil {
		names, _ := r.List()
		r.listed = stated(names)
	}
	c := memfile.Ordinary
	for _, n := range slices.Concat(r.listed, stated(slices.Concat(r.roots, r.closure.Names(memfile.Protected), r.closure.Names(memfile.Memory)))) {
		if os.SameFile(info, n.info) {
			c = max(c, r.Class(n.name))
		}
	}
	return c
}

// stated are those of some files that are there.
func stated(names []string) []listedFile {
	out := make([]listedFile, 0, len(names))
	for _, n := range names {
		if info, err := os.Lstat(filepath.FromSlash(n)); err == nil {
			out = append(out, listedFile{n, info})
		}
	}
	return out
}

// above lists the folders above one, the nearest first; the top is "".
func above(dir string) []string {
	var out []string
	for {
		i := strings.LastIndexByte(dir, '/')
		if i < 0 {
			return out
		}
		dir = dir[:i]
		out = append(out, dir)
	}
}
