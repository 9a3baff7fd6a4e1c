package memory_test

import (
	"fmt"
	"testing"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
)

// What strangers and others said in turns is brought into the index at once, with what was
// taken out again meanwhile: each part is found whole, and the full-text index is what its
// rows say.
func TestStrangersAndOthersInTurns(t *testing.T) {
	w := newWorld(t)
	page, c := w.session("ana", "session-page"), w.session("ana", "session-1")
	gone := make(map[hearsay.RecordID]bool)
	for i := range 40 {
		by, n := page, webs(fmt.Sprintf("The harbour opens at %d", i))
		if i%2 == 1 {
			by, n = c, agents(n.Text)
			n.Source = hearsay.Source{Type: "hand_edit"}
		}
		d, err := w.RememberAside(t.Context(), by, n)
		if err != nil || !d.Standing.Visible() {
			t.Fatal(d.Standing, err)
		}
		if i >= 38 {
			if err := w.Settle(t.Context()); err != nil {
				t.Fatal(err)
			}
			w.review(reviewer.Revoke, d.ID)
			gone[d.ID] = true
		}
	}
	for _, query := range []string{"", "harbour"} {
		got, _ := w.recall(w.session("ana", "session-2"), memory.Ask{Query: query, K: 10})
		count := make(map[hearsay.Origin]int)
		for _, r := range got.Results {
			count[r.Label.Origin]++
			if gone[r.ID] {
				t.Errorf("%q: %s was revoked", query, r.ID)
			}
		}
		if count[hearsay.External] != 2 || count[hearsay.Unverified] != 10 {
			t.Errorf("%q: recalled %v, want 2 of strangers and 10 of others", query, count)
		}
	}
	for _, of := range []string{"trusted", "rest"} {
		if err := w.SpoilIndex(fmt.Sprintf("INSERT INTO %[1]s_text(%[1]s_text) VALUES('integrity-check')", of)); err != nil {
			t.Errorf("%s: %v", of, err)
		}
	}
	w.quiet()
}
