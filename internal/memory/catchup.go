package memory

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"zombiezen.com/go/sqlite"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
)

// catchBatch bounds the entries of the log that are folded in one transaction.
const catchBatch = 2048

// cursor is how far the index has come.
type cursor struct {
	log  string
	seq  int64  // entries of the log that are folded
	leaf []byte // of the last of them
	head []byte // tree head where that was all; empty: not known
}

func readCursor(c *sqlite.Conn, principal string) (cur cursor, err error) {
	err = each(c, "SELECT log, principal, seq, leaf, head FROM cursor", func(st *sqlite.Stmt) error {
		if string(blob(st, 1)) != principal {
			return fmt.Errorf("it is of another principal: %w", errUnusable)
		}
		cur = cursor{st.ColumnText(0), st.ColumnInt64(2), blob(st, 3), blob(st, 4)}
		return nil
	})
	return cur, err
}

func (cur *cursor) write(c *sqlite.Conn, principal string) error {
	return run(c, "INSERT INTO cursor VALUES(1, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET log=excluded.log, seq=excluded.seq, leaf=excluded.leaf, head=excluded.head",
		cur.log, []byte(principal), cur.seq, cur.leaf, cur.head)
}

// catchUp brings the index and the files in line with the log. Where there is nothing to
// do that costs one read of each.
//
// The log says which records were touched, the records say how they stand now: what is
// folded twice, or after it has changed again, comes to the same. The files of a batch are
// made before its cursor moves, so a run that dies is done again.
func (s *Store) catchUp(ctx context.Context, c *sqlite.Conn) error {
	head, err := s.guard.Store().Head(ctx)
	if err != nil {
		return err
	}
	now, err := head.Frontier.MarshalBinary()
	if err != nil {
		return err
	}
	cur, err := readCursor(c, s.principal)
	if err != nil {
		return err
	}
	if cur.log == head.LogID && bytes.Equal(cur.head, now) {
		if s.scrub {
			return s.truncate(c)
		}
		return nil
	}
	wipe, fresh := false, cur.seq == 0
	for done := false; !done; {
		var scrub bool
		if err := inTx(c, func() error {
			if done, scrub, err = s.catchBatch(ctx, c, head, now, fresh); err != nil {
				return err
			}
			return ctx.Err()
		}); err != nil {
			return err
		}
		wipe = wipe || scrub
	}
	if wipe || s.scrub {
		return s.truncate(c)
	}
	return nil
}

// truncate takes what was erased out of the write-ahead log, too. Another process that
// reads meanwhile can be in the way: then it is tried again with the next use.
func (s *Store) truncate(c *sqlite.Conn) error {
	s.scrub = true
	busy := 0
	err := each(c, "PRAGMA main.wal_checkpoint(TRUNCATE)", func(st *sqlite.Stmt) error { busy = st.ColumnInt(0); return nil })
	if err != nil {
		return err
	}
	s.scrub = busy != 0
	return nil
}

// catchBatch folds some entries below head. It reports whether that was all, and whether
// words were taken out that a person erased.
func (s *Store) catchBatch(ctx context.Context, c *sqlite.Conn, head guard.Head, frontier []byte, fresh bool) (done, wipe bool, err error) {
	cur, err := readCursor(c, s.principal) // another process may have moved it
	if err != nil {
		return false, false, err
	}
	size := head.Frontier.Size()
	if cur.log == head.LogID && cur.seq > size {
		return true, false, nil // it has read on
	}
	if cur.log == "" {
		cur.log = head.LogID
	}
	if cur.log != head.LogID {
		return false, false, fmt.Errorf("it is of another log: %w", errUnusable)
	}
	var touched []hearsay.RecordID
	seen := make(map[hearsay.RecordID]bool)
	from, last := cur.seq, cur.seq
	if from > 0 {
		from-- // the last one that is folded has to be there still
	}
	done = true
	for entry, err := range s.guard.Store().Log(ctx, from) {
		if err != nil {
			return false, false, err
		}
		if entry.Seq < cur.seq {
			if !bytes.Equal(entry.Leaf, cur.leaf) {
				return false, false, fmt.Errorf("the log is not the one it was made from: %w", errUnusable)
			}
			from = -1
			continue
		}
		if entry.Seq >= size {
			break
		}
		if entry.Seq >= cur.seq+catchBatch {
			done = false
			break
		}
		last = entry.Seq + 1
		cur.leaf = append(cur.leaf[:0], entry.Leaf...)
		r, err := s.about(entry.Body)
		if err != nil {
			return false, false, fmt.Errorf("entry %d: %w: %w", entry.Seq, guard.ErrTampered, err)
		}
		if r != nil && !seen[r.ID] {
			seen[r.ID], touched = true, append(touched, r.ID)
		}
	}
	if from > 0 {
		return false, false, fmt.Errorf("the log is shorter than what it was made from: %w", errUnusable)
	}
	cur.seq = last
	u := update{s: s, ctx: ctx, c: c, fresh: fresh, counts: make(map[set]map[string]int64), texts: make(map[set][]passage)}
	defer u.close()
	if err := each(c, "SELECT 1 FROM embedder", func(*sqlite.Stmt) error { u.embeds = true; return nil }); err != nil {
		return false, false, err
	}
	i := 0
	for m, err := range s.readAll(ctx, touched) {
		if m, err = u.loaded(touched[i], m, err); err != nil {
			return false, false, err
		}
		if err := u.sync(m); err != nil {
			return false, false, err
		}
		i++
	}
	if err := u.flush(); err != nil {
		return false, false, err
	}
	cur.head = nil
	if done {
		cur.head = frontier
	}
	return done, u.erased, cur.write(c, s.principal)
}

// about returns the record of the principal's own store that an entry of the log is about,
// as it was then; nil where it is about none.
func (s *Store) about(body []byte) (*event.Record, error) {
	if !bytes.Contains(body, ofOwnStore) {
		return nil, nil // not worth decoding
	}
	e, err := event.Decode(body)
	if err != nil {
		return nil, err
	}
	if r := e.Record; r != nil && r.Store == guard.OwnStore && r.Principal == s.principal {
		return r, nil
	}
	return nil, nil
}

var ofOwnStore = []byte(`"store":"` + guard.OwnStore + `"`)

// load reads a memory for the index.
func (u *update) load(id hearsay.RecordID) (*Memory, error) {
	m, err := u.s.read(u.ctx, id)
	return u.loaded(id, m, err)
}

// loaded is what the index makes of a memory that was read. One whose words are not what
// was sealed is left out, loudly: it must not cost the others. It brings back nothing that
// it stands in the place of, since that is told by its record.
func (u *update) loaded(id hearsay.RecordID, m *Memory, err error) (*Memory, error) {
	if !errors.Is(err, guard.ErrTampered) && !errors.Is(err, guard.ErrNotFound) {
		return m, err
	}
	u.s.log.Error("a memory is not what was sealed, and is left out", "id", id, "error", err)
	out := &Memory{ID: id, Op: event.Delete}
	row, err := u.s.guard.Store().Get(u.ctx, event.Records, id[:])
	if errors.Is(err, guard.ErrNotFound) {
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	if r, err := event.DecodeRecord(row.Value); err == nil {
		out.Standing, out.Replaces = r.Standing, r.Replaces
	}
	return out, nil
}
