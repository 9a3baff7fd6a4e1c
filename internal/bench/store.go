package bench

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/store/sqlite"
)

// Store measures durable writes in a new store in dir: one alone beside a bare append
// and sync of the same size, and 64 writers beside one at a time.
func Store(ctx context.Context, dir string) (out []Result, err error) {
	private, _, err := note.GenerateKey(rand.Reader, "bench/log")
	if err != nil {
		return nil, err
	}
	key, err := note.NewSigner(private)
	if err != nil {
		return nil, err
	}
	s, err := sqlite.Open(ctx, sqlite.Options{Path: filepath.Join(dir, "bench.db"), LogID: "bench/log", Signer: key})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	f, err := os.Create(filepath.Join(dir, "bench.log"))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	body := make([]byte, 300)
	var ours, bare []int64
	// In turn, so that both see the same disk.
	for range 200 {
		start := time.Now()
		if err := write(ctx, s); err != nil {
			return nil, err
		}
		ours = append(ours, time.Since(start).Nanoseconds())
		start = time.Now()
		if _, err := f.Write(body); err != nil {
			return nil, err
		}
		if err := f.Sync(); err != nil {
			return nil, err
		}
		bare = append(bare, time.Since(start).Nanoseconds())
	}
	alone := float64(median(ours))
	out = append(out, result("one sealed write, p50", "ns", alone, float64(median(bare))))
	var n atomic.Int64
	var wg sync.WaitGroup
	var failed atomic.Pointer[error]
	start := time.Now()
	for range 64 {
		wg.Go(func() {
			for time.Since(start) < 4*span {
				if err := write(ctx, s); err != nil {
					failed.Store(&err)
					return
				}
				n.Add(1)
			}
		})
	}
	wg.Wait()
	if err := failed.Load(); err != nil {
		return nil, *err
	}
	rate := float64(n.Load()) / time.Since(start).Seconds()
	return append(out, result("sealed writes of 64 writers", "1/s", rate, 1e9/alone)), nil
}

// write seals one record.
func write(ctx context.Context, s guard.Store) error {
	_, err := s.Update(ctx, func(tx guard.Tx) ([]event.Draft, error) {
		var random [10]byte
		if _, err := rand.Read(random[:]); err != nil {
			return nil, fmt.Errorf("record id: %w", err)
		}
		return []event.Draft{{
			Event: event.Event{Kind: event.WriteAllowed, Record: &event.Record{
				ID: hearsay.NewRecordID(tx.Now(), random), Standing: hearsay.Allowed, Delivery: hearsay.Intent,
				Label: hearsay.LabelIdentity, Source: "user", Principal: "ana", Session: "bench", Surface: hearsay.SurfaceLib,
				Store: "bench", Op: event.Create, Weight: 1,
			}},
			Side: event.Side{Content: []byte("Backups run at 02:00 on the second host")},
		}}, nil
	})
	return err
}
