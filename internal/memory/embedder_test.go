package memory_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/memory"
)

// Whatever an embedder does, a recall finds by words what it would find without one, in
// bounded time, and says so.
func TestBadEmbedder(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	each := func(f func(v []float32) []float32) func([]string, [][]float32) ([][]float32, error) {
		return func(_ []string, vectors [][]float32) ([][]float32, error) {
			for i := range vectors {
				vectors[i] = f(vectors[i])
			}
			return vectors, nil
		}
	}
	all := func(x float32) func([]string, [][]float32) ([][]float32, error) {
		return each(func(v []float32) []float32 {
			for i := range v {
				v[i] = x
			}
			return v
		})
	}
	var hang chan struct{} // of the bubble
	for name, bend := range map[string]func([]string, [][]float32) ([][]float32, error){
		"error":     func([]string, [][]float32) ([][]float32, error) { return nil, errors.New("no model") },
		"hangs":     func([]string, [][]float32) ([][]float32, error) { <-hang; return nil, nil },
		"none":      func([]string, [][]float32) ([][]float32, error) { return nil, nil },
		"too many":  func(_ []string, v [][]float32) ([][]float32, error) { return append(v, v...), nil },
		"too few":   func(_ []string, v [][]float32) ([][]float32, error) { return v[:len(v)-1], nil },
		"nil":       each(func([]float32) []float32 { return nil }),
		"NaN":       each(func(v []float32) []float32 { v[3] = nan; return v }),
		"infinite":  each(func(v []float32) []float32 { v[3] = inf; return v }),
		"zero":      all(0),
		"one":       all(1),
		"too long":  each(func([]float32) []float32 { return make([]float32, 1<<20) }),
		"too short": each(func(v []float32) []float32 { return v[:7] }),
		"any length": func(_ []string, v [][]float32) ([][]float32, error) {
			for i := range v {
				v[i] = v[i][:1+i%len(v[i])]
			}
			return v, nil
		},
	} {
		for _, from := range []string{"the start", "then on"} {
			t.Run(name+" from "+from, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					hang = make(chan struct{})
					w := newWorld(t)
					w.reopenWith(&toy{name: "toy", dim: 128})
					if from == "the start" {
						w.toy.bends(bend)
					}
					start := time.Now()
					first := w.say(agents("The harbour opens at six")).ID
					w.toy.bends(bend)
					own := w.say(agents("The gate of the harbour is blue")).ID
					for i := range 5 {
						_, ids := w.recall(w.session("ana", fmt.Sprint("session-", i)), memory.Ask{Query: "harbour"})
						if len(ids) != 2 || !slices.Contains(ids, own) || !slices.Contains(ids, first) {
							t.Errorf("recalled %v", ids)
						}
					}
					if took := time.Since(start); took > 25*time.Second {
						t.Errorf("it took %v", took)
					}
					// A model of seven numbers is one, and so is, for all that can be seen, one that
					// forgets everything one day.
					seen := !(name == "too short" && from == "the start" || name == "one" && from == "then on")
					if seen == (w.logged.Len() == 0) || strings.Contains(w.logged.String(), "harbour") || strings.Count(w.logged.String(), "\n") > 12 {
						t.Errorf("it was logged: %s", w.logged)
					}
					// In the end it works, and so do vectors.
					w.toy.bends(nil)
					w.recall(w.session("ana", "session-last"), memory.Ask{Query: "quay"})
					time.Sleep(2 * time.Hour)
					if _, err := w.Embed(t.Context()); err != nil {
						t.Fatal(err)
					}
					if _, ids := w.recall(w.session("ana", "session-last"), memory.Ask{Query: "quay"}); !slices.Contains(ids, own) && name != "one" || !slices.Contains(ids, first) {
						t.Errorf("in the end: %v", ids)
					}
					close(hang) // those who hung end
				})
			})
		}
	}
}

// An embedder that hangs costs one wait a minute and not one each time.
func TestHangingEmbedderRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newToyWorld(t)
		w.say(agents("The harbour opens at six"))
		hang := make(chan struct{})
		w.toy.bends(func([]string, [][]float32) ([][]float32, error) { <-hang; return nil, nil })
		start := time.Now()
		for i := range 50 {
			w.recall(w.session("ana", fmt.Sprint("session-", i)), memory.Ask{Query: "harbour"})
		}
		if took := time.Since(start); took != 10*time.Second {
			t.Errorf("it took %v", took)
		}
		// Who gives up meanwhile is not kept, and that is no fault of the embedder's.
		time.Sleep(2 * time.Minute)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start = time.Now()
		if _, err := w.Recall(ctx, w.session("ana", "session-1"), memory.Ask{Query: "harbour"}); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		w.toy.bends(nil)
		if _, ids := w.recall(w.session("ana", "session-1"), memory.Ask{Query: "quay"}); len(ids) != 1 {
			t.Errorf("recalled %v", ids)
		}
		close(hang)
	})
}

// A stranger's text that breaks the embedder costs itself its vector: what is trusted does
// not wait for it, and other strangers' gets its turn.
func TestPoisonedTextIsFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		for i := range 40 {
			text := fmt.Sprintf("quay fact %d", i)
			if i%13 == 5 {
				text += " poison"
			}
			if _, err := w.RememberAside(t.Context(), w.session("ana", "session-1"), webs(text)); err != nil {
				t.Fatal(err)
			}
		}
		own := w.say(agents("the automobile")).ID
		w.reopenWith(&toy{name: "toy", dim: 128})
		w.logged.Reset()
		if _, ids := w.recall(w.session("ana", "session-2"), memory.Ask{Query: "car"}); !slices.Equal(ids, []hearsay.RecordID{own}) {
			t.Errorf("at once: %v", ids)
		}
		for range 50 {
			time.Sleep(61 * time.Second)
			if _, err := w.Embed(t.Context()); err != nil && !strings.Contains(err.Error(), "poisoned") {
				t.Fatal(err)
			}
		}
		n, err := w.Vectors("strangers")
		if err != nil || n != 37 {
			t.Errorf("%d of 37 have a vector, %v", n, err)
		}
	})
}

// Another command, and another model behind the same one, make all vectors anew, and a store
// that was opened before leaves them alone.
func TestChangedEmbedderMakesThemAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newToyWorld(t)
		own := w.say(agents("the automobile")).ID
		find := func(s *memory.Store) bool {
			t.Helper()
			got, err := s.Recall(t.Context(), w.session("ana", "session-"+fmt.Sprint(time.Now().UnixNano())), memory.Ask{Query: "car"})
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
			return len(got.Results) == 1 && got.Results[0].ID == own
		}
		if !find(w.Store) {
			t.Fatal("it is not found")
		}
		before, first := w.Store, w.toy
		defer before.Close()
		w.toy = &toy{name: "other", dim: 128}
		w.Store = w.memoryOf("ana")
		if !find(w.Store) || !saw(w.toy.took(), "automobile") {
			t.Error("another command did not make it anew")
		}
		first.took()
		for range 3 {
			if find(before) || len(first.took()) != 0 {
				t.Error("the store that was opened before goes on")
			}
		}
		if n := strings.Count(w.logged.String(), "another embedder"); n != 1 {
			t.Errorf("it was logged %d times", n)
		}
		if !find(w.Store) || saw(w.toy.took(), "automobile") {
			t.Error("it was made anew again")
		}
		// A model of another size behind the same name.
		w.toy.dim = 64
		find(w.Store)
		time.Sleep(2 * time.Minute)
		if !find(w.Store) || !saw(w.toy.took(), "automobile") {
			t.Error("another size did not make it anew")
		}
		// Once wrong is not another model.
		w.toy.bends(func(_ []string, v [][]float32) ([][]float32, error) { return [][]float32{v[0][:9]}, nil })
		find(w.Store)
		w.toy.bends(nil)
		time.Sleep(2 * time.Minute)
		w.toy.took()
		if !find(w.Store) || saw(w.toy.took(), "automobile") {
			t.Error("one wrong vector made all anew")
		}
		// A lost index.
		if err := w.SpoilIndex("DROP TABLE trusted_vector"); err != nil {
			t.Fatal(err)
		}
		find(w.Store) // it is found to be lost when the vectors were asked for
		if !find(w.Store) || !saw(w.toy.took(), "automobile") {
			t.Error("a lost index has no vectors")
		}
	})
}
