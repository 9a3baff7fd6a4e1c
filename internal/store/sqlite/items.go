package sqlite

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"slices"

	"zombiezen.com/go/sqlite"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
)

var everyState = [...]guard.ItemState{guard.ItemWaiting, guard.ItemLanded, guard.ItemGone}

// noVoice is that of the items of which there is no record. It comes after nothing.
const noVoice = "\x00"

func getItems(c *sqlite.Conn, keys [][32]byte, states []guard.ItemState) (map[[32]byte][]guard.StoredItem, error) {
	found := make(map[[32]byte][]guard.StoredItem)
	if len(states) == 0 {
		states = everyState[:]
	}
	for _, key := range keys {
		if _, done := found[key]; done {
			continue
		}
		for _, state := range states {
			err := query(c, "SELECT landed, record FROM item WHERE key = ? AND state = ?", func(st *sqlite.Stmt) {
				st.BindBytes(1, key[:])
				st.BindInt64(2, int64(state))
			}, func(st *sqlite.Stmt) (bool, error) {
				it := guard.StoredItem{Key: key, State: state, Landed: st.ColumnInt64(0)}
				if err := fixed(st, 1, it.Record[:]); err != nil {
					return false, err
				}
				found[key] = append(found[key], it)
				return true, nil
			})
			if err != nil {
				return nil, err
			}
		}
		sortItems(found[key])
	}
	return found, nil
}

// itemsOf returns the items of one record.
func itemsOf(c *sqlite.Conn, record hearsay.RecordID) (list []guard.StoredItem, err error) {
	err = query(c, "SELECT state, landed, key FROM item WHERE record = ?", func(st *sqlite.Stmt) { st.BindBytes(1, record[:]) }, func(st *sqlite.Stmt) (bool, error) {
		it := guard.StoredItem{Record: record, State: guard.ItemState(st.ColumnInt(0)), Landed: st.ColumnInt64(1)}
		if err := fixed(st, 2, it.Key[:]); err != nil {
			return false, err
		}
		list = append(list, it)
		return true, nil
	})
	return list, err
}

// getSpeakers finds the first and the last few items of each voice and state of a key. It
// seeks from one to the next, so that it takes as long as there are voices, not items. What
// skip names is as if it were not there.
func getSpeakers(c *sqlite.Conn, key [32]byte, most int, skip func(hearsay.RecordID) bool) (list []guard.StoredItem, more bool, err error) {
	known := false // most things are not: that takes one look, and not one for each state
	if err := query(c, "SELECT 1 FROM item WHERE key = ? LIMIT 1", func(st *sqlite.Stmt) { st.BindBytes(1, key[:]) }, func(*sqlite.Stmt) (bool, error) {
		known = true
		return false, nil
	}); err != nil || !known {
		return nil, false, err
	}
	for _, state := range everyState {
		for voice := []byte{}; ; most-- {
			first := guard.StoredItem{Key: key, State: state}
			found := false
			// Two columns compared as a row would be sought from the start of the last voice.
			if err := query(c, "SELECT landed, record, voice FROM item WHERE key = +?1 AND state = +?2 AND voice > ?3 ORDER BY voice, landed, record", func(st *sqlite.Stmt) {
				bindVoice(st, key, state, voice)
			}, func(st *sqlite.Stmt) (bool, error) {
				if err := readSpeaker(st, &first); err != nil || skip(first.Record) {
					return err == nil, err
				}
				found, voice = true, blob(st, 2)
				return false, nil
			}); err != nil {
				return nil, false, err
			}
			if !found {
				break
			}
			if most == 0 {
				return list, true, nil
			}
			list = append(list, first)
			end := len(list) + guard.EachVoice
			if err := query(c, "SELECT landed, record FROM item WHERE key = +?1 AND state = +?2 AND voice = +?3 ORDER BY landed DESC, record DESC", func(st *sqlite.Stmt) {
				bindVoice(st, key, state, voice)
			}, func(st *sqlite.Stmt) (bool, error) {
				it := guard.StoredItem{Key: key, State: state}
				if err := readSpeaker(st, &it); err != nil || it.Record == first.Record {
					return false, err
				}
				if !skip(it.Record) {
					list = append(list, it)
				}
				return len(list) < end, nil
			}); err != nil {
				return nil, false, err
			}
		}
	}
	return list, false, nil
}

func bindVoice(st *sqlite.Stmt, key [32]byte, state guard.ItemState, voice []byte) {
	st.BindBytes(1, key[:])
	st.BindInt64(2, int64(state))
	st.BindBytes(3, voice)
}

func readSpeaker(st *sqlite.Stmt, it *guard.StoredItem) error {
	it.Landed = st.ColumnInt64(0)
	return fixed(st, 1, it.Record[:])
}

// sortItems puts items in the order in which they landed, those that did not last.
func sortItems(items []guard.StoredItem) {
	at := func(it guard.StoredItem) int64 {
		if it.Landed == 0 {
			return math.MaxInt64
		}
		return it.Landed
	}
	slices.SortFunc(items, func(a, b guard.StoredItem) int {
		return cmp.Or(cmp.Compare(at(a), at(b)), slices.Compare(a.Record[:], b.Record[:]))
	})
}

// Items implements [guard.Reader].
func (s *Store) Items(ctx context.Context, keys [][32]byte, states ...guard.ItemState) (items map[[32]byte][]guard.StoredItem, err error) {
	err = s.snapshot(ctx, "read items", func(c *sqlite.Conn) error { items, err = getItems(c, keys, states); return err })
	return items, err
}

// Speakers implements [guard.Reader].
func (s *Store) Speakers(ctx context.Context, key [32]byte, most int) (items []guard.StoredItem, more bool, err error) {
	err = s.snapshot(ctx, "read who speaks of a thing", func(c *sqlite.Conn) error {
		items, more, err = getSpeakers(c, key, most, func(hearsay.RecordID) bool { return false })
		return err
	})
	sortItems(items)
	return items, more, err
}

// Items implements [guard.Reader].
func (t *tx) Items(_ context.Context, keys [][32]byte, states ...guard.ItemState) (map[[32]byte][]guard.StoredItem, error) {
	if err := t.open(); err != nil {
		return nil, err
	}
	found, err := getItems(t.conn, keys, states)
	if err != nil {
		return nil, err
	}
	wanted := make(map[[32]byte]bool, len(keys))
	for _, k := range keys {
		wanted[k] = true
	}
	for _, o := range [2]*overlay{t.batch, &t.own} {
		for k, it := range o.items {
			if !wanted[k.key] {
				continue
			}
			list := slices.DeleteFunc(found[k.key], func(have guard.StoredItem) bool { return have.Record == k.record })
			if len(states) == 0 || slices.Contains(states, it.State) {
				list = append(list, it)
			}
			found[k.key] = list
		}
	}
	for _, list := range found {
		sortItems(list)
	}
	return found, nil
}

// Speakers implements [guard.Reader]. What is not written yet stands for itself: the size of
// a batch bounds it, and its voice is not known before it is sealed.
func (t *tx) Speakers(_ context.Context, key [32]byte, most int) ([]guard.StoredItem, bool, error) {
	if err := t.open(); err != nil {
		return nil, false, err
	}
	fresh := make(map[hearsay.RecordID]guard.StoredItem)
	for _, o := range [2]*overlay{t.batch, &t.own} {
		for k := range o.rows {
			if k.table != event.Records {
				continue
			}
			// It may speak with another voice than when its items were written.
			former, err := t.former(hearsay.RecordID([]byte(k.key)))
			if err != nil {
				return nil, false, err
			}
			for _, it := range former {
				if it.Key == key {
					fresh[it.Record] = it
				}
			}
		}
	}
	for _, o := range [2]*overlay{t.batch, &t.own} {
		for k, it := range o.items {
			if k.key == key {
				fresh[k.record] = it
			}
		}
	}
	list, more, err := getSpeakers(t.conn, key, most, func(id hearsay.RecordID) bool {
		_, changed := fresh[id]
		return changed
	})
	for _, it := range fresh {
		list = append(list, it)
	}
	sortItems(list)
	return list, more, err
}

// former returns the items of a record as they are in the database, which does not change
// while a batch runs.
func (t *tx) former(id hearsay.RecordID) ([]guard.StoredItem, error) {
	if list, ok := t.batch.former[id]; ok {
		return list, nil
	}
	list, err := itemsOf(t.conn, id)
	if err == nil {
		set(&t.batch.former, id, list)
	}
	return list, err
}

// PutItem implements [guard.Tx].
func (t *tx) PutItem(it guard.StoredItem) error {
	if err := t.open(); err != nil {
		return err
	}
	set(&t.own.items, itemKey{it.Key, it.Record}, it)
	return nil
}

// flushItems puts items, and gives those of the records that were put the voice that these
// have now. The rows of the records are written already.
func flushItems(c *sqlite.Conn, all *overlay) error {
	voices := make(map[hearsay.RecordID][]byte, len(all.sealed))
	for _, sealed := range all.sealed {
		if r := sealed.Event.Record; r != nil {
			voice := guard.Voice(r)
			voices[r.ID] = voice[:]
		}
	}
	for id, voice := range voices {
		if err := putVoice(c, id[:], voice); err != nil {
			return err
		}
	}
	items := slices.Collect(maps.Values(all.items))
	for _, it := range items {
		if _, done := voices[it.Record]; done {
			continue
		}
		voice, err := storedVoice(c, it.Record)
		if err != nil {
			return err
		}
		voices[it.Record] = voice
	}
	return insert(c, intoItem, len(items), func(st *sqlite.Stmt, at, i int) {
		st.BindBytes(at+1, items[i].Key[:])
		st.BindBytes(at+2, items[i].Record[:])
		st.BindInt64(at+3, int64(items[i].State))
		st.BindInt64(at+4, items[i].Landed)
		st.BindBytes(at+5, voices[items[i].Record])
	})
}

// putVoice gives the items of a record its voice.
func putVoice(c *sqlite.Conn, id, voice []byte) error {
	return query(c, "UPDATE item SET voice = ?1 WHERE record = ?2 AND voice <> ?1", func(st *sqlite.Stmt) {
		st.BindBytes(1, voice)
		st.BindBytes(2, id)
	}, func(*sqlite.Stmt) (bool, error) { return true, nil })
}

// storedVoice returns the voice of the items of a record that was put before.
func storedVoice(c *sqlite.Conn, id hearsay.RecordID) ([]byte, error) {
	put, err := getRow(c, event.Records, id[:])
	if errors.Is(err, guard.ErrNotFound) {
		return []byte(noVoice), nil // of no record: a question, or nothing
	}
	if err != nil {
		return nil, err
	}
	return voiceOf(put.Value)
}

// voiceOf returns the voice of a record by the value of its row.
func voiceOf(value []byte) ([]byte, error) {
	r, err := event.DecodeRecord(value)
	if err != nil {
		return nil, err
	}
	voice := guard.Voice(r)
	return voice[:], nil
}
