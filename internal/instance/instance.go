package instance

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/home"
	"github.com/hearsay-memory/hearsay/internal/lint"
	"github.com/hearsay-memory/hearsay/internal/store/sqlite"
	"github.com/hearsay-memory/hearsay/ledger"
	"github.com/hearsay-memory/hearsay/policy"
)

// Instance is an open home. Close it.
type Instance struct {
	Home     *home.Home
	Config   home.Config
	Store    guard.Store
	Guard    *guard.Guard
	Verifier note.Verifier // of the ledger

	// PolicyNote says, for people, where the policy in force is not the file that they
	// see: it was edited and not signed, or there is none. Empty: nothing to say.
	PolicyNote string
}

// Options change how a home is opened. The zero value is right for commands.
type Options struct {
	ReadOnly  bool          // no update is possible
	Brief     bool          // the process makes one update or none and then ends, see [sqlite.Options]
	Principal string        // whose memory; empty: as configured
	Deadline  time.Duration // of an update's wait for its turn; 0: [sqlite.DefaultDeadline]

	LogID string // of a log that begins: makes the store and asks for no configuration; else empty
}

// Open opens a home that [Create] made.
func Open(ctx context.Context, dir string, o Options) (*Instance, error) {
	h, err := home.Open(dir)
	if err != nil {
		return nil, err
	}
	return New(ctx, h, o)
}

// New opens an instance over a home.
func New(ctx context.Context, h *home.Home, o Options) (*Instance, error) {
	in := &Instance{Home: h}
	guess := in.guess()
	var err error
	if o.LogID == "" {
		if in.Config, err = h.Config(); err != nil {
			return nil, err
		}
	} else {
		in.Config.Principal = o.Principal
	}
	if o.Principal != "" {
		in.Config.Principal = o.Principal
	}
	if in.Verifier, err = verifier(h); err != nil {
		return nil, err
	}
	index, err := h.IndexKey()
	if err != nil {
		return nil, err
	}
	opts := sqlite.Options{Path: h.Path(home.FileStore), LogID: o.LogID, Lock: h.Lock, Deadline: o.Deadline, ReadOnly: o.ReadOnly, Brief: o.Brief}
	if !o.ReadOnly {
		opts.Signer = signer(h, in.Verifier)
	}
	store, err := sqlite.Open(ctx, opts)
	if err != nil {
		return nil, err
	}
	in.Store = store
	rules, err := in.policy(ctx, guess)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	in.Guard = guard.New(guard.Config{Store: store, Policy: rules, Index: ledger.IndexKey(index), Lint: lint.Text})
	return in, nil
}

// Close closes the store.
func (in *Instance) Close() error { return in.Store.Close() }

// Caller is the caller of a surface of this home.
func (in *Instance) Caller(s hearsay.Surface) hearsay.Caller {
	return hearsay.Caller{Principal: in.Config.Principal, Surface: s}
}

// guessed is the policy file as it lies in the home, parsed.
type guessed struct {
	policy *policy.Policy // nil: it cannot be used
	err    error          // it cannot be read
}

// guess parses the policy file while the store is opened: as a rule it is the one that
// was signed.
func (in *Instance) guess() <-chan guessed {
	done := make(chan guessed, 1)
	go func() {
		data, err := in.Home.ReadFile(home.FilePolicy)
		g := guessed{err: err}
		if err == nil {
			g.policy, _ = policy.Parse(in.Home.Path(home.FilePolicy), data) // what was signed decides
		}
		done <- g
	}()
	return done
}

// policy loads the signed policy. Where none was signed, or the signed bytes cannot
// be read, there is no policy and every write is held.
func (in *Instance) policy(ctx context.Context, guess <-chan guessed) (*policy.Policy, error) {
	hash, err := guard.PolicyInForce(ctx, in.Store)
	if errors.Is(err, guard.ErrNotFound) {
		in.PolicyNote = "no policy is signed: every write is held; run `hearsay policy sign`"
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	data, err := in.Home.Signed(hash)
	if err != nil {
		in.PolicyNote = fmt.Sprintf("the signed policy %.12s cannot be read (%v): every write is held; run `hearsay policy sign`", hash, err)
		return nil, nil
	}
	edited := <-guess
	if edited.err == nil && edited.policy != nil && edited.policy.Hash() == hash {
		return edited.policy, nil
	}
	name := in.Home.Path(home.FilePolicy)
	p, err := policy.Parse(name, data)
	if err != nil {
		in.PolicyNote = fmt.Sprintf("the signed policy %.12s cannot be used (%v): every write is held; run `hearsay policy sign`", hash, err)
		return nil, nil
	}
	in.PolicyNote = fmt.Sprintf("%s is not what was signed: the signed policy %.12s stays in force; run `hearsay policy sign`", name, hash)
	return p, nil
}

// Verify verifies the store against its own checkpoint, the configured copies and
// further signed checkpoints.
//
// The log, its rows and the rest are read one after the other. Where something was
// appended meanwhile, a fault can be of the reading alone: it is read again, and at last
// with the writers kept out.
func (in *Instance) Verify(ctx context.Context, outside [][]byte) (*guard.Report, error) {
	verify := func() (*guard.Report, bool, error) {
		before, err := in.Store.Head(ctx)
		if err != nil {
			return nil, false, err
		}
		rep, err := guard.Verify(ctx, in.Store, guard.Expect{Keys: note.VerifierList(in.Verifier), Outside: outside})
		if err != nil || rep.Fault == nil {
			return rep, true, err
		}
		after, err := in.Store.Head(ctx)
		return rep, before.Frontier == after.Frontier, err
	}
	for range 3 {
		if rep, settled, err := verify(); err != nil || settled {
			return rep, err
		}
	}
	unlock, err := in.Home.Lock(ctx)
	if err != nil {
		return nil, err
	}
	rep, _, err := verify()
	return rep, errors.Join(err, unlock())
}

func verifier(h *home.Home) (note.Verifier, error) {
	data, err := h.ReadFile(home.FileLedgerPub)
	if err != nil {
		return nil, err
	}
	v, err := note.NewVerifier(strings.TrimSpace(string(data)))
	if err != nil {
		return nil, fmt.Errorf("%s is no verifier key: %w; restore it from a backup", h.Path(home.FileLedgerPub), err)
	}
	return v, nil
}

// ledgerKey signs checkpoints. The private half is read, and made ready, by the first
// signature: that takes longer than all else that a hook does, and most of them sign
// nothing.
type ledgerKey struct {
	note.Verifier // the public half: its name and hash
	load          func() (note.Signer, error)
}

// Sign implements [note.Signer].
func (k ledgerKey) Sign(msg []byte) ([]byte, error) {
	s, err := k.load()
	if err != nil {
		return nil, err
	}
	return s.Sign(msg)
}

// Ready makes the key ready, ahead of the first signature, which will say what is wrong
// with it.
func (k ledgerKey) Ready() { _, _ = k.load() }

func signer(h *home.Home, public note.Verifier) note.Signer {
	return ledgerKey{public, sync.OnceValues(func() (note.Signer, error) {
		data, err := h.ReadFile(home.FileLedgerKey)
		if err != nil {
			return nil, err
		}
		s, err := note.NewSigner(strings.TrimSpace(string(data)))
		if err != nil {
			return nil, fmt.Errorf("%s is no signing key: %w; restore it from a backup", h.Path(home.FileLedgerKey), err)
		}
		if s.Name() != public.Name() || s.KeyHash() != public.KeyHash() {
			return nil, fmt.Errorf("%s and %s are not halves of one key: restore them from a backup", h.Path(home.FileLedgerKey), h.Path(home.FileLedgerPub))
		}
		if _, err := s.Sign(nil); err != nil { // the first one makes tables
			return nil, err
		}
		return s, nil
	})}
}
