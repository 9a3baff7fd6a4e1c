package home

import (
	"bytes"
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
)

// MaxFile bounds what ReadFile takes in, in bytes. Keys, policies and configuration are far smaller; the store is not
// read through here.
const MaxFile = 4 << 20

// ReadFile reads a small file of the home. It does not follow a symbolic link in the last element, and it examines
// the mode of the file it has open, not of the name, so the file cannot be exchanged in between. A secret that others
// can read is refused with [ErrUnsafe].
func (h *Home) ReadFile(name string) ([]byte, error) {
	path, err := h.fileName(name)
	if err != nil {
		return nil, err
	}
	f, err := openNoFollow(path)
	if err != nil {
		return nil, fmt.Errorf("home: cannot read %s: %w", path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("home: cannot read %s: %w", path, err)
	}
	for _, found := range examine(path, info, FileMode) {
		if secret(name) || strings.HasPrefix(name, DirReviewers+"/") || found.grave {
			return nil, fmt.Errorf("home: %s is %s, wanted %s: %w; run: %s", path, found.Found, found.Wanted, ErrUnsafe, found.Fix)
		}
	}
	// It has its size at once: to grow with what comes would read in a dozen parts.
	data := bytes.NewBuffer(make([]byte, 0, min(info.Size(), MaxFile)+bytes.MinRead))
	if _, err := data.ReadFrom(io.LimitReader(f, MaxFile+1)); err != nil {
		return nil, fmt.Errorf("home: cannot read %s: %w", path, err)
	}
	if data.Len() > MaxFile {
		return nil, fmt.Errorf("home: %s is larger than %d bytes; it is not a file that Hearsay wrote", path, MaxFile)
	}
	return data.Bytes(), nil
}

// WriteFile replaces a file in one step: readers see the old bytes or the new ones, and after a nil error the new
// ones are on disk. A crash leaves at most a stray temporary file, never a short one. Mode must be [FileMode]: the
// argument is there so that a call site shows what it makes.
func (h *Home) WriteFile(name string, data []byte, mode fs.FileMode) error {
	path, err := h.fileName(name)
	if err != nil {
		return err
	}
	if mode != FileMode {
		return fmt.Errorf("home: refusing mode %04o for %s: files in the home have mode %04o", mode, name, FileMode)
	}
	return writeAtomic(path, data, mode)
}

// WriteNew writes a file that must not exist yet, else fs.ErrExist: a key is never replaced by accident. It is as
// atomic and durable as WriteFile.
func (h *Home) WriteNew(name string, data []byte) error {
	path, err := h.fileName(name)
	if err != nil {
		return err
	}
	tmp, err := writeTemp(path, data, FileMode)
	if err != nil {
		return err
	}
	defer os.Remove(tmp)
	// A hard link fails if the name is taken; a rename would replace it.
	if err := os.Link(tmp, path); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("home: %s: %w; move it away first if it should be replaced", path, fs.ErrExist)
		}
		return fmt.Errorf("home: cannot write %s: %w", path, err)
	}
	return syncDir(filepath.Dir(path))
}

// PutSigned keeps a policy's bytes under their SHA-256 and returns that hash as lower-case hexadecimal. Keeping the
// same bytes twice is no error.
func (h *Home) PutSigned(policy []byte) (sum string, err error) {
	digest := sha256.Sum256(policy)
	sum = hex.EncodeToString(digest[:])
	return sum, h.WriteFile(signedName(sum), policy, FileMode)
}

// Signed returns the policy with a given hash, after comparing the hash. Whether a reviewer signed it is for the
// ledger to say.
func (h *Home) Signed(sum string) ([]byte, error) {
	want, err := hex.DecodeString(sum)
	if err != nil || len(want) != sha256.Size || strings.ToLower(sum) != sum {
		return nil, fmt.Errorf("home: %q is not a SHA-256 in lower-case hexadecimal", sum)
	}
	data, err := h.ReadFile(signedName(sum))
	if err != nil {
		return nil, err
	}
	if got := sha256.Sum256(data); !bytes.Equal(got[:], want) {
		return nil, fmt.Errorf("home: %s was changed after it was signed: its hash is now %x; sign the policy again", h.Path(signedName(sum)), got)
	}
	return data, nil
}

func signedName(sum string) string { return DirSigned + "/" + sum + ".yaml" }

// ReviewerFile returns the name of a reviewer's key file, for ReadFile and WriteNew. Reviewer names are checked where
// they are made (internal/reviewer); a name that would leave the directory is refused by those two.
func ReviewerFile(name string) string { return DirReviewers + "/" + name + ".json" }

// Reviewers lists the names that have a key file, sorted. That a file exists does not enrol anybody.
func (h *Home) Reviewers() ([]string, error) {
	entries, err := os.ReadDir(h.Path(DirReviewers))
	if err != nil {
		return nil, fmt.Errorf("home: cannot list reviewers: %w", err)
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".json"); ok && !strings.HasPrefix(name, ".") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// writeAtomic writes path by way of a temporary file beside it.
func writeAtomic(path string, data []byte, mode fs.FileMode) error {
	tmp, err := writeTemp(path, data, mode)
	if err != nil {
		return err
	}
	if err := os.Rename(tmp, path); err != nil {
		os.Remove(tmp)
		return fmt.Errorf("home: cannot replace %s: %w", path, err)
	}
	return syncDir(filepath.Dir(path))
}

// writeTemp leaves data, synced, in a new file beside path and returns its name. os.CreateTemp makes it with mode
// 0600, so there is no moment at which a secret can be read by others.
func writeTemp(path string, data []byte, mode fs.FileMode) (name string, err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".tmp-*")
	if err != nil {
		return "", fmt.Errorf("home: cannot write %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
			err = fmt.Errorf("home: cannot write %s: %w", path, err)
		}
	}()
	if _, err := f.Write(data); err != nil {
		return "", err
	}
	if err := f.Chmod(mode); err != nil && !modesUnchecked {
		return "", err
	}
	if err := f.Sync(); err != nil {
		return "", err
	}
	return f.Name(), f.Close()
}
