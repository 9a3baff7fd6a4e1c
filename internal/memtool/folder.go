package memtool

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hearsay-memory/hearsay/internal/memfile"
)

// Bounds of the folder.
const (
	maxFiles   = 1000
	maxBytes   = 64 << 20
	maxEntries = 4096 // names of one folder that are read
)

// Folder is where the files of a principal lie in a home. Two principals never share one:
// what is no plain lower-case name stands as its digest.
func Folder(home, principal string) string {
	plain := principal != "" && len(principal) <= 64 && strings.Trim(principal, "abcdefghijklmnopqrstuvwxyz0123456789_-") == "" && !strings.HasPrefix(principal, "x-")
	if _, odd := memfile.Plain(principal); !plain || odd != "" {
		sum := sha256.Sum256([]byte(principal))
		principal = "x-" + hex.EncodeToString(sum[:16])
	}
	return filepath.Join(home, "memory", principal, "tool")
}

// Prepare makes the folder of a [Handler], private to its owner, and returns its real
// path.
func Prepare(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return "", fmt.Errorf("make the folder of the memory tool: %w", err)
	}
	return dir, nil
}

// folder is the open folder.
type folder struct {
	dir  string
	root *os.Root
}

// openFolder opens the folder by its real path: a link that took its place leads to
// somebody else's files.
func openFolder(dir string) (*folder, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	if real != dir {
		return nil, fmt.Errorf("%s: a link leads from it, to %s", dir, real)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &folder{dir, root}, nil
}

func (f *folder) close() error { return f.root.Close() }

// file is the name by which a file is guarded.
func (f *folder) file(n name) string {
	return filepath.ToSlash(filepath.Join(f.dir, filepath.FromSlash(n.below())))
}

// names lists what is in a folder, sorted.
func (f *folder) names(n name) ([]string, error) {
	dir, err := f.root.Open(localName(n))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(maxEntries)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(names) == maxEntries {
		return nil, faultf("The folder has more than %d entries: the user has to make room", maxEntries-1)
	}
	slices.Sort(names)
	return names, nil
}

// localName is a name as the open folder takes it.
func localName(n name) string {
	if len(n) == 0 {
		return "."
	}
	return filepath.FromSlash(n.below())
}

// find looks for a name, part by part: none of them is a link, and each is spelt as it
// is on disk. It returns how many of its parts are there, and what the last of these is.
// A part that is there under another spelling is a fault: on some system both are one.
func (f *folder) find(n name) (there int, info fs.FileInfo, err error) {
	if info, err = f.root.Lstat("."); err != nil {
		return 0, nil, err
	}
	for i, part := range n {
		if !info.IsDir() {
			return i, info, faultf("A part of the path %s is a file and not a folder", n)
		}
		names, err := f.names(n[:i])
		if err != nil {
			return i, info, err
		}
		if _, found := slices.BinarySearch(names, part); !found {
			folded := memfile.Fold(part)
			if slices.ContainsFunc(names, func(other string) bool { return memfile.Fold(other) == folded }) {
				return i, info, faultf("There is something of nearly that name, spelt otherwise: view %s and use the name that is there", n[:i])
			}
			return i, info, nil
		}
		if info, err = f.root.Lstat(localName(n[:i+1])); err != nil {
			return i, info, err
		}
		if err := ordinary(info); err != nil {
			return i, info, err
		}
	}
	return len(n), info, nil
}

// ordinary returns a fault for what is neither a folder nor a file with one name.
func ordinary(info fs.FileInfo) error {
	if info.IsDir() || info.Mode().IsRegular() && memfile.Links(info) <= 1 {
		return nil
	}
	return faultf("Refused: something on that path is a link or no ordinary file, and leads elsewhere. Use another name, and tell the user")
}

// entry is a file or folder below one that was walked.
type entry struct {
	name name
	info fs.FileInfo
	size int64 // of a folder: of all files in it
}

// walk lists the files and folders below a folder that bear names of this package, in
// the order of their names, parents first. odd counts what is left out: hidden files,
// links, devices, and names that no command takes.
func (f *folder) walk(n name) (entries []entry, odd int, err error) {
	names, err := f.names(n)
	if err != nil {
		return nil, 0, err
	}
	// By its own folder each entry is one step away, and not as many as it is deep.
	here, err := f.root.OpenRoot(localName(n))
	if err != nil {
		return nil, 0, err
	}
	defer here.Close()
	for _, part := range names {
		sub := append(slices.Clip(n), part)
		info, err := here.Lstat(part)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it went meanwhile
		}
		if err != nil {
			return nil, 0, err
		}
		if oddPart(part) != "" || ordinary(info) != nil || info.IsDir() && len(sub) >= maxDepth {
			odd++
			continue
		}
		e := entry{name: sub, info: info, size: info.Size()}
		if !info.IsDir() {
			entries = append(entries, e)
			continue
		}
		inner, left, err := f.walk(sub)
		if err != nil {
			return nil, 0, err
		}
		e.size = 0
		for _, i := range inner {
			if !i.info.IsDir() {
				e.size += i.size
			}
		}
		odd += left
		entries = append(append(entries, e), inner...)
		if len(entries) > maxEntries {
			return nil, 0, faultf("There are more than %d files and folders: the user has to make room", maxEntries)
		}
	}
	return entries, odd, nil
}

// room returns a fault where files that many and bytes that many more than there are
// would be too many.
func (f *folder) room(files int, bytes int64) error {
	entries, _, err := f.walk(nil)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.info.IsDir() {
			files++
			bytes += e.size
		}
	}
	switch {
	case files > maxFiles:
		return faultf("Not saved: there would be more than %d files. Delete or merge some first", maxFiles)
	case bytes > maxBytes:
		return faultf("Not saved: the files would have more than %d bytes. Delete some first", maxBytes)
	}
	return nil
}
