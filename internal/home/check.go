package home

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Finding is one thing about the home that should be otherwise.
type Finding struct {
	Path   string // absolute
	Found  string // what is there: "mode 0644", "a symbolic link", "owner uid 0"
	Wanted string // what should be there
	Fix    string // a command line that repairs it, arguments quoted for a POSIX shell

	grave bool // Open refuses: others could change the home or read a key
}

// Check walks the home and lists wrong modes, wrong owners, symbolic links and things that are neither file nor
// directory. An empty list means that nothing is wrong; on Windows modes and owners are not examined.
func (h *Home) Check() ([]Finding, error) {
	var all []Finding
	err := filepath.WalkDir(h.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if path != h.dir && errors.Is(err, fs.ErrNotExist) {
				return nil // a temporary or write-ahead file that went away while we walked
			}
			return err
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		want := FileMode
		if d.IsDir() {
			want = DirMode
		}
		all = append(all, examine(path, info, want)...)
		return nil
	})
	if err != nil {
		return all, fmt.Errorf("home: cannot check %s: %w", h.dir, err)
	}
	return all, nil
}

// grave returns the findings for which Open refuses. It examines a fixed handful of names, so that opening costs the
// same however many files there are. A path that cannot be examined is left to whoever opens it.
func (h *Home) grave() []Finding {
	var out []Finding
	for _, name := range []string{".", FileLedgerKey, FileIndexKey, FileStore, FileConfig, DirReviewers, DirSigned} {
		path := h.Path(name)
		info, err := os.Lstat(path)
		if err != nil {
			continue
		}
		want := FileMode
		if name == "." || info.IsDir() {
			want = DirMode
		}
		for _, f := range examine(path, info, want) {
			readable := secret(name) && !modesUnchecked && info.Mode().Perm()&0o077 != 0
			if f.grave || readable {
				out = append(out, f)
			}
		}
	}
	return out
}

// examine compares one file with what a home wants of it.
func examine(path string, info fs.FileInfo, want fs.FileMode) []Finding {
	mode := info.Mode()
	switch {
	case mode&fs.ModeSymlink != 0:
		return []Finding{{Path: path, Found: "a symbolic link", Wanted: "a file in place",
			Fix: "cp --remove-destination \"$(readlink -f " + quote(path) + ")\" " + quote(path), grave: true}}
	case !mode.IsRegular() && !mode.IsDir():
		return []Finding{{Path: path, Found: "a " + mode.Type().String() + " special file", Wanted: "a regular file",
			Fix: "rm " + quote(path), grave: true}}
	case modesUnchecked:
		return nil
	}
	var out []Finding
	if uid, me := owner(info), os.Geteuid(); uid != me {
		out = append(out, Finding{Path: path, Found: fmt.Sprintf("owned by uid %d", uid), Wanted: fmt.Sprintf("uid %d", me),
			Fix: fmt.Sprintf("sudo chown %d %s", me, quote(path)), grave: true})
	}
	// Only more rights than wanted are wrong: a file made read-only on purpose stays so.
	if perm := mode.Perm(); perm&^want != 0 || mode&(fs.ModeSetuid|fs.ModeSetgid) != 0 {
		out = append(out, Finding{Path: path, Found: fmt.Sprintf("mode %04o", perm), Wanted: fmt.Sprintf("mode %04o", want),
			Fix: fmt.Sprintf("chmod %04o %s", want, quote(path)), grave: perm&0o022 != 0})
	}
	return out
}

// quote quotes a path for a POSIX shell, so that a fix can be pasted.
func quote(path string) string {
	plain := strings.IndexFunc(path, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+@", r))
	}) < 0
	if plain && path != "" {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
