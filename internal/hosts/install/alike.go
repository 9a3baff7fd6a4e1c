package install

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Called is what a host tells of the server whose tool is called.
type Called struct {
	Spelt  string // as the tool's name spells it
	Key    string // its key in the settings, as the host says it; empty: it does not
	Source string // whose settings it is of, in the host's word; empty: it does not say
}

// maxAbove bounds the directories above one that are looked at.
const maxAbove = 64

// Servers lists the MCP servers that the host may start in directories: the person's, and
// those of each directory and of every one above it. hearsay is the path of our program, as
// it is installed: in files of a project no other counts. The error joins one for each file
// that cannot be read; the servers are of the others.
func (h Host) Servers(read func(path string) ([]byte, error), home, hearsay string, dirs ...string) ([]Server, error) {
	if h.servers == nil {
		return nil, errors.New("install: no host")
	}
	var st State
	var errs []error
	seen := make(map[string]bool)
	look := func(s Scope, base string) {
		name := filepath.Join(base, h.servers(s))
		if seen[name] {
			return // below the home directory a person's file can have the name of a project's
		}
		seen[name] = true
		if err := h.serverState(&st, read, s, name, Options{Gateway: []string{hearsay}}); err != nil {
			errs = append(errs, err)
		}
	}
	if filepath.IsAbs(home) {
		look(User, home)
	}
	for _, dir := range dirs {
		if !filepath.IsAbs(dir) {
			errs = append(errs, fmt.Errorf("install: %q is no absolute path", dir))
			continue
		}
		at := filepath.Clean(dir)
		for range maxAbove {
			look(Project, at)
			at = filepath.Dir(at)
		}
	}
	st.Servers = slices.DeleteFunc(st.Servers, func(v Server) bool {
		return v.Project != "" && !slices.ContainsFunc(dirs, func(dir string) bool { return inProject(dir, v.Project) })
	})
	return st.Servers, errors.Join(errs...)
}

// mayBe reports whether a call can be of a server. Where the host does not say whose tool
// it is, a name counts that is spelt alike, or that begins alike where the tool's own name
// may begin.
func (c Called) mayBe(v Server) bool {
	if c.Key == "" {
		return alike(v.Name, c.Spelt)
	}
	if v.Name != c.Spelt {
		return false
	}
	switch c.Source {
	case "user":
		return v.Scope == User && v.Project == ""
	case "local":
		return v.Project != ""
	case "project":
		return v.Scope == Project
	}
	return true
}

// alike reports whether a host can take a tool of a server for one of another server, by
// its name. Hosts write _ for what they do not take, and some write all small; where a
// tool's name stands behind __, the name of one can go on beyond that of the other.
func alike(name, other string) bool {
	return strings.HasPrefix(fold(name)+"__", fold(other)+"__")
}

func fold(name string) string { return strings.ReplaceAll(strings.ToLower(spelt(name)), "-", "_") }

// Surely reports whether a call goes, by all that the settings say, to a server that ours
// takes for one behind a gateway of ours which decides what is written. It does not where
// it can be of a server without one, or of two servers. Servers that no settings name,
// such as those of a command line, say nothing.
func Surely(all []Server, c Called, ours func(Server) bool) bool {
	var keys []string
	for _, v := range all {
		if !c.mayBe(v) {
			continue
		}
		if !v.Decides || !ours(v) {
			return false
		}
		if !slices.Contains(keys, v.Name) {
			keys = append(keys, v.Name)
		}
	}
	return len(keys) == 1 || len(keys) == 0 && c.Source != "project"
}

// Alike lists the servers to which, by their names, the hook leaves no call: those behind
// a gateway that decides what is written and those that can be taken for one of them. All
// are of settings that the host reads together.
func (h Host) Alike(all []Server) []Server {
	met := make([]bool, len(all))
	for i, v := range all {
		if !v.Decides {
			continue
		}
		for j, w := range all {
			same := v.Name == w.Name && !w.Decides
			if !same && (!h.untold || v.Name == w.Name || !alike(v.Name, w.Name) && !alike(w.Name, v.Name)) || i == j || apart(v, w) {
				continue
			}
			met[i], met[j] = true, true
		}
	}
	var out []Server
	for i, v := range all {
		if met[i] {
			out = append(out, v)
		}
	}
	return out
}

// alikeNotes says which servers of a file, as it will be, have names that are too like.
func (h Host) alikeNotes(name string, after []byte, s Scope, o Options) []string {
	var st State
	if after == nil || h.serverState(&st, func(string) ([]byte, error) { return after, nil }, s, name, o) != nil {
		return nil // a file that cannot be read is refused elsewhere
	}
	var names []string
	for _, v := range h.Alike(st.Servers) {
		names = append(names, server{name: v.Name, project: v.Project}.label())
	}
	if names == nil {
		return nil
	}
	return []string{strings.Join(names, ", ") + ": by their names one can be taken for another, so the hook leaves none of their calls to a gateway, and what is written there is held: " + adviceAlike}
}

// apart reports whether two servers are for different directories.
func apart(v, w Server) bool { return v.Project != "" && w.Project != "" && v.Project != w.Project }

// inProject reports whether dir is project or lies in it, both as they are spelt.
func inProject(dir, project string) bool {
	rel, err := filepath.Rel(project, dir)
	return err == nil && (rel == "." || filepath.IsLocal(rel))
}
