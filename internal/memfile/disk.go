package memfile

import (
	"crypto/rand"
	"encoding/hex"
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

// maxPeek bounds what is read of a file for its imports, in bytes.
const maxPeek = 1 << 20

// Peek reads the beginning of a file, at most 1 MiB, as a host would: through links, and
// whatever other names it has. It waits for nobody. Nil: there is none. A folder is
// [ErrFolder].
func Peek(name string) ([]byte, error) {
	f, err := os.OpenFile(filepath.FromSlash(name), os.O_RDONLY|nonblock, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, ErrFolder
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: not a regular file (%s)", name, info.Mode().Type())
	}
	return io.ReadAll(io.LimitReader(f, maxPeek))
}

// folder opens the folder of a file. The name must be what it was resolved to: a folder
// that is a link by now leads somewhere else than what was decided.
func folder(name string) (*os.Root, string, error) {
	dir, base := filepath.Split(filepath.FromSlash(name))
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, "", err
	}
	if filepath.Clean(dir) != real {
		return nil, "", fmt.Errorf("%s: a folder of it is a link now, to %s", name, real)
	}
	root, err := os.OpenRoot(real)
	return root, base, err
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
	data, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err != nil {
		return nil, 0, err
	}
	if len(data) > MaxFile {
		return nil, 0, fmt.Errorf("the file has more than %d bytes", MaxFile)
	}
	if data == nil {
		data = []byte{}
	}
	return data, opened.Mode().Perm(), nil
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

// Write makes the image of one file true: atomically, with the mode that the file has,
// and only if it still is what the image says it was. Nothing else writes in between
// but by a race that ends with the person's save or ours, whole.
func Write(im Image) error {
	if im.Before == nil && im.After != nil {
		if err := os.MkdirAll(filepath.Dir(filepath.FromSlash(im.Path)), 0o755); err != nil {
			return err
		}
	}
	root, base, err := folder(im.Path)
	if err != nil {
		return err
	}
	defer root.Close()
	now, mode, err := readIn(root, base)
	if errors.Is(err, fs.ErrNotExist) {
		now, mode, err = nil, 0o644, nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", im.Path, err)
	}
	if Sum(now) != Sum(im.Before) {
		return &Conflict{im.Path, "the file changed while it was being written"}
	}
	if im.After == nil {
		if now == nil {
			return nil
		}
		return root.Remove(base)
	}
	return replace(root, base, mode, im.After)
}

// replace writes beside the file and renames over it.
func replace(root *os.Root, base string, mode fs.FileMode, data []byte) (err error) {
	var suffix [8]byte
	if _, err := rand.Read(suffix[:]); err != nil {
		return err
	}
	temp := "." + base + ".hearsay-" + hex.EncodeToString(suffix[:])
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = root.Remove(temp)
		}
	}()
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return root.Rename(temp, base)
}
