package memfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// MaxFile bounds a guarded file, in bytes.
const MaxFile = 16 << 20

// Read reads a guarded file: a regular one with one name, opened from its folder
// without following a link and without waiting for anybody. Nil: there is none.
func Read(name string) ([]byte, error) {
	root, base, err := folder(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer root.Close()
	data, _, err := readIn(root, base)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return data, nil
}

// folder opens the folder of a file. The name must be what it was resolved to: a folder
// that is a link by now leads somewhere else than what was decided.
func folder(name string) (*os.Root, string, error) {
	dir, base := filepath.Split(filepath.FromSlash(name))
	root, err := openRoot(filepath.Clean(dir))
	return root, base, err
}

// openRoot opens a folder by its real path, and looks at it again once it is open.
func openRoot(dir string) (*os.Root, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	if dir != real {
		return nil, fmt.Errorf("%s: a folder of it is a link now, to %s", dir, real)
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return nil, err
	}
	if err := stays(root, dir); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return root, nil
}

// stays returns an error where the folder of that path is not the open one any more.
func stays(root *os.Root, dir string) error {
	opened, err := root.Stat(".")
	if err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	there, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if real != dir || !os.SameFile(opened, there) {
		return fmt.Errorf("%s: another folder took its place", dir)
	}
	return nil
}

// makeFolder makes the folder of a file, below the nearest one that is there.
func makeFolder(dir string) error {
	at, rest := dir, ""
	for {
		if _, err := os.Lstat(at); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		rest = filepath.Join(filepath.Base(at), rest)
		up := filepath.Dir(at)
		if up == at {
			break
		}
		at = up
	}
	if rest == "" {
		return nil
	}
	root, err := openRoot(at)
	if err != nil {
		return err
	}
	mode, err := newMode(root)
	if err == nil {
		err = root.MkdirAll(rest, mode|mode>>2&0o111)
	}
	return errors.Join(err, root.Close())
}

// newMode is the mode of a new file: it is as private as its folder.
func newMode(root *os.Root) (fs.FileMode, error) {
	info, err := root.Stat(".")
	if err != nil {
		return 0, err
	}
	return info.Mode().Perm()&0o044 | 0o600, nil
}

// readIn reads one file of a folder.
func readIn(root *os.Root, base string) ([]byte, fs.FileMode, error) {
	info, err := root.Lstat(base)
	if err != nil {
		return nil, 0, err
	}
	if err := plain(info); err != nil {
		return nil, 0, err
	}
	f, err := root.OpenFile(base, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	opened, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	if !os.SameFile(info, opened) {
		return nil, 0, errors.New("the file was exchanged while it was opened")
	}
	if n := opened.Size(); n > MaxFile {
		return nil, 0, fmt.Errorf("the file has %d bytes, and at most %d are guarded", n, MaxFile)
	}
	// It has its size at once: to grow with what comes would copy a large file several times.
	data := bytes.NewBuffer(make([]byte, 0, opened.Size()+bytes.MinRead))
	if _, err := data.ReadFrom(io.LimitReader(f, MaxFile+1)); err != nil {
		return nil, 0, err
	}
	if data.Len() > MaxFile {
		return nil, 0, fmt.Errorf("the file grew while it was read, and at most %d bytes are guarded", MaxFile)
	}
	return data.Bytes(), opened.Mode().Perm(), nil
}

// plain refuses what is no ordinary file with one name: a hard link is a second door
// that nobody guards.
func plain(info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return fmt.Errorf("not a regular file (%s)", info.Mode().Type())
	}
	if n := Links(info); n > 1 {
		return fmt.Errorf("the file has %d names (hard links)", n)
	}
	return nil
}
