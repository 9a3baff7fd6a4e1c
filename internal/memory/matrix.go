package memory

import (
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"

	"zombiezen.com/go/sqlite"

	"github.com/hearsay-memory/hearsay/recall"
)

// blockRows is how many vectors lie in one piece: one that a processor searches at a time.
const blockRows = 4096

// gathered is how many rows are put side by side where not all are looked at.
const gathered = 128

// matrix holds the vectors of a part of the index in memory, in the order in which they
// came. Rows that are gone are not a number.
type matrix struct {
	era    int64
	dim    int
	seq    int64 // of the last change that is in it
	docs   []int64
	at     map[int64]int // row of a doc
	gone   int
	blocks [][]float32
}

// row returns the numbers of a row.
func (m *matrix) row(i int) []float32 {
	b := m.blocks[i/blockRows]
	return b[i%blockRows*m.dim:][:m.dim]
}

// set puts a vector in the place of what a doc has; nil takes that away.
func (m *matrix) set(doc int64, v []float32) {
	if i, ok := m.at[doc]; ok {
		m.row(i)[0] = float32(math.NaN())
		m.gone++
		delete(m.at, doc)
	}
	if v == nil {
		return
	}
	i := len(m.docs)
	if i%blockRows == 0 {
		var block []float32
		if i > 0 { // there are many: it will be full
			block = make([]float32, 0, blockRows*m.dim)
		}
		m.blocks = append(m.blocks, block)
	}
	last := &m.blocks[len(m.blocks)-1]
	*last = append(*last, v...)
	m.docs, m.at[doc] = append(m.docs, doc), i
}

// matrix returns the vectors of a part as they are now; nil where they are not the model's.
// What is kept of them takes in what changed since.
func (s *Store) matrix(c *sqlite.Conn, p part, of *model) (*matrix, error) {
	is, err := readModel(c)
	if err != nil || is.era != of.era {
		return nil, err
	}
	m := s.vectors[p]
	if m == nil || m.era != of.era || m.dim != of.dim || m.gone > blockRows && m.gone > len(m.at) {
		m = &matrix{era: of.era, dim: of.dim, at: make(map[int64]int)}
	}
	v, raw := make([]float32, of.dim), make([]byte, 4*of.dim)
	err = each(c, fmt.Sprintf("SELECT seq, doc, v FROM %s_vector WHERE seq > ? ORDER BY seq", p.name), func(st *sqlite.Stmt) error {
		m.seq = st.ColumnInt64(0)
		if st.ColumnLen(2) != len(raw) {
			m.set(st.ColumnInt64(1), nil)
			return nil
		}
		st.ColumnBytes(2, raw)
		for i := range v {
			v[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		}
		m.set(st.ColumnInt64(1), v)
		return nil
	}, m.seq)
	if err != nil {
		delete(s.vectors, p)
		return nil, err
	}
	if s.vectors == nil {
		s.vectors = make(map[part]*matrix)
	}
	s.vectors[p] = m
	return m, nil
}

// packVector makes the bytes of a vector that the index keeps.
func packVector(v []float32) []byte {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// nearest returns the k rows nearest to a query, of those whose doc is in only; nil: of all.
func (m *matrix) nearest(query []float32, k int, only map[int64]bool) ([]recall.Neighbour, error) {
	found, errs := make([][]recall.Neighbour, len(m.blocks)), make([]error, len(m.blocks))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(m.blocks)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(m.blocks); i = int(next.Add(1)) - 1 {
				found[i], errs[i] = m.nearestIn(i, query, k, only)
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return recall.Merge(nil, k, found...), nil
}

// nearestIn searches one block.
func (m *matrix) nearestIn(block int, query []float32, k int, only map[int64]bool) ([]recall.Neighbour, error) {
	first, end := block*blockRows, min((block+1)*blockRows, len(m.docs))
	if only == nil {
		near, err := recall.Nearest(nil, m.blocks[block], query, k)
		for i := range near {
			near[i].Row += first
		}
		return near, err
	}
	// Those that are wanted are gathered, some at a time.
	which, rows := make([]int, 0, gathered), make([]float32, 0, gathered*m.dim)
	var parts [][]recall.Neighbour
	for row := first; row < end; row++ {
		if only[m.docs[row]] {
			which, rows = append(which, row), append(rows, m.row(row)...)
		}
		if len(which) < gathered && row < end-1 {
			continue
		}
		near, err := recall.Nearest(nil, rows, query, k)
		if err != nil {
			return nil, err
		}
		for i := range near {
			near[i].Row = which[near[i].Row]
		}
		parts, which, rows = append(parts, near), which[:0], rows[:0]
	}
	return recall.Merge(nil, k, parts...), nil
}

// near returns the memories of a part that are nearest to where a query points, at most most
// of them, with the relevance that their vectors alone give.
func (s *Store) near(c *sqlite.Conn, p part, to *aim, f filter, most int) ([]recall.Candidate, error) {
	m, err := s.matrix(c, p, &to.model)
	if err != nil || m == nil || len(m.at) == 0 {
		return nil, err
	}
	where, args := f.sql()
	wide := most
	if where != "" {
		wide = 4 * most
	}
	hits, err := m.nearest(to.vector, wide, nil)
	if err != nil {
		return nil, err
	}
	list, err := s.among(c, p, m, hits, where, args, most, to.model.floor)
	if err != nil || where == "" || len(list) == most || len(hits) < wide {
		return list, err
	}
	// Few of the nearest pass: only those that do are looked at.
	only := make(map[int64]bool)
	if err := each(c, fmt.Sprintf("SELECT d.doc FROM %s d WHERE 1%s", p.of, where), func(st *sqlite.Stmt) error {
		only[st.ColumnInt64(0)] = true
		return nil
	}, args...); err != nil {
		return nil, err
	}
	if hits, err = m.nearest(to.vector, most, only); err != nil {
		return nil, err
	}
	return s.among(c, p, m, hits, "", nil, most, to.model.floor)
}

// among returns the first most memories of some rows that pass a condition and are nearer
// than what has nothing to do with a query.
func (s *Store) among(c *sqlite.Conn, p part, m *matrix, hits []recall.Neighbour, where string, args []any, most int, floor float64) (list []recall.Candidate, err error) {
	docs := []byte{'['}
	for i, h := range hits {
		if i > 0 {
			docs = append(docs, ',')
		}
		docs = strconv.AppendInt(docs, m.docs[h.Row], 10)
	}
	docs = append(docs, ']')
	err = each(c, fmt.Sprintf("SELECT j.key, %s FROM json_each(?) j CROSS JOIN %s d ON d.doc = j.value LEFT JOIN life.life l ON l.id = d.id WHERE 1%s ORDER BY j.key", rowColumns, p.of, where), func(st *sqlite.Stmt) error {
		i := st.ColumnInt(0)
		if i < 0 || i >= len(hits) || len(list) == most {
			return nil
		}
		relevance := recall.VectorRelevance(hits[i].Cosine, floor)
		if relevance == 0 {
			return nil
		}
		mem, err := s.row(st, 1)
		list = append(list, recall.Candidate{Memory: mem, Relevance: relevance})
		return err
	}, append([]any{string(docs)}, args...)...)
	return list, err
}
