package storetest

import (
	"context"
	"crypto/rand"
	"fmt"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/ledger"
)

// Config says which store a backend opens, and with what.
type Config struct {
	Dir      string           // the same directory is the same store
	LogID    string           // empty: the store must be there already
	Signer   note.Signer      // of checkpoints; nil: no event can be sealed
	Now      func() time.Time // nil: time.Now
	Deadline time.Duration    // of an update's wait for its turn; 0: the backend's own
	ReadOnly bool
}

// Age says how a store shows that a newer program made it its own.
type Age int

// The ways.
const (
	NewerSchema Age = iota // nothing of it can be read
	NewerWriter            // it can be read, and takes no events from us
)

// Backend is a kind of store under test.
type Backend struct {
	// Open opens or makes a store.
	Open func(ctx context.Context, c Config) (guard.Store, error)
	// Age makes the store in dir, which nobody has open or which is open as s, that of a
	// newer program.
	Age func(t *testing.T, dir string, how Age)
}

// LogID names the logs that the suite makes.
const LogID = "storetest/log"

// Run runs the suite.
func Run(t *testing.T, b Backend) {
	for name, test := range map[string]func(*testing.T, Backend){
		"Log":         testLog,
		"Errors":      testErrors,
		"Panic":       testPanic,
		"Unsigned":    testUnsigned,
		"Clock":       testClock,
		"Writers":     testWriters,
		"Overlay":     testOverlay,
		"Batch":       testBatch,
		"TxIsOver":    testTxIsOver,
		"Tables":      testTables,
		"Scan":        testScan,
		"ScanInside":  testScanInside,
		"Sides":       testSides,
		"Sessions":    testSessions,
		"SessionKeys": testSessionKeys,
		"Marks":       testMarks,
		"TakeOnce":    testTakeOnce,
		"Words":       testWords,
		"Items":       testItems,
		"ItemsAtOnce": testItemsAtOnce,
		"Speakers":    testSpeakers,
		"SpeakersNow": testSpeakersNow,
		"Iterators":   testIterators,
		"Reopen":      testReopen,
		"Closed":      testClosed,
		"Cancelled":   testCancelled,
		"ReadOnly":    testReadOnly,
		"LogID":       testLogID,
		"Newer":       testNewer,
	} {
		t.Run(name, func(t *testing.T) { test(t, b) })
	}
}

// fixture is an open store with the key that its checkpoints are signed with.
type fixture struct {
	guard.Store
	t        *testing.T
	backend  Backend
	config   Config
	verifier note.Verifier
}

// patience is how long an update waits for its turn: what is asked is who gets it, and a
// busy machine decides nothing.
const patience = 2 * time.Minute

// open makes a store; change, if any, alters how.
func open(t *testing.T, b Backend, change ...func(*Config)) *fixture {
	t.Helper()
	private, public, err := note.GenerateKey(rand.Reader, LogID)
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{t: t, backend: b, config: Config{Dir: t.TempDir(), LogID: LogID, Deadline: patience}}
	if f.config.Signer, err = note.NewSigner(private); err != nil {
		t.Fatal(err)
	}
	if f.verifier, err = note.NewVerifier(public); err != nil {
		t.Fatal(err)
	}
	for _, c := range change {
		c(&f.config)
	}
	f.Store = f.again()
	return f
}

// again opens the fixture's store once more; it is closed with the test.
func (f *fixture) again(change ...func(*Config)) guard.Store {
	f.t.Helper()
	c := f.config
	for _, ch := range change {
		ch(&c)
	}
	s, err := f.backend.Open(f.t.Context(), c)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() {
		if err := s.Close(); err != nil {
			f.t.Errorf("close: %v", err)
		}
	})
	return s
}

// update runs fn and wants it to be kept.
func (f *fixture) update(fn func(tx guard.Tx) ([]event.Draft, error)) []*event.Event {
	f.t.Helper()
	events, err := f.Update(f.t.Context(), fn)
	if err != nil {
		f.t.Fatal(err)
	}
	return events
}

// put seals drafts.
func (f *fixture) put(drafts ...event.Draft) []*event.Event {
	f.t.Helper()
	return f.update(func(guard.Tx) ([]event.Draft, error) { return drafts, nil })
}

// verify checks the log against its head, its tiles and its signed checkpoint, and
// returns its size.
func (f *fixture) verify() int64 {
	f.t.Helper()
	ctx := f.t.Context()
	head, err := f.Head(ctx)
	if err != nil {
		f.t.Fatal(err)
	}
	want := ledger.Expectation{Head: head.Frontier, Tile: func(level int, index int64) ([]ledger.Hash, error) {
		return f.Tile(ctx, level, index)
	}}
	if head.Frontier.Size() > 0 {
		c, err := ledger.OpenCheckpoint(head.Checkpoint, note.VerifierList(f.verifier), LogID)
		if err != nil {
			f.t.Fatalf("checkpoint: %v", err)
		}
		if c.Size != head.Frontier.Size() {
			f.t.Fatalf("the newest checkpoint is over %d entries of %d", c.Size, head.Frontier.Size())
		}
		want.Checkpoints = append(want.Checkpoints, c)
	}
	sum, err := ledger.Verify(f.Log(ctx, 0), want)
	if err != nil {
		f.t.Fatalf("verify: %v", err)
	}
	if want := sum.Size / 256; sum.Tiles < want {
		f.t.Errorf("%d tiles agree, want at least %d", sum.Tiles, want)
	}
	return sum.Size
}

// id makes the n-th record id; ids ascend with n.
func id(n int) hearsay.RecordID { return hearsay.NewRecordID(int64(n)+1, [10]byte{}) }

// record drafts an image of the n-th record.
func record(n int, standing hearsay.Standing, delivery hearsay.Delivery) event.Draft {
	return event.Draft{
		Event: event.Event{Kind: event.WriteAllowed, Record: &event.Record{
			ID: id(n), Standing: standing, Delivery: delivery, Source: "web", Principal: "ana", Session: "s",
			Surface: hearsay.SurfaceLib, Store: "store", Namespace: hearsay.Namespace{"n"}, Op: event.Create,
		}},
		Side: event.Side{Content: fmt.Appendf(nil, "words of %d", n)},
	}
}

// started drafts the start of a session: an event without a row and without words.
func started(name string) event.Draft {
	return event.Draft{Event: event.Event{Kind: event.SessionStart, Session: &event.Session{
		ID: name, Principal: "ana", Surface: hearsay.SurfaceLib, Label: hearsay.LabelIdentity,
	}}}
}

// clock is a clock that is set by hand.
type clock struct{ ms int64 }

func (c *clock) now() time.Time { return time.UnixMilli(c.ms) }

func mark(n byte) [32]byte { return [32]byte{n, 31: n} }
