package bench

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/bench/bare"
	"github.com/hearsay-memory/hearsay/internal/store/sqlite"
)

const (
	logID   = "bench/log"
	keyFile = "bench.key" // the ledger key, for the other processes of a run
)

// site is a folder with a ledger key, where stores are made.
type site struct {
	dir    string
	signer note.Signer
	keys   note.Verifiers
}

// newSite makes the key.
func newSite(dir string) (*site, error) {
	private, public, err := note.GenerateKey(rand.Reader, logID)
	if err != nil {
		return nil, err
	}
	verifier, err := note.NewVerifier(public)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, keyFile), []byte(private), 0o600); err != nil {
		return nil, err
	}
	s, err := findSite(dir)
	if err == nil {
		s.keys = note.VerifierList(verifier)
	}
	return s, err
}

// findSite finds the key that another process made.
func findSite(dir string) (*site, error) {
	private, err := os.ReadFile(filepath.Join(dir, keyFile))
	if err != nil {
		return nil, err
	}
	signer, err := note.NewSigner(strings.TrimSpace(string(private)))
	return &site{dir: dir, signer: signer}, err
}

func (s *site) path(name string) string { return filepath.Join(s.dir, name) }

// store opens a store, and makes it where it is not there.
func (s *site) store(ctx context.Context, name string) (*sqlite.Store, error) {
	return sqlite.Open(ctx, sqlite.Options{Path: s.path(name), LogID: logID, Signer: s.signer, Deadline: time.Minute})
}

// driver makes a store's file and opens it by the driver alone.
func (s *site) driver(ctx context.Context, name string) (*bare.DB, error) {
	made, err := s.store(ctx, name)
	if err != nil {
		return nil, err
	}
	if err := made.Close(); err != nil {
		return nil, err
	}
	return openDriver(s.path(name))
}

func openDriver(path string) (*bare.DB, error) {
	row, err := sample()
	if err != nil {
		return nil, err
	}
	return bare.OpenDB(path, time.Minute, row)
}

// sample is what one write puts into a store.
func sample() (bare.Row, error) {
	d, err := draft(time.Now().UnixMilli())
	if err != nil {
		return bare.Row{}, err
	}
	sealed, err := event.Seal(d, 10_000, 0, time.Now().UnixMilli(), rand.Reader)
	if err != nil {
		return bare.Row{}, err
	}
	if len(sealed.Puts) != 1 {
		return bare.Row{}, fmt.Errorf("a write puts %d rows and not one", len(sealed.Puts))
	}
	put := sealed.Puts[0]
	return bare.Row{
		Body: sealed.Body, Leaf: sealed.Leaf[:], Value: put.Value, Queue: int64(put.Queue),
		Salt: sealed.Salt[:], Blob: sealed.Blob,
	}, nil
}

// draft is a write that was allowed.
func draft(now int64) (event.Draft, error) {
	var random [10]byte
	if _, err := rand.Read(random[:]); err != nil {
		return event.Draft{}, err
	}
	return event.Draft{
		Event: event.Event{Kind: event.WriteAllowed, Record: &event.Record{
			ID: hearsay.NewRecordID(now, random), Standing: hearsay.Allowed, Delivery: hearsay.Intent,
			Label: hearsay.LabelIdentity, Source: "user", Principal: "ana", Session: "bench", Surface: hearsay.SurfaceLib,
			Store: "bench", Namespace: hearsay.Namespace{"notes"}, Op: event.Create, Rule: "own-words", Weight: 1,
		}},
		Side: event.Side{Content: []byte("Backups run at 02:00 on the second host")},
	}, nil
}

// seal returns a function that seals one write.
func seal(ctx context.Context, s guard.Store) func() error {
	return func() error { return sealMany(ctx, s, 1) }
}

// sealMany seals n writes in one commit.
func sealMany(ctx context.Context, s guard.Store, n int) error {
	_, err := s.Update(ctx, func(tx guard.Tx) ([]event.Draft, error) {
		drafts := make([]event.Draft, n)
		for i := range drafts {
			var err error
			if drafts[i], err = draft(tx.Now()); err != nil {
				return nil, err
			}
		}
		return drafts, nil
	})
	return err
}

// closing closes what a benchmark opened and keeps its error.
func closing(err *error, c interface{ Close() error }) { *err = errors.Join(*err, c.Close()) }
