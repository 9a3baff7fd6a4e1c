package git

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Bounds of what is read of one repository.
const (
	maxUp      = 64        // folders on the way to the top
	maxPointer = 4 << 10   // bytes of a file that holds a path or a name
	maxIndex   = 64 << 20  // bytes
	maxEntries = 1 << 20   // of the index
	maxLog     = 256 << 10 // bytes at the end of a log
	maxPacked  = 8 << 20   // bytes of packed-refs
	maxPacks   = 128       // packs that are looked into
	maxRefs    = 4096      // files of references of elsewhere
)

// repo is one repository.
type repo struct {
	work   string // where its files lie
	dir    string // of this work tree
	common string // of all work trees

	logged  *reflog
	entries map[string]entry
	packed  []byte // packed-refs
	packs   []string
	wide    bool // names are SHA-256
	top     string
	known   bool // top and wide are
}

// repo finds the repository that a folder lies in; nil where there is none.
func (r *Reader) repo(dir string) *repo {
	if r.repos == nil {
		r.repos = make(map[string]*repo)
	}
	if p, ok := r.repos[dir]; ok {
		return p
	}
	at, found := dir, (*repo)(nil)
	for range maxUp {
		if p := open(at); p != nil {
			found = p
			break
		}
		up := filepath.Dir(at)
		if up == at {
			break
		}
		at = up
		if p, ok := r.repos[at]; ok {
			found = p
			break
		}
	}
	if found != nil {
		if p := r.repos[found.work]; p != nil {
			found = p
		}
		r.repos[found.work] = found
	}
	r.repos[dir] = found
	return found
}

// open opens the repository whose work tree is a folder.
func open(work string) *repo {
	dir := filepath.Join(work, ".git")
	info, err := os.Lstat(dir)
	if err != nil {
		return nil
	}
	if !info.IsDir() {
		// Of a linked work tree, or of a submodule.
		target, ok := bytes.CutPrefix(read(dir, maxPointer), []byte("gitdir: "))
		if !ok {
			return nil
		}
		dir = below(work, string(target))
	}
	common := dir
	if to := read(filepath.Join(dir, "commondir"), maxPointer); to != nil {
		common = below(dir, string(to))
	}
	if read(filepath.Join(dir, "HEAD"), maxPointer) == nil {
		return nil
	}
	return &repo{work: work, dir: dir, common: common}
}

// below reads a path in a file, which may be relative to a folder.
func below(dir, name string) string {
	name = filepath.FromSlash(strings.TrimRight(name, "\r\n"))
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	return filepath.Clean(name)
}

var errShape = errors.New("not a regular file")

// regular opens a regular file. It follows no link at its end and waits for nobody.
func regular(name string) (*os.File, int64, error) {
	before, err := os.Lstat(name)
	if err != nil {
		return nil, 0, err
	}
	if !before.Mode().IsRegular() {
		return nil, 0, errShape
	}
	f, err := os.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil && !os.SameFile(before, info) {
		err = errShape
	}
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, info.Size(), nil
}

// read returns a file's bytes; nil where it cannot be read or has more than most.
func read(name string, most int64) []byte {
	f, size, err := regular(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	if size > most {
		return nil
	}
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil || int64(len(data)) > most {
		return nil
	}
	return data
}

// tail returns the last bytes of a file, at most that many; whole says that it is all.
func tail(name string, most int64) (data []byte, whole bool) {
	f, size, err := regular(name)
	if err != nil {
		return nil, true
	}
	defer f.Close()
	at := max(0, size-most)
	data, err = io.ReadAll(io.NewSectionReader(f, at, most))
	if err != nil {
		return nil, true
	}
	return data, at == 0
}
