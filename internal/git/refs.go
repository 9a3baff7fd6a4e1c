package git

import (
	"io/fs"
	"path/filepath"
	"strings"
)

// head returns the commit of HEAD, in hex; empty where there is none.
func (p *repo) head() string {
	if p.known {
		return p.top
	}
	p.known = true
	text := strings.TrimRight(string(read(filepath.Join(p.dir, "HEAD"), maxPointer)), "\n")
	if name, ok := strings.CutPrefix(text, "ref: "); ok {
		text = p.ref(name)
	}
	if isName(text) {
		p.top = text
	}
	// A repository without a commit, or with another kind of references, is taken for one
	// of short names, as nearly all are, unless its log says otherwise.
	if last := p.log().last(); p.top == "" && last != nil {
		p.top = last.to
	}
	p.wide = len(p.top) == 64
	return p.top
}

// isName reports whether s is the name of an object in hex.
func isName(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// ref returns what a reference stands for; empty where it is none of a plain name.
func (p *repo) ref(name string) string {
	if !plainRef(name) {
		return ""
	}
	if s := strings.TrimRight(string(read(filepath.Join(p.common, filepath.FromSlash(name)), maxPointer)), "\n"); isName(s) {
		return s
	}
	for line := range strings.SplitSeq(string(p.packedRefs()), "\n") {
		id, of, ok := strings.Cut(line, " ")
		if ok && of == name && isName(id) {
			return id
		}
	}
	return ""
}

// plainRef reports whether a name can be one of a reference, and leads nowhere else.
func plainRef(name string) bool {
	return strings.HasPrefix(name, "refs/") && len(name) < 512 && !strings.Contains(name, "..") && !strings.Contains(name, "//") &&
		!strings.ContainsAny(name, "\\:\x00\n ~^?*[")
}

// remote reports whether a name, as somebody typed it, is one of a branch elsewhere.
func (p *repo) remote(name string) bool {
	if i := strings.IndexAny(name, "~^@"); i > 0 {
		name = name[:i]
	}
	if name == "FETCH_HEAD" || isName(name) && p.fetched(name) {
		return true
	}
	name = strings.TrimPrefix(strings.TrimPrefix(name, "refs/remotes/"), "remotes/")
	return name != "" && (p.ref("refs/remotes/"+name) != "" || p.ref("refs/remotes/"+name+"/HEAD") != "" ||
		len(read(filepath.Join(p.common, "refs", "remotes", filepath.FromSlash(cleanName(name)), "HEAD"), maxPointer)) > 0)
}

// fetched reports whether a commit is the newest one of a branch elsewhere, as it was last
// heard of, and was not made here.
func (p *repo) fetched(id string) bool {
	for _, m := range p.log().moves {
		if m.to == id && m.verb() == "commit" {
			return false
		}
	}
	if strings.Contains(string(read(filepath.Join(p.dir, "FETCH_HEAD"), maxLog)), id+"\t") {
		return true
	}
	if strings.Contains("\n"+string(p.packedRefs()), "\n"+id+" refs/remotes/") {
		return true
	}
	found, left := false, maxRefs
	_ = filepath.WalkDir(filepath.Join(p.common, "refs", "remotes"), func(name string, d fs.DirEntry, err error) error {
		if left--; err != nil || left < 0 || found {
			return fs.SkipAll // what cannot be read tells nothing
		}
		found = d.Type().IsRegular() && strings.TrimRight(string(read(name, maxPointer)), "\n") == id
		return nil
	})
	return found
}

// packedRefs is the file of packed references.
func (p *repo) packedRefs() []byte {
	if p.packed == nil {
		p.packed = read(filepath.Join(p.common, "packed-refs"), maxPacked)
	}
	return p.packed
}

// cleanName is a name that can stand in a path below a folder; else one that is in none.
func cleanName(name string) string {
	if !plainRef("refs/remotes/" + name) {
		return "\x00"
	}
	return name
}
