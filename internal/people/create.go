package people

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/hearsay-memory/hearsay/internal/home"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
	"github.com/hearsay-memory/hearsay/internal/reviewer/keyfile"
	"github.com/hearsay-memory/hearsay/policy"
)

// Setup says what to make.
type Setup struct {
	Dir         string
	Principal   string   // whose memory it is
	Profile     string   // of the policy; empty: "default"
	Reviewer    string   // the first reviewer's name
	Passphrase  string   // of the reviewer's key
	Unprotected bool     // an empty passphrase is meant
	WorkFactor  int      // of the key's encryption, log2; 0: the default
	Copies      []string // where copies of checkpoints go
}

// Made is what was made. Recovery is shown once and kept nowhere.
type Made struct {
	Recovery string
	LogID    string
}

// Create makes a home: ledger key, store, first reviewer, signed policy, first
// checkpoint copies. A home that is there already is an error that wraps
// fs.ErrExist and is left as it is; one that was left half made is completed.
func Create(ctx context.Context, s Setup) (*Made, error) {
	profile := cmp.Or(s.Profile, "default")
	rules, err := policy.Profile(profile)
	if err != nil {
		return nil, err
	}
	cases, err := policy.ProfileCases(profile)
	if err != nil {
		return nil, err
	}
	h, err := home.Create(s.Dir)
	if err != nil {
		return nil, err
	}
	for _, t := range s.Copies {
		if err := h.CheckTarget(t); err != nil {
			return nil, err
		}
	}
	// Without a configuration nothing was ever guarded here: what an interrupted
	// attempt left of a store is begun anew, under a new key.
	for _, suffix := range [...]string{"", "-wal", "-shm"} {
		if err := os.Remove(h.Path(home.FileStore + suffix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("begin anew: %w", err)
		}
	}
	logID, err := ledgerKey(h)
	if err != nil {
		return nil, err
	}
	for name, data := range map[string][]byte{home.FilePolicy: rules, home.FilePolicyCases: cases} {
		if err := h.WriteFile(name, data, home.FileMode); err != nil {
			return nil, err
		}
	}
	person, recovery, err := keyfile.Generate(s.Reviewer, s.Passphrase, rand.Reader, keyfile.Options{
		WorkFactor: s.WorkFactor, AllowEmpty: s.Unprotected, Created: time.Now(),
	})
	if err != nil {
		return nil, err
	}
	signer, err := person.Unlock(s.Passphrase)
	if err != nil {
		return nil, err
	}
	defer signer.Wipe()
	in, err := instance.New(ctx, h, instance.Options{Principal: s.Principal, LogID: logID})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if err := enrol(ctx, in, person.Enrolment(), signer); err != nil {
		return nil, err
	}
	data, err := person.Marshal()
	if err != nil {
		return nil, err
	}
	if err := h.WriteFile(home.ReviewerFile(s.Reviewer), data, home.FileMode); err != nil {
		return nil, err
	}
	if _, err := in.SignPolicy(ctx, rules, signer); err != nil {
		return nil, err
	}
	if err := h.SetConfig(home.Config{Principal: s.Principal, LogID: logID, Origin: logID, Checkpoints: s.Copies, Created: time.Now()}); err != nil {
		return nil, err
	}
	in.Config.Checkpoints = s.Copies
	if len(s.Copies) > 0 {
		if err := in.CopyCheckpoint(ctx); err != nil {
			return nil, err
		}
	}
	return &Made{Recovery: recovery, LogID: logID}, nil
}

// ledgerKey makes the key that signs checkpoints. Its name is the log's id.
func ledgerKey(h *home.Home) (logID string, err error) {
	var id [8]byte
	if _, err := rand.Read(id[:]); err != nil {
		return "", err
	}
	logID = "hearsay/" + hex.EncodeToString(id[:])
	private, public, err := note.GenerateKey(rand.Reader, logID)
	if err != nil {
		return "", fmt.Errorf("make the ledger key: %w", err)
	}
	for name, text := range map[string]string{home.FileLedgerKey: private, home.FileLedgerPub: public} {
		if err := h.WriteFile(name, []byte(text+"\n"), home.FileMode); err != nil {
			return "", err
		}
	}
	return logID, nil
}

// enrol seals the first reviewer, by themselves.
func enrol(ctx context.Context, in *instance.Instance, e reviewer.Enrolment, signer *reviewer.Signer) error {
	st, err := in.Guard.SubjectStatement(ctx, reviewer.AddReviewer, e.Subject())
	if err != nil {
		return err
	}
	signed, err := signer.Sign(st)
	if err != nil {
		return err
	}
	return in.Guard.AddReviewer(ctx, e, signed)
}
