package event_test

import (
	"crypto/rand"
	"crypto/sha256"
	"testing"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
)

// benchDraft is the draft of an allowed write.
func benchDraft() event.Draft {
	return event.Draft{
		Event: event.Event{Kind: event.WriteAllowed, Record: &event.Record{
			ID: hearsay.NewRecordID(1_700_000_000_000, [10]byte{1}), Standing: hearsay.Allowed, Delivery: hearsay.Intent,
			Label: hearsay.Label{Origin: hearsay.Agent, Taint: hearsay.Untainted}, Source: "agent", Principal: "ana", Session: "session-1",
			Surface: hearsay.SurfaceMCP, Store: "store", Namespace: hearsay.Namespace{"notes"}, Op: event.Create, Rule: "own-words", Weight: 1,
		}},
		Side: event.Side{Content: []byte("Backups run at 02:00 on the second host")},
	}
}

// BenchmarkEvent is what an event costs: to seal it, to read it again and to fold it,
// beside the hash of its bytes that nothing can do without.
func BenchmarkEvent(b *testing.B) {
	d := benchDraft()
	sealed, err := event.Seal(d, 7, 0, 1_700_000_000_000, rand.Reader)
	if err != nil {
		b.Fatal(err)
	}
	run := func(name string, f func() error) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(sealed.Body)))
			b.ReportAllocs()
			for b.Loop() {
				if err := f(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	run("floor-sha256", func() error { sha256.Sum256(sealed.Body); return nil })
	run("seal", func() error { _, err := event.Seal(d, 7, 0, 1_700_000_000_000, rand.Reader); return err })
	run("encode", func() error { _, err := sealed.Event.Encode(); return err })
	run("decode", func() error { _, err := event.Decode(sealed.Body); return err })
	run("fold", func() error { _, err := event.Fold(sealed.Event); return err })
}
