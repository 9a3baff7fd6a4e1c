package bench

import (
	"context"

	"github.com/hearsay-memory/hearsay/internal/bench/bare"
)

// appended is the size of the record that a bare append writes, in bytes.
const appended = 300

// alone measures one sealed write with nobody else about, beside a bare append with a
// sync and beside the driver's one transaction with the same rows.
func alone(ctx context.Context, c *Config) (out []Result, err error) {
	at, err := newSite(c.Dir)
	if err != nil {
		return nil, err
	}
	s, err := at.store(ctx, "ours.db")
	if err != nil {
		return nil, err
	}
	defer closing(&err, s)
	f, err := bare.OpenFile(at.path("bare.log"), appended)
	if err != nil {
		return nil, err
	}
	defer closing(&err, f)
	db, err := at.driver(ctx, "bare.db")
	if err != nil {
		return nil, err
	}
	defer closing(&err, db)
	got, err := c.fineTurns(20, half(seal(ctx, s)), half(f.Append), half(func() error { return db.Commit(1) }))
	if err != nil {
		return nil, err
	}
	return []Result{
		result("write-append", "ns", got[0], got[1]),
		result("write-driver", "ns", got[0], got[2]),
	}, nil
}

// groups measures many writers at once beside the driver's group commit of the same
// statements, and what grouping gains over one at a time.
func groups(ctx context.Context, c *Config) (out []Result, err error) {
	at, err := newSite(c.Dir)
	if err != nil {
		return nil, err
	}
	s, err := at.store(ctx, "ours.db")
	if err != nil {
		return nil, err
	}
	defer closing(&err, s)
	db, err := at.driver(ctx, "bare.db")
	if err != nil {
		return nil, err
	}
	defer closing(&err, db)
	g := bare.NewGroup(db)
	defer g.Close()
	ours := seal(ctx, s)
	got, err := c.fineTurns(4, together(64, ours), together(64, g.Write), together(256, ours), together(256, g.Write), together(1, ours))
	if err != nil {
		return nil, err
	}
	return []Result{
		result("group-64", "1/s", got[0], got[1]),
		result("group-256", "1/s", got[2], got[3]),
		result("group-gain", "1/s", got[0], got[4]),
	}, nil
}
