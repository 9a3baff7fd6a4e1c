package install

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"time"
)

// ErrChanged is the error of a file that is no longer what was read.
var ErrChanged = errors.New("the file was changed since it was read; run the command again")

const (
	newFileMode fs.FileMode = 0o600
	newDirMode  fs.FileMode = 0o700
	maxBackups              = 100 // of one file within one second
)

// Read reads a settings file for Install, Remove and State: a regular file, up to one
// byte more than MaxFile. Symbolic links are followed; Apply judges where they lead.
func Read(path string) ([]byte, error) {
	// A FIFO in the place of a file must not make us wait.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("it is not a regular file")}
	}
	return io.ReadAll(io.LimitReader(f, MaxFile+1))
}

// Absent returns the hooks whose program is not there or cannot be run: on most hosts
// such a hook lets everything pass.
func Absent(hooks []Hook) []Hook {
	var out []Hook
	for _, h := range hooks {
		info, err := os.Stat(h.Program)
		if err != nil || !filepath.IsAbs(h.Program) || !info.Mode().IsRegular() || runtime.GOOS != "windows" && info.Mode()&0o111 == 0 {
			out = append(out, h)
		}
	}
	return out
}

// Apply writes changes. A file that exists is first copied beside itself as
// NAME.hearsay-backup-YYYYMMDD-HHMMSS, with its mode and owner, and then replaced in one
// step; where the name is a symbolic link, what it leads to is replaced. On an error, what
// was done is undone, the copies included; what could not be undone is told with its
// copy. A crash leaves each file either old or new and its copy beside it; installing
// again does the rest. Between the last look at a file and its replacement a moment
// remains in which another program's write would be lost from the file.
func Apply(changes []Change, now time.Time) (backups []string, err error) {
	return (&applier{now: now}).apply(changes)
}

type applier struct {
	now   time.Time
	fault func(op, path string) error // of tests: what goes wrong before a step
}

// target is the real file of a change.
type target struct {
	Change
	path   string
	info   fs.FileInfo // nil: it does not exist
	dirs   []string    // made for it, outermost first
	backup string
	temp   string // holds After until it takes the file's place
	done   bool
}

func (a *applier) at(op, path string) error {
	if a.fault == nil {
		return nil
	}
	return a.fault(op, path)
}

func (a *applier) apply(changes []Change) ([]string, error) {
	var targets []*target
	for _, c := range changes {
		if !c.Changed() {
			continue
		}
		t, err := resolve(c)
		if err == nil {
			err = t.unchanged()
		}
		if err != nil {
			return nil, fmt.Errorf("install: cannot change %s: %w", c.File, err)
		}
		targets = append(targets, t)
	}
	for _, step := range []func(*target) error{a.prepare, a.commit} {
		for _, t := range targets {
			if err := step(t); err != nil {
				err = fmt.Errorf("install: cannot change %s: %w", t.File, err)
				return nil, errors.Join(append([]error{err}, a.undo(targets)...)...)
			}
		}
	}
	var backups []string
	for _, t := range targets {
		if t.backup != "" {
			backups = append(backups, t.backup)
		}
	}
	return backups, nil
}

// resolve finds the real file of a change.
func resolve(c Change) (*target, error) {
	if !filepath.IsAbs(c.File) {
		return nil, errors.New("its path is not absolute")
	}
	real, missing := c.File, ""
	for {
		path, err := filepath.EvalSymlinks(real)
		if err == nil {
			real = filepath.Join(path, missing)
			break
		}
		if _, linkErr := os.Lstat(real); !errors.Is(err, fs.ErrNotExist) || linkErr == nil || filepath.Dir(real) == real {
			return nil, fmt.Errorf("a symbolic link leads nowhere: %w", err)
		}
		real, missing = filepath.Dir(real), filepath.Join(filepath.Base(real), missing)
	}
	if c.Within != "" {
		root, err := filepath.EvalSymlinks(c.Within)
		if err != nil {
			return nil, err
		}
		if rel, err := filepath.Rel(root, real); err != nil || !filepath.IsLocal(rel) {
			return nil, fmt.Errorf("a symbolic link leads out of %s, to %s; edit that file in its own scope", c.Within, real)
		}
	}
	return &target{Change: c, path: real}, nil
}

// unchanged looks whether the file still is what was read.
func (t *target) unchanged() error {
	info, err := os.Lstat(t.path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !t.Exists:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return ErrChanged
	case err != nil:
		return err
	case !t.Exists || !info.Mode().IsRegular():
		return ErrChanged
	}
	data, err := Read(t.path)
	if err != nil {
		return err
	}
	if !bytes.Equal(data, t.Before) {
		return ErrChanged
	}
	t.info = info
	return nil
}

// prepare does all that can fail for lack of rights or room: directories, the copy, the
// new bytes on disk.
func (a *applier) prepare(t *target) error {
	if err := a.at("prepare", t.File); err != nil {
		return err
	}
	for dir := filepath.Dir(t.path); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); err == nil || filepath.Dir(dir) == dir {
			break
		}
		t.dirs = append(t.dirs, dir)
	}
	slices.Reverse(t.dirs)
	for i, dir := range t.dirs {
		if err := os.Mkdir(dir, newDirMode); err != nil {
			t.dirs = t.dirs[:i]
			return err
		}
	}
	if t.Exists {
		if err := a.copy(t); err != nil {
			return err
		}
	}
	if t.After == nil {
		return nil
	}
	var err error
	t.temp, err = writeTemp(t.path, t.After, t.info)
	return err
}

// copy keeps the old bytes under a name that is free.
func (a *applier) copy(t *target) error {
	name := t.path + ".hearsay-backup-" + a.now.Format("20060102-150405")
	for i := range maxBackups {
		path := name
		if i > 0 {
			path = fmt.Sprintf("%s-%d", name, i+1)
		}
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, newFileMode)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return err
		}
		t.backup = path
		return finish(f, t.Before, t.info)
	}
	return fmt.Errorf("%s and the next %d names are taken", name, maxBackups-1)
}

// commit puts the new file in the place of the old one.
func (a *applier) commit(t *target) error {
	if err := a.at("commit", t.File); err != nil {
		return err
	}
	if err := t.unchanged(); err != nil {
		return err
	}
	switch {
	case t.After == nil:
		if err := os.Remove(t.path); err != nil {
			return err
		}
	case t.Exists:
		if err := os.Rename(t.temp, t.path); err != nil {
			return err
		}
		t.temp = ""
	default:
		// A link fails where somebody made the file by now; a rename would replace it.
		if err := os.Link(t.temp, t.path); err != nil {
			if errors.Is(err, fs.ErrExist) {
				return ErrChanged
			}
			if err := os.Rename(t.temp, t.path); err != nil {
				return err
			}
			t.temp = ""
		}
	}
	t.done = true
	if t.temp != "" {
		os.Remove(t.temp)
		t.temp = ""
	}
	return syncDir(filepath.Dir(t.path))
}

// undo puts back what was done, last first. It returns what it could not.
func (a *applier) undo(targets []*target) (errs []error) {
	for _, t := range slices.Backward(targets) {
		if t.temp != "" {
			os.Remove(t.temp)
		}
		if t.done {
			if err := a.putBack(t); err != nil {
				if t.backup != "" {
					err = fmt.Errorf("%w; what it was is in %s", err, t.backup)
				}
				errs = append(errs, fmt.Errorf("install: cannot put back %s: %w", t.File, err))
				continue
			}
		}
		if t.backup != "" {
			os.Remove(t.backup)
		}
		for _, dir := range slices.Backward(t.dirs) {
			os.Remove(dir)
		}
	}
	return errs
}

func (a *applier) putBack(t *target) error {
	if err := a.at("undo", t.File); err != nil {
		return err
	}
	if now, err := Read(t.path); t.After != nil && (err != nil || !bytes.Equal(now, t.After)) {
		return ErrChanged
	}
	if !t.Exists {
		return os.Remove(t.path)
	}
	temp, err := writeTemp(t.path, t.Before, t.info)
	if err != nil {
		return err
	}
	if err := os.Rename(temp, t.path); err != nil {
		os.Remove(temp)
		return err
	}
	return syncDir(filepath.Dir(t.path))
}

// writeTemp leaves data, synced, in a new file beside path.
func writeTemp(path string, data []byte, like fs.FileInfo) (string, error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".hearsay-*.tmp")
	if err != nil {
		return "", err
	}
	if err := finish(f, data, like); err != nil {
		os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

// finish writes a new file of mode 0600, gives it the mode and owner of another, if
// there is one, and syncs and closes it.
func finish(f *os.File, data []byte, like fs.FileInfo) error {
	_, err := f.Write(data)
	if err == nil && like != nil {
		// The owner first: a change of owner takes bits off the mode.
		if err = keepOwner(f, like); err == nil {
			err = f.Chmod(like.Mode().Perm())
		}
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
