package bench

import (
	"context"
	"crypto/sha256"
	"fmt"
	"runtime"
	"time"

	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/bench/bare"
	"github.com/hearsay-memory/hearsay/internal/store/sqlite"
	"github.com/hearsay-memory/hearsay/ledger"
)

const (
	filled  = "filled.db"
	atATime = 1000 // events of one commit while the store is filled
	// many is from how many events on three passes are enough: they take long, and what
	// is short about a machine's moods evens out within each.
	many = 300_000
)

// verify measures the verification of a long log, and opening its store.
func verify(ctx context.Context, c *Config) ([]Result, error) {
	at, err := newSite(c.Dir)
	if err != nil {
		return nil, err
	}
	out, err := c.passes(ctx, at)
	if err != nil {
		return nil, err
	}
	empty, err := at.store(ctx, "empty.db")
	if err != nil {
		return nil, err
	}
	if err := empty.Close(); err != nil {
		return nil, err
	}
	got, err := c.fineTurns(10, halfTimed(at.opening(ctx, filled)), halfTimed(at.opening(ctx, "empty.db")))
	if err != nil {
		return nil, err
	}
	return append(out, result("open", "ns", got[0], got[1])), nil
}

// opening times the opening of a store, and not its closing.
func (s *site) opening(ctx context.Context, name string) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		start := time.Now()
		store, err := s.store(ctx, name)
		took := time.Since(start)
		if err != nil {
			return 0, err
		}
		return took, store.Close()
	}
}

// passes measures the pass over the log that checks the tree, and what the rest of
// verification takes: events, rows and side blobs. Their floors read the same rows and
// hash them.
func (c *Config) passes(ctx context.Context, at *site) (out []Result, err error) {
	s, err := at.store(ctx, filled)
	if err != nil {
		return nil, err
	}
	defer closing(&err, s)
	for left := c.Events; left > 0; left -= atATime {
		if err := sealMany(ctx, s, min(left, atATime)); err != nil {
			return nil, err
		}
	}
	db, err := openDriver(at.path(filled))
	if err != nil {
		return nil, err
	}
	defer closing(&err, db)
	n := c.Events
	rounds := c.Rounds
	if n >= many {
		rounds = min(rounds, 3)
	}
	got, err := inTurns(rounds, c.Slice, []slice{
		once(n, func() error { return logPass(ctx, s, int64(n)) }),
		once(n, hashing(db, n, "SELECT body, leaf FROM log ORDER BY seq")),
		once(n, func() error { return at.wholePass(ctx, s, int64(n)) }),
		once(n, hashing(db, n, "SELECT val, id FROM record ORDER BY id", "SELECT blob, salt FROM side ORDER BY seq")),
	})
	if err != nil {
		return nil, err
	}
	rest := 1/got[2] - 1/got[0] // seconds an event
	if rest <= 0 {
		return nil, fmt.Errorf("verification took %.0f ns an event and its pass over the log alone %.0f: the machine is too busy to tell them apart", 1e9/got[2], 1e9/got[0])
	}
	return []Result{
		result("verify-log", "1/s", got[0], got[1]),
		result("verify-state", "1/s", 1/rest, got[3]),
	}, nil
}

// logPass checks every entry, tile and the head of a log of n entries.
func logPass(ctx context.Context, s *sqlite.Store, n int64) error {
	head, err := s.Head(ctx)
	if err != nil {
		return err
	}
	sum, err := ledger.Verify(s.Log(ctx, 0), ledger.Expectation{Head: head.Frontier, Tile: func(level int, index int64) ([]ledger.Hash, error) {
		return s.Tile(ctx, level, index)
	}})
	if err == nil && sum.Size != n {
		err = fmt.Errorf("%d entries were verified, not %d", sum.Size, n)
	}
	return err
}

// wholePass is all of verification.
func (s *site) wholePass(ctx context.Context, store *sqlite.Store, n int64) error {
	rep, err := guard.Verify(ctx, store, guard.Expect{Keys: s.keys})
	if err == nil && (!rep.Consistent || rep.Entries != n) {
		err = fmt.Errorf("verification of %d entries found %+v", n, rep)
	}
	return err
}

// hashing reads and hashes the n rows of each query.
func hashing(db *bare.DB, n int, queries ...string) func() error {
	return func() error {
		for _, q := range queries {
			got, err := db.Hash(q)
			if err != nil {
				return err
			}
			if got != int64(n) {
				return fmt.Errorf("%q gives %d rows, not %d", q, got, n)
			}
		}
		return nil
	}
}

// verifyMemory measures the same check of entries in memory, beside their hashes.
func verifyMemory(_ context.Context, c *Config) ([]Result, error) {
	bodies := make([][]byte, 2000)
	var head ledger.Frontier
	for i := range bodies {
		bodies[i] = make([]byte, appended)
		bodies[i][0] = byte(i)
		head.Append(ledger.LeafHash(bodies[i]))
	}
	var sum [32]byte
	got, err := c.turns(
		perCall(func() error {
			_, err := ledger.Verify(func(yield func(ledger.Entry, error) bool) {
				for i, b := range bodies {
					if !yield(ledger.Entry{Seq: int64(i), Body: b}, nil) {
						return
					}
				}
			}, ledger.Expectation{Head: head})
			return err
		}),
		pure(func() {
			for _, b := range bodies {
				sum = sha256.Sum256(b)
			}
		}))
	if err != nil {
		return nil, err
	}
	runtime.KeepAlive(sum)
	rate := func(ns float64) float64 { return float64(len(bodies)) / ns * 1e9 }
	return []Result{result("verify-memory", "1/s", rate(got[0]), rate(got[1]))}, nil
}
