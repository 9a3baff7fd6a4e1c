package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/hearsay-memory/hearsay/internal/home"
	"github.com/hearsay-memory/hearsay/internal/store/sqlite"
)

const (
	writers = 8
	// longer is how many slices a slice of processes lasts: the worst of few waits says
	// little.
	longer = 5
)

// processes measures the worst wait of eight processes that write into one store, one
// writer each, beside the driver's own waiting with the same statements.
func processes(ctx context.Context, c *Config) ([]Result, error) {
	at, err := newSite(c.Dir)
	if err != nil {
		return nil, err
	}
	h, err := home.Create(at.path(roleStore))
	if err != nil {
		return nil, err
	}
	s, err := sqlite.Open(ctx, sqlite.Options{Path: h.Path(home.FileStore), LogID: logID, Signer: at.signer, Lock: h.Lock, Deadline: time.Minute})
	if err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	db, err := at.driver(ctx, roleDriver)
	if err != nil {
		return nil, err
	}
	if err := db.Close(); err != nil {
		return nil, err
	}
	var rates [2][]float64
	one := func(i int, role string) slice {
		return func(d time.Duration) (float64, error) {
			worst, rate, err := c.crowd(ctx, role, longer*d)
			rates[i] = append(rates[i], rate)
			return worst, err
		}
	}
	got, err := inTurns(min(c.Rounds, 3), c.Slice, []slice{one(0, roleStore), one(1, roleDriver)})
	if err != nil {
		return nil, err
	}
	return []Result{
		result("processes-8", "ns", got[0], got[1]),
		result("processes-8-rate", "1/s", median(rates[0]), median(rates[1])),
	}, nil
}

// crowd has the writers write for d, and returns the worst wait in ns and the rate of
// all of them.
func (c *Config) crowd(ctx context.Context, role string, d time.Duration) (worst, rate float64, err error) {
	all := make([]*process, 0, writers)
	answers := make([]*bufio.Reader, 0, writers)
	defer func() {
		for _, p := range all {
			closing(&err, p)
		}
	}()
	for range writers {
		p, err := c.child(ctx, role, c.Dir)
		if err != nil {
			return 0, 0, err
		}
		all, answers = append(all, p), append(answers, bufio.NewReader(p.out))
	}
	// All have the store open before the first one writes.
	for _, r := range answers {
		if _, err := r.ReadString('\n'); err != nil {
			return 0, 0, fmt.Errorf("a writer did not begin: %w", err)
		}
	}
	for _, p := range all {
		if _, err := fmt.Fprintln(p.in, d.Nanoseconds()); err != nil {
			return 0, 0, err
		}
	}
	writes := 0.0
	for _, r := range answers {
		var longest, n float64
		if _, err := fmt.Fscan(r, &longest, &n); err != nil {
			return 0, 0, fmt.Errorf("a writer did not end: %w", err)
		}
		worst, writes = max(worst, longest), writes+n
	}
	return worst, writes / d.Seconds(), nil
}

// writeAgain is a writer: it says when it is ready, is told for how long to write, and
// tells its longest wait in ns and how often it wrote.
func writeAgain(ctx context.Context, role, dir string, s Streams) (err error) {
	at, err := findSite(dir)
	if err != nil {
		return err
	}
	var write func() error
	if role == roleStore {
		h, err := home.Open(at.path(roleStore))
		if err != nil {
			return err
		}
		store, err := sqlite.Open(ctx, sqlite.Options{
			Path: h.Path(home.FileStore), LogID: logID, Signer: at.signer, Lock: h.Lock, Deadline: time.Minute,
		})
		if err != nil {
			return err
		}
		defer closing(&err, store)
		write = seal(ctx, store)
	} else {
		db, err := openDriver(at.path(roleDriver))
		if err != nil {
			return err
		}
		defer closing(&err, db)
		write = func() error { return db.Commit(1) }
	}
	if _, err := fmt.Fprintln(s.Out, "ready"); err != nil {
		return err
	}
	var d time.Duration
	if _, err := fmt.Fscan(s.In, (*int64)(&d)); err != nil {
		if errors.Is(err, io.EOF) {
			return nil // nobody waits any more
		}
		return err
	}
	n, worst := 0, time.Duration(0)
	for start := time.Now(); n == 0 || time.Since(start) < d; n++ {
		began := time.Now()
		if err := write(); err != nil {
			return err
		}
		worst = max(worst, time.Since(began))
	}
	_, err = fmt.Fprintln(s.Out, worst.Nanoseconds(), n)
	return err
}
