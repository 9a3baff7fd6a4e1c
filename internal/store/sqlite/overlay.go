package sqlite

import (
	"maps"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
)

// rowKey is the key of a folded row.
type rowKey struct {
	table event.Table
	key   string
}

// itemKey is the key of an item.
type itemKey struct {
	key    [32]byte
	record hearsay.RecordID
}

// wordsKey is the key of a session's words.
type wordsKey struct {
	session guard.SessionKey
	name    string
}

// overlay is what a function, or a batch of them, wants changed. Nothing of it is in
// the database before the whole batch is written, so a function that fails leaves
// nothing: its overlay is dropped. The zero value changes nothing and can be read;
// fields are made when first written.
type overlay struct {
	sealed   []*event.Sealed
	rows     map[rowKey]event.Put
	sides    map[int64]*guard.StoredSide // nil: erased
	sessions map[guard.SessionKey]*guard.Session
	words    map[wordsKey]guard.StoredWords
	marks    map[[32]byte]int64 // when it expires; 0: taken
	items    map[itemKey]guard.StoredItem

	// former is no change: the items that records of a batch had before it, once looked up.
	former map[hearsay.RecordID][]guard.StoredItem
}

// set puts a value into a map that may not be there yet.
func set[K comparable, V any](m *map[K]V, k K, v V) {
	if *m == nil {
		*m = make(map[K]V)
	}
	(*m)[k] = v
}

// merge adds what top wants, and leaves top empty: the next function can have it.
func (o *overlay) merge(top *overlay) {
	o.sealed = append(o.sealed, top.sealed...)
	clear(top.sealed)
	top.sealed = top.sealed[:0]
	move(&o.rows, &top.rows)
	move(&o.sides, &top.sides)
	move(&o.sessions, &top.sessions)
	move(&o.words, &top.words)
	move(&o.marks, &top.marks)
	move(&o.items, &top.items)
}

// move moves what one map has into another one. Mostly there is one function, and its map
// goes over as it is.
func move[K comparable, V any](into, from *map[K]V) {
	if *into == nil {
		*into, *from = *from, nil
		return
	}
	maps.Copy(*into, *from)
	clear(*from)
}

// empty reports whether there is nothing to write.
func (o *overlay) empty() bool {
	return len(o.sealed) == 0 && len(o.sides) == 0 && len(o.sessions) == 0 && len(o.words) == 0 && len(o.marks) == 0 && len(o.items) == 0
}

// add takes in a sealed event: its rows, and its side blob.
func (o *overlay) add(s *event.Sealed) {
	o.sealed = append(o.sealed, s)
	for _, p := range s.Puts {
		set(&o.rows, rowKey{p.Table, string(p.Key)}, p)
	}
	if s.Blob != nil {
		set(&o.sides, s.Event.Seq, &guard.StoredSide{Seq: s.Event.Seq, Salt: s.Salt, Blob: s.Blob})
	}
}
