package guard

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/attrib"
	"github.com/hearsay-memory/hearsay/internal/source"
	"github.com/hearsay-memory/hearsay/ledger"
	"github.com/hearsay-memory/hearsay/policy"
)

// DefaultTTL is how long a session's row lives after its last use.
const DefaultTTL = 7 * 24 * time.Hour

// Config is what a guard is made of.
type Config struct {
	Store  Store
	Policy *policy.Policy  // the signed policy in force; nil holds every write
	Index  ledger.IndexKey // keys the digests of look-ups; not in the log
	Rand   io.Reader       // nil: crypto/rand
	TTL    time.Duration   // of sessions; 0: DefaultTTL

	// Lint finds evidence in a text; nil finds none. It must be linear in its input.
	Lint func(text string) hearsay.Evidence
}

// Guard is safe for concurrent use.
type Guard struct {
	store  Store
	policy *policy.Policy
	table  *source.Table
	index  ledger.IndexKey
	rand   io.Reader
	ttl    time.Duration
	lint   func(string) hearsay.Evidence
	seen   seenCache
	words  attrib.Key
	ids    idCounter
}

// New returns a guard over a store.
func New(c Config) *Guard {
	g := &Guard{store: c.Store, policy: c.Policy, index: c.Index, rand: c.Rand, ttl: c.TTL, lint: c.Lint}
	if g.rand == nil {
		g.rand = rand.Reader
	}
	if g.ttl <= 0 {
		g.ttl = DefaultTTL
	}
	if g.lint == nil {
		g.lint = func(string) hearsay.Evidence { return hearsay.Evidence{} }
	}
	g.table = c.Policy.SourceTable()
	g.words = attrib.Key(g.index.Digest("attribution"))
	return g
}

// Policy returns the policy in force; nil holds every write.
func (g *Guard) Policy() *policy.Policy { return g.policy }

// Store returns the store, for reading.
func (g *Guard) Store() Store { return g.store }

// ErrRefused is wrapped by errors that refuse a request for what it asks, not for
// a fault: the text says what to do instead.
var ErrRefused = errors.New("refused")

// refuse makes an error that wraps [ErrRefused].
func refuse(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrRefused, fmt.Sprintf(format, args...))
}

// newID makes a record id of the transaction's time.
func (g *Guard) newID(now int64) (hearsay.RecordID, error) {
	var r [10]byte
	if _, err := io.ReadFull(g.rand, r[:]); err != nil {
		return hearsay.RecordID{}, fmt.Errorf("no randomness for a record id: %w", err)
	}
	return g.ids.next(now, r), nil
}

// Item names one thing in a downstream store: its kind and the texts that make it
// up, such as ("observation", entity name, text).
type Item struct {
	Kind  string
	Parts []string
}

// ItemKey returns the store-keyed digest under which an item's provenance is kept.
// It is a function of the store id, the principal's store and the exact bytes.
func (g *Guard) ItemKey(store string, it Item) [32]byte {
	parts := make([][]byte, 0, len(it.Parts)+2)
	parts = append(parts, []byte(store), []byte(it.Kind))
	for _, p := range it.Parts {
		parts = append(parts, []byte(p))
	}
	return g.index.Digest("item", parts...)
}

// now is the wall clock in UTC ms, for reads; events take their time from the transaction.
func now() int64 { return time.Now().UnixMilli() }
