package memory

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"zombiezen.com/go/sqlite"

	"github.com/hearsay-memory/hearsay/recall"
)

// Embedder makes vectors of texts: one for each, in their order, all of one length; nil
// where it has none for a text. The index keeps them, so a recall also finds what says the
// same in other words. It is shown the texts of memories that may be served, and queries.
//
// It is asked for a bounded number of bounded texts at a time, and by several at once. What
// it does wrong costs the vectors and nothing else: an error, too few of them, one without
// a direction or of another length, no answer before the context ends.
type Embedder func(ctx context.Context, texts []string) ([][]float32, error)

// Bounds of what an embedder is asked.
const (
	maxVector   = 4096    // numbers of a vector
	maxEmbedded = 8 << 10 // bytes of a text that it is shown
	embedBatch  = 64      // texts at a time

	embedWait = 10 * time.Second // for all that one use of the memory asks
	bulkWait  = time.Minute      // for one batch where nobody waits
	embedRest = time.Minute      // after a failure it is left alone
	embedSoon = time.Hour        // after which a memory that got no vector is tried again
)

// embedding is who makes vectors for a store.
type embedding struct {
	ask     Embedder // nil: nobody
	name    string
	took    bool // the index was of this embedder once
	retired bool // and then of another one: the configuration was changed behind us
}

// model is what is known of the embedder that made the vectors of the index.
type model struct {
	name  string
	era   int64   // another one: none of the vectors is what it was
	dim   int     // numbers of a vector; 0: not known
	floor float64 // see [recall.VectorRelevance]; below 0: to be measured
	again int64   // UTC ms before which it is not asked
}

func readModel(c *sqlite.Conn) (m model, err error) {
	err = each(c, "SELECT name, era, dim, floor, again FROM embedder", func(st *sqlite.Stmt) error {
		m = model{st.ColumnText(0), st.ColumnInt64(1), st.ColumnInt(2), st.ColumnFloat(3), st.ColumnInt64(4)}
		return nil
	})
	return m, err
}

func (m *model) write(c *sqlite.Conn) error {
	return run(c, "INSERT OR REPLACE INTO embedder VALUES(1, ?, ?, ?, ?, ?)", m.name, m.era, m.dim, m.floor, m.again)
}

// resting reports whether a time until which somebody is left alone lies ahead, at most most
// from now: beyond that the clock went backwards.
func resting(again int64, now time.Time, most time.Duration) bool {
	return again > now.UnixMilli() && again <= now.Add(most).UnixMilli()
}

// unrelated are texts that have nothing to do with each other: how near a model puts them
// is what a cosine has to be above to mean anything. They are the same for everybody, so
// that nothing that is remembered moves it.
var unrelated = []string{
	"The train to Lyon leaves from platform nine.",
	"Boil potatoes until they are soft, then add butter.",
	"My sister plays cello in an orchestra.",
	"Database migrations run before each release.",
	"Penguins huddle together against cold wind.",
	"He owes her four hundred euros since March.",
	"Volcanic soil makes excellent wine.",
	"Never restart production during business hours!",
	"A goalkeeper may not touch back passes.",
	"This contract ends when either party dies.",
	"Use tabs, not spaces.",
	"Grandmother was born under another name.",
}

// tellsNothing is a cosine of unrelated texts from which on vectors say nothing.
const tellsNothing = 0.95

// measure returns the length of a model's vectors and the floor of its cosines: the greatest
// between texts that have nothing to do with each other.
func measure(vectors [][]float32) (dim int, floor float64, err error) {
	for i, v := range vectors {
		if v == nil || len(v) != len(vectors[0]) {
			return 0, 0, errors.New("it makes no vectors of one length of plain sentences")
		}
		for _, w := range vectors[:i] {
			near, err := recall.Nearest(nil, w, v, 1)
			if err != nil {
				return 0, 0, err
			}
			for _, n := range near {
				floor = max(floor, n.Cosine)
			}
		}
	}
	if floor > tellsNothing {
		return 0, 0, errors.New("it makes the same vector of everything")
	}
	return len(vectors[0]), floor, nil
}

// askFor asks for vectors of texts until a time. They are scaled to length 1; what is none
// is nil.
func (s *Store) askFor(ctx context.Context, until time.Time, texts []string) ([][]float32, error) {
	limit, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	type answer struct {
		vectors [][]float32
		err     error
	}
	ch := make(chan answer, 1)
	go func() { // which need not mind the context
		v, err := s.embedding.ask(limit, texts)
		ch <- answer{v, err}
	}()
	var got answer
	select {
	case got = <-ch:
	case <-limit.Done():
		got.err = errors.New("it took too long")
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if got.err != nil {
		return nil, got.err
	}
	if len(got.vectors) != len(texts) {
		return nil, fmt.Errorf("it made %d vectors of %d texts", len(got.vectors), len(texts))
	}
	out := make([][]float32, len(texts))
	for i, v := range got.vectors {
		if len(v) > maxVector {
			continue
		}
		if v = slices.Clone(v); recall.Normalize(v) == nil {
			out[i] = v
		}
	}
	return out, nil
}

// ready returns what is known of the store's embedder. It is measured first where nothing
// is, and all vectors are given up where they are another one's. ok is false where it is
// not to be asked now.
func (s *Store) ready(ctx context.Context, until time.Time) (m model, ok bool) {
	if s.embedding.ask == nil {
		return model{}, false
	}
	rest := false
	if err := s.use(ctx, func(c *sqlite.Conn) (err error) {
		if m, err = readModel(c); err != nil {
			return err
		}
		ours := m.name == s.embedding.name
		if !ours && m.name != "" && s.embedding.took && !s.embedding.retired {
			s.embedding.retired = true
			s.log.Warn("vectors are made by another embedder now: restart to use it, until then memories are found by their words")
		}
		s.embedding.took = s.embedding.took || ours
		rest = s.embedding.retired || ours && resting(m.again, time.Now(), embedRest)
		return nil
	}); err != nil || rest {
		return model{}, false // an error is told by the use that follows
	}
	if m.name == s.embedding.name && m.dim > 0 && m.floor >= 0 {
		return m, true
	}
	// Vectors of what is trusted are made while that lock is held: it waits for this anyway.
	if !s.filling[trustedPart].TryLock() {
		return model{}, false // somebody else is at it
	}
	defer s.filling[trustedPart].Unlock()
	return s.getToKnow(ctx, until, m)
}

// getToKnow measures the store's embedder in the place of another one, or of itself as it was.
func (s *Store) getToKnow(ctx context.Context, until time.Time, was model) (model, bool) {
	vectors, err := s.askFor(ctx, until, unrelated)
	if ctx.Err() != nil {
		return model{}, false
	}
	now := model{name: s.embedding.name, era: rand.Int64()}
	if err == nil {
		now.dim, now.floor, err = measure(vectors)
	}
	if err != nil {
		s.log.Warn("the embedder cannot be used: memories are found by their words alone", "error", err)
		now.floor, now.again = -1, time.Now().Add(embedRest).UnixMilli()
		if was.name == now.name {
			now.dim = was.dim
		}
	}
	other := was.name != now.name || was.dim != now.dim
	if !other {
		now.era = was.era
	}
	done := false
	if err := s.use(ctx, func(c *sqlite.Conn) error {
		return inTx(c, func() error {
			done = false
			if is, err := readModel(c); err != nil || is != was {
				return err // another process was faster
			}
			if other {
				for _, p := range parts {
					if err := p.forget(c); err != nil {
						return err
					}
				}
			}
			done, s.embedding.took = true, true
			return now.write(c)
		})
	}); err != nil {
		s.log.Warn("what was learnt of the embedder is lost", "error", err)
		return model{}, false
	}
	return now, done && err == nil
}

// leave lets the embedder rest after it failed.
func (s *Store) leave(ctx context.Context, change string) {
	if err := s.use(ctx, func(c *sqlite.Conn) error {
		return run(c, "UPDATE embedder SET again = ?"+change+" WHERE name = ?", time.Now().Add(embedRest).UnixMilli(), s.embedding.name)
	}); err != nil {
		s.log.Warn("that the embedder failed is forgotten", "error", err)
	}
}

// aim is where a query points.
type aim struct {
	vector []float32
	model  model
}

// aim returns where a query points, nil where nobody can tell, and makes some of the vectors
// that are missing. It is an error if the query's vector was given and is of another length.
func (s *Store) aim(ctx context.Context, a *Ask, until time.Time) (*aim, error) {
	if a.Query == "" && a.Vector == nil {
		return nil, nil
	}
	m, ok := s.ready(ctx, until)
	if !ok {
		return nil, nil
	}
	v := a.Vector
	if v != nil && len(v) != m.dim {
		return nil, fmt.Errorf("the query's vector has %d numbers: want %d, as the embedder makes them", len(v), m.dim)
	}
	if v == nil {
		if v = s.vectorOf(ctx, until, m, a.Query); v == nil {
			return nil, nil
		}
	}
	s.fill(ctx, until, m)
	return &aim{v, m}, nil
}

// vectorOf returns the vector of a query, or nil where the embedder makes none.
func (s *Store) vectorOf(ctx context.Context, until time.Time, m model, query string) []float32 {
	got, err := s.askFor(ctx, until, []string{clip(query, maxEmbedded)})
	switch {
	case ctx.Err() != nil:
	case err != nil:
		s.log.Warn("the embedder failed: memories are found by their words alone", "error", err)
		s.leave(ctx, "")
	case got[0] == nil:
		s.log.Warn("the embedder made no vector of the query: memories are found by its words alone")
	case len(got[0]) != m.dim:
		// It is another model than it was, or only this once: it is measured again.
		s.log.Warn("the embedder makes vectors of another length now: memories are found by their words alone", "numbers", len(got[0]), "before", m.dim)
		s.leave(ctx, ", floor = -1")
	default:
		return got[0]
	}
	return nil
}
