package sqlite_test

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/bench/bare"
	"github.com/hearsay-memory/hearsay/internal/store/sqlite"
	"github.com/hearsay-memory/hearsay/ledger"
)

// benchStore opens a store without a home: nobody else writes.
func benchStore(b *testing.B, v *site, name string) *sqlite.Store {
	b.Helper()
	s, err := sqlite.Open(b.Context(), sqlite.Options{Path: filepath.Join(v.dir, name), LogID: logID, Signer: v.signer})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	return s
}

// benchDriver makes a store's file and opens it by the driver alone, for rows like those
// of [written].
func benchDriver(b *testing.B, v *site, name string) *bare.DB {
	b.Helper()
	if err := benchStore(b, v, name).Close(); err != nil {
		b.Fatal(err)
	}
	sealed, err := event.Seal(written("words", 1), 10_000, 0, time.Now().UnixMilli(), rand.Reader)
	if err != nil {
		b.Fatal(err)
	}
	put := sealed.Puts[0]
	db, err := bare.OpenDB(filepath.Join(v.dir, name), time.Minute, bare.Row{
		Body: sealed.Body, Leaf: sealed.Leaf[:], Value: put.Value, Queue: int64(put.Queue), Salt: sealed.Salt[:], Blob: sealed.Blob,
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	return db
}

// sealWords returns a function that seals n records in one commit.
func sealWords(s guard.Store, n int) func() error {
	return func() error {
		_, err := s.Update(context.Background(), func(tx guard.Tx) ([]event.Draft, error) {
			drafts := make([]event.Draft, n)
			for i := range drafts {
				drafts[i] = written("words", tx.Now())
			}
			return drafts, nil
		})
		return err
	}
}

// again benchmarks calls one after the other.
func again(b *testing.B, f func() error) {
	b.ReportAllocs()
	for b.Loop() {
		if err := f(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkAlone is one sealed write with nobody else about, beside a synced append and
// the driver's one transaction of the same rows.
func BenchmarkAlone(b *testing.B) {
	v := newSite(b)
	b.Run("floor-append", func(b *testing.B) {
		f, err := bare.OpenFile(filepath.Join(v.dir, "bare.log"), 300)
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		again(b, f.Append)
	})
	b.Run("floor-driver", func(b *testing.B) {
		db := benchDriver(b, v, "alone-driver.db")
		again(b, func() error { return db.Commit(1) })
	})
	// One goroutine asks and another one commits, as in the store.
	b.Run("floor-driver-handed-over", func(b *testing.B) {
		g := bare.NewGroup(benchDriver(b, v, "alone-handed.db"))
		defer g.Close()
		again(b, g.Write)
	})
	b.Run("store", func(b *testing.B) { again(b, sealWords(benchStore(b, v, "alone.db"), 1)) })
}

// BenchmarkGroup is the write of one of many writers, beside the driver's group commit
// of the same statements.
func BenchmarkGroup(b *testing.B) {
	v := newSite(b)
	for _, writers := range []int{64, 256} {
		b.Run(fmt.Sprintf("floor-driver/%d", writers), func(b *testing.B) {
			g := bare.NewGroup(benchDriver(b, v, fmt.Sprintf("group-driver-%d-%d.db", writers, b.N)))
			defer g.Close()
			crowd(b, writers, g.Write)
		})
		b.Run(fmt.Sprintf("store/%d", writers), func(b *testing.B) {
			crowd(b, writers, sealWords(benchStore(b, v, fmt.Sprintf("group-%d-%d.db", writers, b.N)), 1))
		})
	}
}

// crowd has n goroutines share b.N calls.
func crowd(b *testing.B, n int, f func() error) {
	left := make(chan struct{}, b.N)
	for range b.N {
		left <- struct{}{}
	}
	close(left)
	b.ReportAllocs()
	b.ResetTimer()
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			for range left {
				if err := f(); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "writes/s")
}

// BenchmarkProcesses has eight processes write in turns. The floor is one of them with
// nobody else about.
func BenchmarkProcesses(b *testing.B) {
	for _, n := range []int{1, 8} {
		name := fmt.Sprintf("%d", n)
		if n == 1 {
			name = "floor/1"
		}
		b.Run(name, func(b *testing.B) {
			v := newSite(b)
			v.open(nil)
			each := b.N/n + 1
			cmds, outs := make([]*exec.Cmd, n), make([]*bufio.Scanner, n)
			worst := make([]time.Duration, n)
			for i := range n {
				cmds[i], outs[i] = v.child(strconv.Itoa(i), each, "none", 0)
			}
			b.ResetTimer()
			var wg sync.WaitGroup
			for i, out := range outs {
				wg.Go(func() {
					if !out.Scan() { // the first one waits for the process to start
						return
					}
					for last := time.Now(); out.Scan(); last = time.Now() {
						worst[i] = max(worst[i], time.Since(last))
					}
				})
			}
			wg.Wait()
			for i := range cmds {
				if err := cmds[i].Wait(); err != nil {
					b.Fatal(err)
				}
				worst[0] = max(worst[0], worst[i])
			}
			b.ReportMetric(float64(worst[0].Microseconds())/1e3, "worst-ms")
			b.ReportMetric(float64(each*n)/b.Elapsed().Seconds(), "writes/s")
		})
	}
}

// BenchmarkLog reads and checks a log of 20,000 entries, beside the driver's scan and
// hash of the same rows.
func BenchmarkLog(b *testing.B) {
	const n = 20_000
	v := newSite(b)
	s := benchStore(b, v, "log.db")
	if err := sealWords(s, n)(); err != nil {
		b.Fatal(err)
	}
	rate := func(b *testing.B) { b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "entries/s") }
	b.Run("floor-driver", func(b *testing.B) {
		db, err := bare.OpenDB(filepath.Join(v.dir, "log.db"), time.Minute, bare.Row{})
		if err != nil {
			b.Fatal(err)
		}
		defer db.Close()
		again(b, func() error {
			got, err := db.Hash("SELECT body, leaf FROM log ORDER BY seq")
			if err == nil && got != n {
				err = fmt.Errorf("%d rows", got)
			}
			return err
		})
		rate(b)
	})
	b.Run("verify", func(b *testing.B) {
		head, err := s.Head(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		want := ledger.Expectation{Head: head.Frontier, Tile: func(level int, index int64) ([]ledger.Hash, error) {
			return s.Tile(b.Context(), level, index)
		}}
		again(b, func() error { _, err := ledger.Verify(s.Log(b.Context(), 0), want); return err })
		rate(b)
	})
}

// BenchmarkOpen opens a store of 20,000 entries, beside an empty one.
func BenchmarkOpen(b *testing.B) {
	v := newSite(b)
	if err := benchStore(b, v, "empty.db").Close(); err != nil {
		b.Fatal(err)
	}
	s := benchStore(b, v, "long.db")
	if err := sealWords(s, 20_000)(); err != nil {
		b.Fatal(err)
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	for _, name := range []string{"empty", "long"} {
		b.Run(name, func(b *testing.B) {
			again(b, func() error {
				s, err := sqlite.Open(b.Context(), sqlite.Options{Path: filepath.Join(v.dir, name+".db"), LogID: logID, Signer: v.signer})
				if err != nil {
					return err
				}
				return s.Close()
			})
		})
	}
}
