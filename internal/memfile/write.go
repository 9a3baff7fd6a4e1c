package memfile

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// tempMark stands in the names of files that are written beside a guarded one, between
// the file's name and 16 hexadecimal digits.
const tempMark = ".hearsay-"

// Write makes the image of one file true: atomically, with the mode that the file has,
// and only if it still is what the image says it was. Programs that use Write take turns. Where the system can, the new file
// and the old one change places and the old one is looked at then: what somebody saved
// in the last moment is put back, and the image is a [Conflict].
func Write(im Image) error { return write(im, func(string) {}) }

// write calls at when it has reached one of [steps].
func write(im Image, at func(step string)) (err error) {
	name := filepath.FromSlash(im.Path)
	if im.Before == nil && im.After != nil {
		if err := makeFolder(filepath.Dir(name)); err != nil {
			return err
		}
	}
	root, base, err := folder(im.Path)
	if errors.Is(err, fs.ErrNotExist) && im.Before != nil {
		return &Conflict{im.Path, "the file is gone"}
	}
	if err != nil {
		return err
	}
	defer root.Close()
	defer lock(root)()
	now, mode, err := readIn(root, base)
	if errors.Is(err, fs.ErrNotExist) {
		now = nil
		mode, err = newMode(root)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", im.Path, err)
	}
	if !same(now, im.Before) {
		return changed(im)
	}
	if len(im.After) > MaxFile {
		return &Conflict{im.Path, fmt.Sprintf("the file would have more than %d bytes", MaxFile)}
	}
	p := place{root: root, base: base, im: im, at: at}
	switch {
	case im.After == nil && now == nil:
		return nil
	case im.After == nil:
		err = p.remove()
	default:
		err = p.replace(im.Was.mode(mode))
	}
	if err != nil {
		return err
	}
	return stays(root, filepath.Dir(name))
}

// steps are what [write] has reached: the new bytes are on disk beside the file; they are
// in its place, and what was there is beside it; the latter is gone.
var steps = [...]string{"written", "placed", "cleared"}

func changed(im Image) error {
	return &Conflict{im.Path, "the file changed while it was being written"}
}

// same reports whether two states of a file are one: an empty file is none that is gone.
func same(a, b []byte) bool { return Sum(a) == Sum(b) }

// place is the place of one file in its open folder.
type place struct {
	root *os.Root
	base string
	im   Image
	at   func(step string)
}

// temp returns a new name beside the file.
func (p place) temp() (string, error) {
	var suffix [8]byte
	if _, err := rand.Read(suffix[:]); err != nil {
		return "", err
	}
	return "." + p.base + tempMark + hex.EncodeToString(suffix[:]), nil
}

// replace writes beside the file and exchanges both.
func (p place) replace(mode fs.FileMode) error {
	temp, err := p.temp()
	if err != nil {
		return err
	}
	if err := p.store(temp, mode); err != nil {
		return errors.Join(err, p.drop(temp))
	}
	p.at("written")
	if err := stays(p.root, filepath.Dir(filepath.FromSlash(p.im.Path))); err != nil {
		return errors.Join(err, p.drop(temp))
	}
	exchange := p.im.Before != nil
	ok, err := rename(p.root, temp, p.base, exchange)
	switch {
	case !ok && err == nil:
		return p.over(temp)
	case errors.Is(err, fs.ErrExist), errors.Is(err, fs.ErrNotExist):
		return errors.Join(changed(p.im), p.drop(temp))
	case err != nil:
		return errors.Join(err, p.drop(temp))
	}
	p.at("placed")
	if exchange {
		if err := p.settle(temp); err != nil {
			return err
		}
	}
	p.at("cleared")
	return nil
}

// settle drops what was in the file's place, if that is what the image was made for;
// else it puts it back.
func (p place) settle(temp string) error {
	old, _, err := readIn(p.root, temp)
	if err == nil && same(old, p.im.Before) {
		return p.drop(temp)
	}
	if _, err := rename(p.root, temp, p.base, true); err != nil {
		return p.kept(temp, err)
	}
	ours, _, err := readIn(p.root, temp)
	if err != nil || !same(ours, p.im.After) {
		// Somebody saved again in that moment: the last save wins, as it would have without us.
		_, err = rename(p.root, temp, p.base, true)
		return p.kept(temp, err)
	}
	return errors.Join(changed(p.im), p.drop(temp))
}

// over renames the new file over the old one, where both cannot be exchanged.
func (p place) over(temp string) error {
	now, _, err := readIn(p.root, p.base)
	if errors.Is(err, fs.ErrNotExist) {
		now, err = nil, nil
	}
	if err == nil && !same(now, p.im.Before) {
		err = changed(p.im)
	}
	if err == nil {
		err = p.root.Rename(temp, p.base)
	}
	if err != nil {
		return errors.Join(err, p.drop(temp))
	}
	p.at("placed")
	p.at("cleared")
	return nil
}

// remove takes the file away, and looks at it once it is.
func (p place) remove() error {
	temp, err := p.temp()
	if err != nil {
		return err
	}
	if err := p.root.Rename(p.base, temp); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return changed(p.im)
		}
		return err
	}
	p.at("placed")
	old, _, err := readIn(p.root, temp)
	if err == nil && same(old, p.im.Before) {
		err = p.drop(temp)
		p.at("cleared")
		return err
	}
	ok, err := rename(p.root, temp, p.base, false)
	if !ok && err == nil {
		if _, err = p.root.Lstat(p.base); errors.Is(err, fs.ErrNotExist) {
			err = p.root.Rename(temp, p.base)
		} else if err == nil {
			err = fs.ErrExist
		}
	}
	if err != nil {
		return p.kept(temp, err)
	}
	return changed(p.im)
}

// kept says where bytes are that found no place.
func (p place) kept(temp string, err error) error {
	reason := "the file was saved twice while it was being written: one of the versions is kept as " + temp
	return errors.Join(&Conflict{p.im.Path, reason}, err)
}

// store writes the new bytes under a new name.
func (p place) store(temp string, mode fs.FileMode) error {
	f, err := p.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(p.im.After)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		p.im.Was.stamp(p.root, temp)
	}
	return err
}

func (p place) drop(temp string) error {
	if err := p.root.Remove(temp); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// drop removes a file that was left beside a guarded one.
func drop(name string) error {
	root, base, err := folder(name)
	if err != nil {
		return err
	}
	return errors.Join(place{root: root}.drop(base), root.Close())
}

// leftovers lists what a write that was cut short left beside a file, by name.
func leftovers(name string) ([]string, error) {
	root, base, err := folder(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer root.Close()
	dir, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, n := range names {
		hex, ok := strings.CutPrefix(n, "."+base+tempMark)
		if ok && len(hex) == 16 && strings.Trim(hex, "0123456789abcdef") == "" {
			out = append(out, filepath.ToSlash(filepath.Join(filepath.Dir(filepath.FromSlash(name)), n)))
		}
	}
	return out, nil
}
