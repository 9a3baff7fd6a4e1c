// Package guardtest has what the tests of many packages stand on: a guard over a real
// store, and a reviewer for it.
package guardtest

import (
	"context"
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
	"github.com/hearsay-memory/hearsay/internal/store/sqlite"
	"github.com/hearsay-memory/hearsay/ledger"
	"github.com/hearsay-memory/hearsay/policy"
)

// LogID is the origin of the logs.
const LogID = "test/log"

// Person is the reviewer.
const Person = "ana"

// Key makes the key of a log.
func Key(t testing.TB) (private string, public note.Verifier) {
	t.Helper()
	private, text, err := note.GenerateKey(rand.Reader, LogID)
	if err != nil {
		t.Fatal(err)
	}
	if public, err = note.NewVerifier(text); err != nil {
		t.Fatal(err)
	}
	return private, public
}

// Policy is a shipped profile in which texts are replaced: old, new, old, new. Each old one
// has to stand in it.
func Policy(t testing.TB, profile string, replace ...string) *policy.Policy {
	t.Helper()
	data, err := policy.Profile(profile)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(replace); i += 2 {
		if !strings.Contains(string(data), replace[i]) {
			t.Fatalf("the profile has nothing of %q", replace[i])
		}
	}
	p, err := policy.Parse(profile+".yaml", []byte(strings.NewReplacer(replace...).Replace(string(data))))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Patience is how long an update of a test waits for its turn: a busy machine decides nothing.
const Patience = 2 * time.Minute

// Open opens the store at path, and a guard over it: with the default profile where c has no
// policy. It is for other processes of a test, too, and so has no test.
func Open(ctx context.Context, path, private string, c guard.Config) (*sqlite.Store, *guard.Guard, error) {
	return OpenWithin(ctx, path, private, Patience, c)
}

// OpenWithin is Open with another patience, for what is asked of a store that is locked.
func OpenWithin(ctx context.Context, path, private string, patience time.Duration, c guard.Config) (*sqlite.Store, *guard.Guard, error) {
	if c.Policy == nil {
		data, err := policy.Profile("default")
		if err != nil {
			return nil, nil, err
		}
		if c.Policy, err = policy.Parse("default.yaml", data); err != nil {
			return nil, nil, err
		}
	}
	key, err := note.NewSigner(private)
	if err != nil {
		return nil, nil, err
	}
	s, err := sqlite.Open(ctx, sqlite.Options{Path: path, LogID: LogID, Signer: key, Deadline: patience})
	if err != nil {
		return nil, nil, err
	}
	c.Store, c.Index = s, ledger.IndexKey{1}
	return s, guard.New(c), nil
}

// Enrol makes the reviewer known to a guard that has none.
func Enrol(t testing.TB, g *guard.Guard) *reviewer.Signer {
	t.Helper()
	signer, recovery := newSigner(t, "s"), newSigner(t, "r")
	e := reviewer.Enrolment{Name: Person, Public: signer.Public(), Recovery: recovery.Public()}
	st, err := g.SubjectStatement(t.Context(), reviewer.AddReviewer, e.Subject())
	if err != nil {
		t.Fatal(err)
	}
	signed, err := signer.Sign(st)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.AddReviewer(t.Context(), e, signed); err != nil {
		t.Fatal(err)
	}
	return signer
}

func newSigner(t testing.TB, letter string) *reviewer.Signer {
	t.Helper()
	s, err := reviewer.NewSigner(Person, []byte(strings.Repeat(letter, 32)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Decide signs and carries out a decision about a record.
func Decide(t testing.TB, g *guard.Guard, s *reviewer.Signer, d reviewer.Decision, id hearsay.RecordID) {
	t.Helper()
	st, err := g.Statement(t.Context(), d, id, "")
	if err != nil {
		t.Fatal(err)
	}
	signed, err := s.Sign(st)
	if err != nil {
		t.Fatal(err)
	}
	if d == reviewer.Revoke {
		_, err = g.Revoke(t.Context(), signed)
	} else {
		_, err = g.Review(t.Context(), signed, "")
	}
	if err != nil {
		t.Fatal(err)
	}
}
