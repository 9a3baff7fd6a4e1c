package guard_test

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/bench/bare"
	"github.com/hearsay-memory/hearsay/internal/lint"
	"github.com/hearsay-memory/hearsay/internal/store/sqlite"
	"github.com/hearsay-memory/hearsay/internal/strictjson"
	"github.com/hearsay-memory/hearsay/internal/textfold"
	"github.com/hearsay-memory/hearsay/ledger"
	"github.com/hearsay-memory/hearsay/policy"
)

// benchGuard is a guard with the default policy and the lint over a new store, and a
// session of ana's.
func benchGuard(b *testing.B) (*guard.Guard, hearsay.Caller, note.Verifiers) {
	b.Helper()
	must := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	private, public, err := note.GenerateKey(rand.Reader, "test/log")
	must(err)
	key, err := note.NewSigner(private)
	must(err)
	verifier, err := note.NewVerifier(public)
	must(err)
	s, err := sqlite.Open(b.Context(), sqlite.Options{Path: filepath.Join(b.TempDir(), "hearsay.db"), LogID: "test/log", Signer: key})
	must(err)
	b.Cleanup(func() { _ = s.Close() })
	g := guard.New(guard.Config{Store: s, Policy: benchPolicy(b), Index: ledger.IndexKey{1}, Lint: lint.Text})
	c := hearsay.Caller{Principal: "ana", Session: "session-1", Surface: hearsay.SurfaceMCP}
	_, err = g.Open(b.Context(), c, guard.Start{})
	must(err)
	return g, c, note.VerifierList(verifier)
}

func benchPolicy(b *testing.B) *policy.Policy {
	b.Helper()
	data, err := policy.Profile("default")
	if err != nil {
		b.Fatal(err)
	}
	p, err := policy.Parse("default.yaml", data)
	if err != nil {
		b.Fatal(err)
	}
	return p
}

// BenchmarkCheck is all that happens in the process to a write of half a KiB, beside a
// copy and a hash of its bytes.
func BenchmarkCheck(b *testing.B) {
	const before, after = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"add_observations","arguments":{"observations":[{"entityName":"billing","contents":["`, `"]}]}}}`
	text := strings.Repeat("The build runs on the second host, and the report goes to the team on Monday. ", 7)
	frame := []byte(before + text[:512-len(before)-len(after)] + after)
	b.Run("floor-copy-and-hash", func(b *testing.B) {
		into := make([]byte, len(frame))
		b.SetBytes(int64(len(frame)))
		for b.Loop() {
			copy(into, frame)
			sha256.Sum256(into)
		}
	})
	b.Run("check", func(b *testing.B) {
		rules := benchPolicy(b)
		var limits strictjson.Limits
		var scratch lint.Scratch
		var folded []byte
		b.SetBytes(int64(len(frame)))
		b.ReportAllocs()
		for b.Loop() {
			f, err := limits.Frame(frame)
			if err != nil {
				b.Fatal(err)
			}
			params, err := limits.Parse(f.Params)
			if err != nil {
				b.Fatal(err)
			}
			w := policy.Write{Source: "agent", Namespace: hearsay.Namespace{"notes"}, Surface: hearsay.SurfaceMCP}
			args, _ := params.Get("arguments")
			for s := range args.Strings() {
				text := s.String()
				folded = textfold.Fold(folded[:0], text)
				w.Evidence.Kinds |= lint.Scan(text, &scratch).Kinds
			}
			w.Label = rules.SourceTable().Classify(hearsay.Source{Type: "agent"}).Label().Join(hearsay.LabelIdentity)
			if v := rules.Decide(&w); v.Action != hearsay.Allow {
				b.Fatal(v.Rule)
			}
			sha256.Sum256(f.Params)
		}
	})
}

// BenchmarkWrite is one guarded write, alone and as one of 64, beside a synced append.
// BenchmarkGroup of the store has the driver's floors.
func BenchmarkWrite(b *testing.B) {
	b.Run("floor-append", func(b *testing.B) {
		f, err := bare.OpenFile(filepath.Join(b.TempDir(), "bare.log"), 300)
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		for b.Loop() {
			if err := f.Append(); err != nil {
				b.Fatal(err)
			}
		}
	})
	var n atomic.Int64
	next := func() guard.Write { return lesson(fmt.Sprintf("Backups run at 02:00 on host %d", n.Add(1))) }
	b.Run("alone", func(b *testing.B) {
		g, c, _ := benchGuard(b)
		b.ReportAllocs()
		for b.Loop() {
			if d, err := g.Write(b.Context(), c, next()); err != nil || d.Standing != hearsay.Allowed {
				b.Fatal(d, err)
			}
		}
	})
	b.Run("64", func(b *testing.B) {
		g, c, _ := benchGuard(b)
		b.SetParallelism(32) // times the cores, which are two where it is measured
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if d, err := g.Write(b.Context(), c, next()); err != nil || d.Standing != hearsay.Allowed {
					b.Error(d, err)
					return
				}
			}
		})
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "writes/s")
	})
}

// BenchmarkVerify verifies a store of 5,000 events, beside the pass over its log alone.
func BenchmarkVerify(b *testing.B) {
	const writes = 5000
	g, c, keys := benchGuard(b)
	s := g.Store()
	_, err := s.Update(b.Context(), func(tx guard.Tx) ([]event.Draft, error) {
		drafts := make([]event.Draft, writes)
		for i := range drafts {
			var random [10]byte
			random[0], random[1] = byte(i>>8), byte(i)
			drafts[i] = event.Draft{
				Event: event.Event{Kind: event.WriteAllowed, Record: &event.Record{
					ID: hearsay.NewRecordID(tx.Now(), random), Standing: hearsay.Allowed, Delivery: hearsay.Intent,
					Label: hearsay.LabelIdentity, Source: "agent", Principal: c.Principal, Session: c.Session, Surface: c.Surface,
					Store: "store", Namespace: hearsay.Namespace{"notes"}, Op: event.Create, Weight: 1,
				}},
				Side: event.Side{Content: []byte("Backups run at 02:00")},
			}
		}
		return drafts, nil
	})
	if err != nil {
		b.Fatal(err)
	}
	rate := func(b *testing.B) {
		b.ReportMetric(writes*float64(b.N)/b.Elapsed().Seconds(), "events/s")
	}
	b.Run("floor-log", func(b *testing.B) {
		head, err := s.Head(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if _, err := ledger.Verify(s.Log(b.Context(), 0), ledger.Expectation{Head: head.Frontier}); err != nil {
				b.Fatal(err)
			}
		}
		rate(b)
	})
	b.Run("whole", func(b *testing.B) {
		for b.Loop() {
			if rep, err := guard.Verify(b.Context(), s, guard.Expect{Keys: keys}); err != nil || !rep.Consistent {
				b.Fatal(rep, err)
			}
		}
		rate(b)
	})
}

// BenchmarkRepeat is a write of a text that many wrote before, by what became of theirs.
// However many they are, it takes as long as a write of another text to a store as large.
func BenchmarkRepeat(b *testing.B) {
	const text = "Backups run at 02:00 on the second host"
	web := hearsay.Label{Origin: hearsay.External, Taint: hearsay.NewTaint("web")}
	for name, of := range map[string]event.Record{
		"landed":  {Standing: hearsay.Allowed, Delivery: hearsay.Applied, Label: hearsay.Label{Origin: hearsay.Agent, Taint: hearsay.Untainted}},
		"allowed": {Standing: hearsay.Allowed, Delivery: hearsay.Intent, Label: web},
		"held":    {Label: web},
		"blocked": {Standing: hearsay.Blocked, Label: web},
	} {
		for _, n := range []int{1, 100, 10_000, -10_000} { // below zero: of another text
			said, label := text, fmt.Sprintf("%s/%d", name, n)
			if n < 0 {
				n, said, label = -n, "Another text", fmt.Sprintf("%s/%d-floor", name, -n)
			}
			b.Run(label, func(b *testing.B) {
				g, c, _ := benchGuard(b)
				key := g.ItemKey("store", observation(text))
				_, err := g.Store().Update(b.Context(), func(tx guard.Tx) ([]event.Draft, error) {
					drafts := make([]event.Draft, n)
					for i := range drafts {
						r := of
						r.ID = hearsay.NewRecordID(tx.Now(), [10]byte{8: byte(i >> 8), 9: byte(i)})
						r.Source, r.Principal, r.Session, r.Surface = "agent", c.Principal, c.Session, c.Surface
						r.Store, r.Namespace, r.Op, r.Weight = "store", hearsay.Namespace{"lessons"}, event.Create, 1
						it := guard.StoredItem{Key: key, Record: r.ID}
						if r.Delivery == hearsay.Applied {
							it.State, it.Landed = guard.ItemLanded, tx.Seq()+int64(i)
						}
						if err := tx.PutItem(it); err != nil {
							return nil, err
						}
						drafts[i] = event.Draft{Event: event.Event{Kind: event.WriteAllowed, Record: &r}, Side: event.Side{Content: []byte(text)}}
					}
					return drafts, nil
				})
				if err != nil {
					b.Fatal(err)
				}
				for i := 0; b.Loop(); i++ {
					w := lesson(said)
					w.Content = fmt.Appendf(nil, "%s %d", said, i) // never the same write
					if _, err := g.Write(b.Context(), c, w); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
