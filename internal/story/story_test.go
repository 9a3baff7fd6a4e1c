package story

import (
	"errors"
	"testing"

	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/hometest"
)

// TestRefOf: an address is shown as it was sealed or not at all.
func TestRefOf(t *testing.T) {
	in := hometest.Held(t)
	refs := func() (list []string, tampered int) {
		for entry, err := range in.Store.Log(t.Context(), 0) {
			if err != nil {
				t.Fatal(err)
			}
			e, err := event.Decode(entry.Body)
			if err != nil {
				t.Fatal(err)
			}
			ref, err := refOf(t.Context(), in, e)
			switch {
			case errors.Is(err, guard.ErrTampered):
				tampered++
			case err != nil:
				t.Fatal(err)
			case ref != "":
				list = append(list, ref)
			}
		}
		return list, tampered
	}
	if list, tampered := refs(); len(list) != 1 || list[0] != "https://evil.example" || tampered != 0 {
		t.Errorf("%q and %d changed, want the page", list, tampered)
	}
	if err := hometest.Change(in.Home.Dir(), "UPDATE side SET blob = CAST(replace(CAST(blob AS TEXT), 'evil', 'good') AS BLOB)"); err != nil {
		t.Fatal(err)
	}
	if list, tampered := refs(); len(list) != 0 || tampered != 1 {
		t.Errorf("%q and %d changed, want none and 1", list, tampered)
	}
	if err := hometest.Change(in.Home.Dir(), "DELETE FROM side"); err != nil {
		t.Fatal(err)
	}
	if list, tampered := refs(); len(list) != 0 || tampered != 0 {
		t.Errorf("%q and %d changed, want what was erased to be empty", list, tampered)
	}
}
