package sqlite

import (
	"encoding/json"
	"maps"
	"slices"

	"zombiezen.com/go/sqlite"

	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/ledger"
)

// flush writes a batch: entries, tiles, side blobs, rows, what is ephemeral, and last
// the head with its signed checkpoint.
func (s *Store) flush(all *overlay, head guard.Head, now int64) error {
	c := s.conn
	if err := insert(c, intoLog, len(all.sealed), func(st *sqlite.Stmt, at, i int) {
		e := all.sealed[i]
		st.BindInt64(at+1, e.Event.Seq)
		st.BindBytes(at+2, e.Body)
		st.BindBytes(at+3, e.Leaf[:])
	}); err != nil {
		return err
	}
	var others []event.Put
	puts := make([]event.Put, 0, len(all.rows)) // mostly all of them are records
	for _, p := range all.rows {
		if p.Table == event.Records {
			puts = append(puts, p)
		} else {
			others = append(others, p)
		}
	}
	if err := insert(c, intoRecord, len(puts), func(st *sqlite.Stmt, at, i int) {
		st.BindBytes(at+1, puts[i].Key)
		st.BindInt64(at+2, puts[i].Seq)
		st.BindInt64(at+3, int64(puts[i].Queue))
		st.BindBytes(at+4, puts[i].Value)
	}); err != nil {
		return err
	}
	if err := insert(c, intoRow, len(others), func(st *sqlite.Stmt, at, i int) {
		st.BindText(at+1, string(others[i].Table))
		st.BindBytes(at+2, others[i].Key)
		st.BindInt64(at+3, others[i].Seq)
		st.BindBytes(at+4, others[i].Value)
	}); err != nil {
		return err
	}
	if err := s.flushSides(all); err != nil {
		return err
	}
	if err := s.flushEphemeral(all); err != nil {
		return err
	}
	if len(all.sealed) == 0 {
		return nil
	}
	return s.flushHead(head.LogID, now)
}

func (s *Store) flushSides(all *overlay) error {
	var keep []*guard.StoredSide
	for _, seq := range slices.Sorted(maps.Keys(all.sides)) {
		if side := all.sides[seq]; side != nil {
			keep = append(keep, side)
			continue
		}
		if err := query(s.conn, "DELETE FROM side WHERE seq = ?", func(st *sqlite.Stmt) { st.BindInt64(1, seq) }, func(*sqlite.Stmt) (bool, error) { return true, nil }); err != nil {
			return err
		}
	}
	return insert(s.conn, intoSide, len(keep), func(st *sqlite.Stmt, at, i int) {
		st.BindInt64(at+1, keep[i].Seq)
		st.BindBytes(at+2, keep[i].Salt[:])
		st.BindBytes(at+3, keep[i].Blob)
	})
}

func (s *Store) flushEphemeral(all *overlay) error {
	c := s.conn
	done := func(*sqlite.Stmt) (bool, error) { return true, nil }
	for key, row := range all.sessions {
		if row == nil {
			if err := query(c, "DELETE FROM session WHERE principal = ? AND id = ?", func(st *sqlite.Stmt) {
				st.BindBytes(1, []byte(key.Principal))
				st.BindBytes(2, []byte(key.ID))
			}, done); err != nil {
				return err
			}
			continue
		}
		label, err := json.Marshal(row.Label)
		if err != nil {
			return err
		}
		if err := query(c, "INSERT OR REPLACE INTO session ("+sessionColumns+") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", func(st *sqlite.Stmt) {
			st.BindBytes(1, []byte(key.Principal))
			st.BindBytes(2, []byte(key.ID))
			st.BindBytes(3, []byte(row.Agent))
			st.BindBytes(4, []byte(row.Surface))
			st.BindText(5, string(label))
			st.BindBytes(6, []byte(row.Host))
			st.BindInt64(7, row.Started)
			st.BindInt64(8, row.Used)
			st.BindInt64(9, row.Expires)
		}, done); err != nil {
			return err
		}
	}
	words := slices.Collect(maps.Values(all.words))
	if err := insert(c, intoWords, len(words), func(st *sqlite.Stmt, at, i int) {
		st.BindBytes(at+1, []byte(words[i].Session.Principal))
		st.BindBytes(at+2, []byte(words[i].Session.ID))
		st.BindText(at+3, words[i].Name)
		st.BindBytes(at+4, words[i].Data)
		st.BindInt64(at+5, words[i].Expires)
	}); err != nil {
		return err
	}
	for mark, expires := range all.marks {
		sql, bind := "DELETE FROM mark WHERE mark = ?1", func(st *sqlite.Stmt) { st.BindBytes(1, mark[:]) }
		if expires != 0 {
			sql, bind = "INSERT OR REPLACE INTO mark (mark, expires) VALUES (?1, ?2)", func(st *sqlite.Stmt) {
				st.BindBytes(1, mark[:])
				st.BindInt64(2, expires)
			}
		}
		if err := query(c, sql, bind, done); err != nil {
			return err
		}
	}
	return flushItems(c, all)
}

// flushHead puts the tiles that filled and the head, with a checkpoint of it. That is signed
// here and now: another goroutine that did it meanwhile would have to be woken, and to wake
// this one, which takes longer than the signature.
func (s *Store) flushHead(logID string, now int64) error {
	frontier := s.builder.Frontier()
	checkpoint := ledger.Checkpoint{Origin: logID, Size: frontier.Size(), Root: frontier.Root()}
	signed, err := checkpoint.Sign(s.signer)
	if err != nil {
		return err
	}
	packed, err := frontier.MarshalBinary()
	if err != nil {
		return err
	}
	tiles := s.builder.TakeTiles()
	if err := insert(s.conn, intoTile, len(tiles), func(st *sqlite.Stmt, at, i int) {
		st.BindInt64(at+1, int64(tiles[i].Level))
		st.BindInt64(at+2, tiles[i].Index)
		st.BindBytes(at+3, tiles[i].Bytes())
	}); err != nil {
		return err
	}
	return query(s.conn, "UPDATE head SET size = ?, t = ?, frontier = ?, checkpoint = ?", func(st *sqlite.Stmt) {
		st.BindInt64(1, frontier.Size())
		st.BindInt64(2, now)
		st.BindBytes(3, packed)
		st.BindBytes(4, signed)
	}, func(*sqlite.Stmt) (bool, error) { return true, nil })
}
