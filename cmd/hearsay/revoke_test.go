package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
)

// TestDeclaredOnly: what hangs on the selection by declared parents alone is kept,
// over several steps and in any order; what hangs on mere exposure is not.
func TestDeclaredOnly(t *testing.T) {
	id := func(n byte) hearsay.RecordID { return hearsay.RecordID{n} }
	rec := func(n byte, via guard.Via, parents ...byte) guard.Derived {
		r := &event.Record{ID: id(n)}
		for _, p := range parents {
			r.Parents = append(r.Parents, id(p))
		}
		return guard.Derived{Record: r, Via: via}
	}
	found := declaredOnly([]guard.Derived{
		rec(4, guard.ViaParent, 3),
		rec(1, guard.ViaSelected),
		rec(2, guard.ViaExposure),
		rec(3, guard.ViaParent, 9, 1),
		rec(5, guard.ViaParent, 2), // its parent was merely exposed
	})
	var got []byte
	for _, d := range found {
		got = append(got, d.Record.ID[0])
	}
	if d := cmp.Diff([]byte{4, 1, 3}, got); d != "" {
		t.Errorf("kept (-want +got):\n%s", d)
	}
}
