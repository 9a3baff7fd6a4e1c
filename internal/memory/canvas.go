package memory

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/hearsay-memory/hearsay"
)

// canvas is the folder while files are drawn. Nothing outside it is touched: every name
// goes through an [os.Root], and links are neither read nor written.
type canvas struct {
	root  *os.Root
	err   error
	kinds map[string]bool
	names map[string][]string // files by the end of their memory's id
}

func (v Vault) open(make bool) (*os.Root, error) {
	info, err := os.Lstat(v.Dir)
	switch {
	case err == nil && !info.IsDir():
		return nil, fmt.Errorf("%s is no folder: move it away", v.Dir)
	case errors.Is(err, fs.ErrNotExist) && make:
		err = os.MkdirAll(v.Dir, 0o700)
	}
	if err != nil {
		return nil, err
	}
	return os.OpenRoot(v.Dir)
}

func (c *canvas) open(v Vault) error {
	if c.root == nil && c.err == nil {
		c.root, c.err = v.open(true)
		c.kinds = make(map[string]bool)
	}
	return c.err
}

func (c *canvas) close() {
	if c.root != nil {
		c.root.Close()
	}
}

// put draws a memory's file, whole or not at all, and returns the digest of what was drawn.
// drawn is that of what was drawn before. A file that is neither was changed by somebody:
// it is kept.
func (c *canvas) put(v Vault, m *Memory, drawn []byte) ([]byte, error) {
	if err := c.open(v); err != nil {
		return nil, err
	}
	name, data := filepath.FromSlash(m.Name()), m.Render()
	sum := sumOf(data)
	switch have, err := c.read(name); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case bytes.Equal(have, sum):
		return sum, nil
	case !bytes.Equal(have, drawn):
		return nil, fmt.Errorf("%s was changed by somebody: it stays, and changes nothing that is recalled", name)
	}
	if dir := filepath.Dir(name); !c.kinds[dir] {
		if info, err := c.root.Lstat(dir); err == nil && !info.IsDir() {
			return nil, fmt.Errorf("%s is no folder: move it away", dir)
		}
		if err := c.root.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
		c.kinds[dir] = true
	}
	return sum, c.write(name, data)
}

// halfDrawn ends the name of a file that is being drawn.
const halfDrawn = ".new"

func (c *canvas) write(name string, data []byte) error {
	temp := name + halfDrawn
	create := func() (*os.File, error) { return c.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) }
	f, err := create()
	if errors.Is(err, fs.ErrExist) { // a run that died left it
		if err := c.root.Remove(temp); err != nil {
			return err
		}
		f, err = create()
	}
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = c.root.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(err, c.root.Remove(temp))
	}
	return nil
}

// maxFile bounds a file that is read: no picture is as long.
const maxFile = 4 << 20

// read returns the digest of a file. What is no plain file is in the way.
func (c *canvas) read(name string) ([]byte, error) {
	info, err := c.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no plain file: move it away", name)
	}
	if info.Size() > maxFile {
		return nil, nil
	}
	data, err := c.root.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return sumOf(data), nil
}

// drop removes a memory's file. One that was changed by somebody is kept, unless words in
// it were erased.
func (c *canvas) drop(v Vault, name string, drawn []byte, erased bool) error {
	if err := c.open(v); err != nil {
		return err
	}
	name = filepath.FromSlash(name)
	if erased { // a run that died may have left it
		if err := c.root.Remove(name + halfDrawn); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	have, err := c.read(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !erased && !bytes.Equal(have, drawn):
		return fmt.Errorf("%s was changed by somebody: it stays though its memory is gone", name)
	}
	return c.root.Remove(name)
}

// dropAny removes the files of a memory that no row of the index knows of.
func (c *canvas) dropAny(v Vault, m *Memory) error {
	if err := c.open(v); err != nil {
		return err
	}
	if c.names == nil {
		c.names = make(map[string][]string)
		files, err := listFiles(c.root)
		if err != nil {
			return err
		}
		for _, f := range files {
			f = strings.TrimSuffix(f, halfDrawn)
			end := strings.TrimSuffix(f, ".md")
			end = end[strings.LastIndexByte(end, '-')+1:]
			c.names[end] = append(c.names[end], f)
		}
	}
	var errs []error
	for _, name := range c.names[nameEnd(m.ID)] {
		errs = append(errs, c.drop(v, name, sumOf(m.Render()), m.Standing == hearsay.Erased))
	}
	return errors.Join(errs...)
}

// maxFiles bounds the files that are looked at.
const maxFiles = 1 << 20

// listFiles returns everything in the folder that is no folder, slash separated.
func listFiles(root *os.Root) (out []string, err error) {
	err = walkFiles(root, func(name string, _ fs.DirEntry) { out = append(out, name) })
	return out, err
}

// walkFiles calls f for everything in the folder that is no folder, slash separated.
func walkFiles(root *os.Root, f func(name string, d fs.DirEntry)) error {
	n := 0
	return fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return nil
		case n == maxFiles:
			return fmt.Errorf("the memory folder has more than %d files: is it the right one?", maxFiles)
		}
		n++
		f(path.Clean(name), d)
		return nil
	})
}
