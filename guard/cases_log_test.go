package guard_test

import (
	"fmt"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
)

// Cutting the newest entries, the first ones or all of them is found, though each that is
// left verifies: how many there were is signed, and a copy of that lies elsewhere.
func TestMC102CutLog(t *testing.T) {
	for name, cut := range map[string]func(w *world, size int64) []string{
		"the last three": func(_ *world, n int64) []string { return []string{fmt.Sprintf("DELETE FROM log WHERE seq >= %d", n-3)} },
		"the last three, and the head": func(w *world, n int64) []string {
			return []string{w.cut(n - 3), fmt.Sprintf("DELETE FROM log WHERE seq >= %d", n-3)}
		},
		"the first": func(*world, int64) []string { return []string{"DELETE FROM log WHERE seq = 0"} },
		"the first, and the rest moved up": func(*world, int64) []string {
			return []string{"DELETE FROM log WHERE seq = 0", "UPDATE log SET seq = -seq", "UPDATE log SET seq = -seq - 1"}
		},
		"all of it":               func(*world, int64) []string { return []string{"DELETE FROM log"} },
		"all of it, and the head": func(w *world, _ int64) []string { return []string{w.cut(0), "DELETE FROM log"} },
		"all of it, the head and the state": func(w *world, _ int64) []string {
			return []string{w.cut(0), "DELETE FROM log", "DELETE FROM record", "DELETE FROM row", "DELETE FROM side"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "default")
			c := w.session("ana", "session-1")
			for i := range 10 {
				w.write(c, lesson(fmt.Sprint("lesson ", i)), hearsay.Allowed)
			}
			head, err := w.store.Head(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			size := head.Frontier.Size()
			if rep := w.verify(head.Checkpoint); !rep.Consistent {
				t.Fatalf("it does not verify: %v", rep.Fault)
			}
			w.tamper(cut(w, size)...)
			for _, outside := range [][][]byte{nil, {head.Checkpoint}} {
				rep, err := guard.Verify(t.Context(), w.store, guard.Expect{Keys: note.VerifierList(w.verifier), Outside: outside})
				if err == nil && rep.Consistent {
					t.Errorf("it verifies, with %d copies: %+v", len(outside), rep)
				}
			}
		})
	}
}

// Of twenty candidates the fifteen that may not be shown go first: every one that may is
// there, and how many were left out is said.
func TestMC104IneligibleFirst(t *testing.T) {
	w := newWorld(t, "default")
	dirty := w.session("ana", "session-dirty")
	w.read(dirty, "https://a.example.test")
	clean := w.session("ana", "session-clean")
	var texts []string
	good := make(map[string]bool)
	for i := range 20 {
		text := fmt.Sprint("candidate ", i)
		texts = append(texts, text)
		if i%4 != 3 {
			w.write(dirty, lesson(text), hearsay.Held)
			continue
		}
		d := w.write(clean, lesson(text), hearsay.Allowed)
		w.land(clean, d.ID, observation(text))
		good[text] = true
	}
	got := w.recall(clean, texts...)
	shown := 0
	for i, it := range got.Items {
		if (it.Show == guard.Pass) != good[texts[i]] {
			t.Errorf("%s: %+v", texts[i], it)
		}
		if it.Show == guard.Pass {
			shown++
		}
	}
	if shown != 5 || got.Hidden != 15 || len(got.Omitted) != 0 || got.Label.Tainted() {
		t.Errorf("%d shown, %d hidden, %d omitted, %s", shown, got.Hidden, len(got.Omitted), got.Label)
	}
	// Among ones that may be shown with a mark, the cap says which it left out.
	var marked []string
	for i := range 5 {
		text := fmt.Sprint("fact ", i)
		d := w.write(dirty, fact(text), hearsay.Allowed)
		w.land(dirty, d.ID, observation(text))
		marked = append(marked, text)
	}
	got = w.recall(clean, append(marked, texts...)...)
	shown = 0
	for i, it := range got.Items {
		if i >= len(marked) && it.Show == guard.Pass {
			shown++
		}
	}
	if shown != 5 || len(got.Omitted) != 3 || got.Hidden != 15 {
		t.Errorf("%d of the five are shown, %d omitted, %d hidden", shown, len(got.Omitted), got.Hidden)
	}
}
