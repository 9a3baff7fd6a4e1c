package sqlite

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"strings"

	"zombiezen.com/go/sqlite"

	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
)

// tx is one function's view: what it wants, above what the functions before it in the
// batch want, above the database.
type tx struct {
	conn  *sqlite.Conn
	batch *overlay
	own   overlay
	now   int64
	seq   int64
	over  bool
}

var _ guard.Tx = (*tx)(nil)

// layers yields the overlays, newest first.
func (t *tx) layers() [2]*overlay { return [2]*overlay{&t.own, t.batch} }

func (t *tx) open() error {
	if t.over {
		return errOver
	}
	return nil
}

// Now implements [guard.Tx].
func (t *tx) Now() int64 { return t.now }

// Seq implements [guard.Tx].
func (t *tx) Seq() int64 { return t.seq }

// Get implements [guard.Reader].
func (t *tx) Get(_ context.Context, table event.Table, key []byte) (event.Put, error) {
	if err := t.open(); err != nil {
		return event.Put{}, err
	}
	for _, o := range t.layers() {
		if p, ok := o.rows[rowKey{table, string(key)}]; ok {
			return p, nil
		}
	}
	return getRow(t.conn, table, key)
}

// Scan implements [guard.Reader].
func (t *tx) Scan(_ context.Context, q guard.Query) iter.Seq2[*event.Record, error] {
	return func(yield func(*event.Record, error) bool) {
		list, err := t.scan(q)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, r := range list {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// scan lists what q selects, with what is not written yet.
func (t *tx) scan(q guard.Query) ([]*event.Record, error) {
	if err := t.open(); err != nil {
		return nil, err
	}
	fresh := make(map[rowKey]event.Put)
	for _, o := range [2]*overlay{t.batch, &t.own} {
		for k, p := range o.rows {
			if k.table == event.Records {
				fresh[k] = p
			}
		}
	}
	below := q
	if q.Limit > 0 {
		below.Limit = q.Limit + len(fresh) // some of them may hide one each
	}
	var list []*event.Record
	err := scan(t.conn, below, func(r *event.Record) bool {
		if _, changed := fresh[rowKey{event.Records, string(r.ID[:])}]; !changed {
			list = append(list, r)
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	for _, p := range fresh {
		r, err := event.DecodeRecord(p.Value)
		if err != nil {
			return nil, err
		}
		after := q.After.IsZero() || (slices.Compare(r.ID[:], q.After[:]) > 0) != q.Newest
		if after && (q.Queue == event.QueueNone || q.Queue == p.Queue) && (q.Match == nil || q.Match(r)) {
			list = append(list, r)
		}
	}
	slices.SortFunc(list, func(a, b *event.Record) int {
		if q.Newest {
			a, b = b, a
		}
		return slices.Compare(a.ID[:], b.ID[:])
	})
	if q.Limit > 0 && len(list) > q.Limit {
		list = list[:q.Limit]
	}
	return list, nil
}

// Side implements [guard.Reader].
func (t *tx) Side(_ context.Context, seq int64) (guard.StoredSide, error) {
	if err := t.open(); err != nil {
		return guard.StoredSide{}, err
	}
	for _, o := range t.layers() {
		if s, ok := o.sides[seq]; ok {
			if s == nil {
				return guard.StoredSide{}, guard.ErrNotFound
			}
			return *s, nil
		}
	}
	return getSide(t.conn, seq)
}

// Session implements [guard.Reader].
func (t *tx) Session(_ context.Context, key guard.SessionKey, now int64) (guard.Session, error) {
	if err := t.open(); err != nil {
		return guard.Session{}, err
	}
	for _, o := range t.layers() {
		if s, ok := o.sessions[key]; ok {
			if s == nil || s.Expires <= now {
				return guard.Session{}, guard.ErrNotFound
			}
			return *s, nil
		}
	}
	return getSession(t.conn, key, now)
}

// Sessions implements [guard.Reader].
func (t *tx) Sessions(_ context.Context, principal *string, now int64) ([]guard.Session, error) {
	if err := t.open(); err != nil {
		return nil, err
	}
	list, err := getSessions(t.conn, principal, now)
	if err != nil {
		return nil, err
	}
	for _, o := range [2]*overlay{t.batch, &t.own} {
		for key, s := range o.sessions {
			list = slices.DeleteFunc(list, func(have guard.Session) bool { return have.Key == key })
			if s != nil && s.Expires > now && (principal == nil || key.Principal == *principal) {
				list = append(list, *s)
			}
		}
	}
	sortSessions(list)
	return list, nil
}

// Seen implements [guard.Reader].
func (t *tx) Seen(_ context.Context, mark [32]byte, now int64) (bool, error) {
	expires, err := t.expires(mark)
	return expires > now, err
}

// expires returns when a mark does; 0 where there is none.
func (t *tx) expires(mark [32]byte) (int64, error) {
	if err := t.open(); err != nil {
		return 0, err
	}
	for _, o := range t.layers() {
		if at, ok := o.marks[mark]; ok {
			return at, nil
		}
	}
	return getMark(t.conn, mark)
}

// Words implements [guard.Reader].
func (t *tx) Words(_ context.Context, key guard.SessionKey, now int64) ([]guard.StoredWords, error) {
	if err := t.open(); err != nil {
		return nil, err
	}
	list, err := getWords(t.conn, key, now)
	if err != nil {
		return nil, err
	}
	for _, o := range [2]*overlay{t.batch, &t.own} {
		for k, w := range o.words {
			if k.session != key {
				continue
			}
			list = slices.DeleteFunc(list, func(have guard.StoredWords) bool { return have.Name == k.name })
			if w.Expires > now {
				list = append(list, w)
			}
		}
	}
	slices.SortFunc(list, func(a, b guard.StoredWords) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// PutWords implements [guard.Tx].
func (t *tx) PutWords(w guard.StoredWords) error {
	if err := t.open(); err != nil {
		return err
	}
	set(&t.own.words, wordsKey{w.Session, w.Name}, w)
	return nil
}

// MergeSession implements [guard.Tx].
func (t *tx) MergeSession(s guard.Session) (guard.Session, error) {
	have, err := t.Session(context.Background(), s.Key, t.now)
	switch {
	case err == nil:
		s.Label = s.Label.Join(have.Label)
		s.Started = min(s.Started, have.Started)
		s.Used, s.Expires = max(s.Used, have.Used), max(s.Expires, have.Expires)
		s.Host, s.Agent = cmp.Or(s.Host, have.Host), cmp.Or(s.Agent, have.Agent)
		s.Surface = have.Surface // of the one who opened it, whoever else uses it
	case !errors.Is(err, guard.ErrNotFound):
		return guard.Session{}, err
	}
	set(&t.own.sessions, s.Key, &s)
	return s, nil
}

// EndSession implements [guard.Tx].
func (t *tx) EndSession(key guard.SessionKey) error {
	if err := t.open(); err != nil {
		return err
	}
	set(&t.own.sessions, key, nil)
	return nil
}

// Mark implements [guard.Tx].
func (t *tx) Mark(mark [32]byte, expires int64) error {
	if err := t.open(); err != nil {
		return err
	}
	have, err := t.expires(mark)
	if err != nil {
		return err
	}
	set(&t.own.marks, mark, max(have, expires)) // a promise is never shortened
	return nil
}

// Take implements [guard.Tx].
func (t *tx) Take(mark [32]byte) (bool, error) {
	expires, err := t.expires(mark)
	if err != nil || expires <= t.now {
		return false, err
	}
	set(&t.own.marks, mark, 0)
	return true, nil
}

// EraseSide implements [guard.Tx].
func (t *tx) EraseSide(seq int64) error {
	if err := t.open(); err != nil {
		return err
	}
	set(&t.own.sides, seq, nil)
	return nil
}
