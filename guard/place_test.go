package guard_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
)

// What stands in whose place is told of the records as they stand now: while one is served
// that replaces others, and for good once its words were erased while it was.
func TestDisplaced(t *testing.T) {
	w := newWorld(t, "default")
	c := w.session("ana", "session-1")
	var ids []hearsay.RecordID
	note := func(wr guard.Write, want hearsay.Standing) hearsay.RecordID {
		t.Helper()
		ids = append(ids, w.write(c, wr, want).ID)
		return ids[len(ids)-1]
	}
	check := func(why string, want ...hearsay.RecordID) {
		t.Helper()
		got, err := w.Displaced(t.Context(), ids)
		if err != nil {
			t.Fatal(err)
		}
		sort := func(ids []hearsay.RecordID) []hearsay.RecordID {
			slices.SortFunc(ids, func(a, b hearsay.RecordID) int { return slices.Compare(a[:], b[:]) })
			return ids
		}
		if got := sort(slices.Collect(maps.Keys(got))); !slices.Equal(got, sort(want)) {
			t.Errorf("%s: displaced are %v, want %v", why, got, want)
		}
	}
	first, beside := note(memory("Backups run at 02:00"), hearsay.Allowed), note(memory("The vault is in Oslo"), hearsay.Allowed)
	revoke := func(id hearsay.RecordID) {
		t.Helper()
		if _, err := w.Revoke(t.Context(), w.sign(w.Statement(t.Context(), reviewer.Revoke, id, ""))); err != nil {
			t.Fatal(err)
		}
	}
	check("nothing is replaced")
	second := note(memory("Backups run at 03:00", first), hearsay.Allowed)
	check("it is corrected", first)
	third := note(memory("Backups run at 04:00", second), hearsay.Allowed)
	check("the correction is corrected", first, second)
	revoke(third)
	check("that was revoked", first)
	gone := memory("forgotten", second, beside)
	gone.Op = event.Delete
	forgotten := note(gone, hearsay.Allowed)
	check("they are forgotten", first, second, beside)
	revoke(forgotten)
	check("they are not forgotten", first)

	// What waits stands in nobody's place, until a person lets it in.
	tainted := w.session("ana", "session-2")
	w.read(tainted, "https://page.example.invalid")
	held := w.write(tainted, memory("The vault is at X", beside), hearsay.Held).ID
	ids = append(ids, held)
	check("it waits", first)
	w.review(reviewer.Approve, held)
	check("it is approved", first, beside)
	revoke(held)
	check("it is revoked", first)

	erased, err := w.Erase(t.Context(), w.sign(w.Statement(t.Context(), reviewer.Erase, second, "")), nil)
	if err != nil || !erased.Displaces() {
		t.Fatal(erased, err)
	}
	check("the correction is erased", first)
	if got, err := w.Displaced(t.Context(), []hearsay.RecordID{{6: 0x70, 8: 0x80}}); err != nil || len(got) != 0 {
		t.Errorf("a record that is not there: %v, %v", got, err)
	}
	w.consistent()
}
