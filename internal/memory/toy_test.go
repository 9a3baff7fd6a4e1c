package memory_test

import (
	"context"
	"errors"
	"hash/fnv"
	"slices"
	"strings"
	"sync"
	"testing"
)

// toy is an embedder: the vector of a text is the sum of those of its words, and words that
// mean the same have the same. It fails where a text has the word "poison".
type toy struct {
	name string
	dim  int

	mu   sync.Mutex
	seen []string // all texts that it was shown
	bend func(texts []string, vectors [][]float32) ([][]float32, error)
}

// meaning of words that mean the same as another.
var meaning = map[string]string{"automobile": "car", "vehicle": "car", "physician": "doctor", "harbor": "harbour", "quay": "harbour"}

func (e *toy) embed(_ context.Context, texts []string) ([][]float32, error) {
	e.mu.Lock()
	e.seen = append(e.seen, texts...)
	bend := e.bend
	e.mu.Unlock()
	out := make([][]float32, len(texts))
	for i, t := range texts {
		if strings.Contains(t, "poison") {
			return nil, errors.New("poisoned")
		}
		out[i] = e.vector(t)
	}
	if bend != nil {
		return bend(texts, out)
	}
	return out, nil
}

// vector is not of length 1.
func (e *toy) vector(text string) []float32 {
	v := make([]float32, e.dim)
	for w := range strings.FieldsSeq(strings.ToLower(text)) {
		w = strings.Trim(w, ".,!:")
		if m, ok := meaning[w]; ok {
			w = m
		}
		for i, x := range e.word(w) {
			v[i] += x
		}
	}
	return v
}

// word returns the vector of one word.
func (e *toy) word(w string) []float32 {
	h := fnv.New64a()
	h.Write([]byte(w))
	r := h.Sum64()
	v := make([]float32, e.dim)
	for i := range v {
		r = r*6364136223846793005 + 1442695040888963407
		v[i] = float32(int32(r>>32)) / (1 << 31)
	}
	return v
}

// bends lets the embedder do something wrong from now on.
func (e *toy) bends(f func(texts []string, vectors [][]float32) ([][]float32, error)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.bend = f
}

// took returns what it was shown since the last call.
func (e *toy) took() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	seen := e.seen
	e.seen = nil
	return seen
}

// saw reports whether it was shown something that holds a text.
func saw(seen []string, text string) bool {
	return slices.ContainsFunc(seen, func(s string) bool { return strings.Contains(s, text) })
}

// newToyWorld is newWorld with an embedder.
func newToyWorld(t testing.TB, replace ...string) *world {
	t.Helper()
	w := newWorld(t, replace...)
	w.reopenWith(&toy{name: "toy", dim: 128})
	return w
}

// reopenWith opens the home as another process would that has another embedder; nil: none.
func (w *world) reopenWith(e *toy) {
	w.t.Helper()
	w.close()
	w.toy = e
	w.open()
}
