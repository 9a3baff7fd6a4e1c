package home

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// EnvHome names the environment variable that [Resolve] reads.
const EnvHome = "HEARSAY_HOME"

// IndexKeySize is the length of the index key, in bytes.
const IndexKeySize = 32

var (
	// ErrUnsafe is returned when others than the owner could change the home or read its keys.
	ErrUnsafe = errors.New("home is not private")
	// ErrLocked is returned when a lock was not to be had before the deadline.
	ErrLocked = errors.New("locked by another process")
)

// Resolve says which directory is the home: the value of --home, else $HEARSAY_HOME, else ~/.hearsay. The result is
// absolute and clean; nothing is looked up on disk. A relative $HEARSAY_HOME is refused, because what it means would
// depend on the directory that an agent works in. Hooks and proxies pass the flag of their installed command line and
// a getenv that always returns "".
func Resolve(flag string, getenv func(string) string, userHome string) (string, error) {
	if flag != "" {
		dir, err := filepath.Abs(flag)
		if err != nil {
			return "", fmt.Errorf("home: cannot make --home %q absolute: %w; give an absolute path", flag, err)
		}
		return dir, nil
	}
	if env := getenv(EnvHome); env != "" {
		if !filepath.IsAbs(env) {
			return "", fmt.Errorf("home: $%s is %q, which is relative and would change with the working directory; set it to an absolute path", EnvHome, env)
		}
		return filepath.Clean(env), nil
	}
	if !filepath.IsAbs(userHome) {
		return "", fmt.Errorf("home: this user has no home directory (%q); give --home or set $%s", userHome, EnvHome)
	}
	return filepath.Join(userHome, ".hearsay"), nil
}

// Home is an open home directory. Its methods may be called from several goroutines, and from several processes that
// opened the same directory. Get one from [Open] or [Create].
type Home struct {
	dir string // absolute, symbolic links resolved when opened

	mu    sync.Mutex
	locks map[string]*lockFile // by path relative to dir
}

// Open opens an existing home. It refuses, with [ErrUnsafe] and the command that repairs it, a directory that group
// or others can write, one that belongs to somebody else, and keys that others can read. Symbolic links in dir are
// resolved once, here, so that a link exchanged later does not move an open home. A missing home gives fs.ErrNotExist.
func Open(dir string) (*Home, error) {
	resolved, err := filepath.EvalSymlinks(dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("home: %s does not exist: %w; run `hearsay init`", dir, fs.ErrNotExist)
		}
		return nil, fmt.Errorf("home: cannot open %s: %w", dir, err)
	}
	if resolved, err = filepath.Abs(resolved); err != nil {
		return nil, fmt.Errorf("home: cannot open %s: %w", dir, err)
	}
	info, err := os.Stat(resolved)
	if err != nil {
		return nil, fmt.Errorf("home: cannot open %s: %w", dir, err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("home: %s is a file, not a directory; give another --home", resolved)
	}
	h := &Home{dir: resolved, locks: make(map[string]*lockFile)}
	if found := h.grave(); len(found) > 0 {
		f := found[0]
		return nil, fmt.Errorf("home: %s is %s, wanted %s: %w; run: %s", f.Path, f.Found, f.Wanted, ErrUnsafe, f.Fix)
	}
	return h, nil
}

// Create makes a home, or finishes one that an interrupted Create left: the directories and the index key. Keys that
// exist are kept. It refuses, with fs.ErrExist, a home that already has a configuration, and it refuses a directory
// with anything in it that is not Hearsay's. The caller writes the ledger key and, last, the configuration.
func Create(dir string) (*Home, error) {
	if err := os.MkdirAll(dir, DirMode); err != nil {
		return nil, fmt.Errorf("home: cannot make %s: %w; give another --home", dir, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("home: cannot read %s: %w", dir, err)
	}
	for _, e := range entries {
		switch {
		case e.Name() == FileConfig:
			return nil, fmt.Errorf("home: %s is already a home: %w; use it, or give another --home", dir, fs.ErrExist)
		case !known(e.Name()):
			return nil, fmt.Errorf("home: %s holds %q, which is not Hearsay's; give --home an empty or new directory", dir, e.Name())
		}
	}
	if len(entries) == 0 {
		// MkdirAll leaves the mode of a directory that was there; an empty one holds nothing that could suffer.
		if err := os.Chmod(dir, DirMode); err != nil {
			return nil, fmt.Errorf("home: cannot make %s private: %w", dir, err)
		}
	}
	h, err := Open(dir)
	if err != nil {
		return nil, err
	}
	for _, sub := range []string{DirSigned, DirReviewers, DirLocks} {
		if err := os.Mkdir(h.Path(sub), DirMode); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("home: cannot make %s: %w", h.Path(sub), err)
		}
	}
	key := make([]byte, IndexKeySize)
	if _, err := rand.Read(key); err != nil {
		return nil, fmt.Errorf("home: no randomness for %s: %w", FileIndexKey, err)
	}
	if err := h.WriteNew(FileIndexKey, key); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return h, nil
}

// Dir returns the home's absolute path.
func (h *Home) Dir() string { return h.dir }

// Path returns the absolute path of one of the names above, for libraries that open files themselves. It does not
// check the name: never build one from text that came from outside.
func (h *Home) Path(name string) string { return filepath.Join(h.dir, filepath.FromSlash(name)) }

// IndexKey returns the store-keyed HMAC key, [IndexKeySize] bytes.
func (h *Home) IndexKey() ([]byte, error) {
	key, err := h.ReadFile(FileIndexKey)
	if err != nil {
		return nil, err
	}
	if len(key) != IndexKeySize {
		return nil, fmt.Errorf("home: %s has %d bytes, wanted %d; restore it from a backup: a new key would let erased text in again", h.Path(FileIndexKey), len(key), IndexKeySize)
	}
	return key, nil
}

// Inside reports whether the home and a workspace overlap, in either direction, so that an agent which may write the
// workspace may write the home. Directories are compared by identity, so links and letter case do not hide an
// overlap. A workspace that cannot be examined counts as overlapping; one that does not exist is compared by name.
func (h *Home) Inside(workspaceDir string) bool {
	ws, err := filepath.Abs(workspaceDir)
	if err != nil {
		return true
	}
	if resolved, err := filepath.EvalSymlinks(ws); err == nil {
		ws = resolved
	} else if !errors.Is(err, fs.ErrNotExist) {
		return true
	}
	if within(h.dir, ws) || within(ws, h.dir) {
		return true
	}
	return above(h.dir, ws) || above(ws, h.dir)
}

// within reports whether path equals root or lies below it, by name.
func within(path, root string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && (rel == "." || filepath.IsLocal(rel))
}

// above reports whether dir, or a directory above it, is the same directory as root, whatever either is called.
func above(dir, root string) bool {
	want, err := os.Stat(root)
	if err != nil {
		return false
	}
	for {
		if info, err := os.Stat(dir); err == nil && os.SameFile(info, want) {
			return true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return false
		}
		dir = up
	}
}

// fileName turns a name that a caller gave into a path, or refuses it: names come partly from people (reviewers).
func (h *Home) fileName(name string) (string, error) {
	if !filepath.IsLocal(filepath.FromSlash(name)) || strings.ContainsAny(name, "\\:\x00") || name == "." {
		return "", fmt.Errorf("home: %q is not a file name inside the home", name)
	}
	return h.Path(name), nil
}
