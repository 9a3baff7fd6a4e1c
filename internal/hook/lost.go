package hook

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
)

// Lost remembers, beside a store that could not be asked, which sessions took in
// something that nobody sealed. It is a folder of empty files, named by digests of the
// session ids. Whoever can delete them can do the same to the store. The zero value
// remembers nothing.
type Lost struct {
	Dir string
}

func (l Lost) file(session string) string {
	sum := sha256.Sum256([]byte(session))
	return filepath.Join(l.Dir, hex.EncodeToString(sum[:]))
}

// Mark remembers a session. Where there is not even a home for the folder, no write can
// be let through either, and the error is fs.ErrNotExist.
func (l Lost) Mark(session string) error {
	if l.Dir == "" {
		return nil
	}
	if err := os.Mkdir(l.Dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return os.WriteFile(l.file(session), nil, 0o600)
}

// found taints a session that was remembered, and forgets it once that is sealed.
func (h *Handler) found(ctx context.Context) error {
	if h.Lost.Dir == "" {
		return nil
	}
	name := h.Lost.file(h.caller.Session)
	if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := h.observe(ctx, guard.Observation{Source: hearsay.Source{Type: hearsay.UnknownTag, Ref: "the hook could not reach the store"}}); err != nil {
		return err
	}
	return os.Remove(name)
}
