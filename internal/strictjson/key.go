package strictjson

import (
	"bytes"
	"hash/maphash"
	"strings"
)

const (
	inlineKeys = 48 // open keys of all objects together held without allocation
	linearKeys = 16 // keys of one object compared one by one
	shortKey   = 56 // bytes of a key folded without allocation
)

// A keyRef is a key of an object that is still open.
type keyRef struct {
	start, end uint32 // the raw text between the quotes
	tag        uint64 // hash of the folded text
}

// A keySet finds repeated keys. It holds the keys of all open objects on one
// stack; each object owns those from its base upwards. Keys are told apart by a
// hash of their folded text, seeded at random so that no input can be made to
// collide; up to linearKeys of an object the hashes are compared one by one,
// beyond that the object gets a hash table.
type keySet struct {
	b      []byte
	seed   maphash.Seed
	n      int // open keys, in spill if it is set, else in inline
	inline [inlineKeys]keyRef
	spill  []keyRef
	folded [shortKey + 8]byte
	rare   *rareKeys // nil until needed
}

// rareKeys is the working space for keys that are long or not plain ASCII and
// for large objects. It is apart from the keySet so that ordinary input, which
// has neither, is checked on the stack alone.
type rareKeys struct {
	folder
	tables  [][]uint32 // those of the open large objects, then spare ones
	large   int        // how many of tables are in use
	scratch []byte     // folded text of a key
}

// A tableID is the place of a large object's table in tables, plus one; zero
// while the object is small. A table is open addressing over positions among
// the object's keys, plus one, and at most half full.
type tableID int

// A verdict says how a new key relates to those before it.
type verdict uint8

const (
	newKey verdict = iota
	sameKey
	variantKey
)

// space returns the working space.
func (s *keySet) space() *rareKeys {
	if s.rare == nil {
		s.rare = new(rareKeys)
	}
	return s.rare
}

// from returns the open keys from base upwards.
func (s *keySet) from(base int) []keyRef {
	if s.spill != nil {
		return s.spill[base:s.n]
	}
	return s.inline[base:s.n]
}

// push adds an open key.
func (s *keySet) push(k keyRef) {
	if s.spill == nil {
		if s.n < len(s.inline) {
			s.inline[s.n] = k
			s.n++
			return
		}
		s.spill = append(make([]keyRef, 0, 4*inlineKeys), s.inline[:]...)
	}
	s.spill = append(s.spill[:s.n], k)
	s.n++
}

// add enters the key b[start:end] of the object whose keys begin at base.
func (s *keySet) add(base int, id *tableID, start, end int, t traits) verdict {
	k := keyRef{start: uint32(start), end: uint32(end)}
	if t == 0 && end-start <= shortKey {
		k.tag = maphash.Bytes(s.seed, putFoldedASCII(s.folded[:], s.b, start, end))
	} else {
		w := s.space()
		w.scratch = w.appendRaw(w.scratch[:0], s.b[start:end])
		k.tag = maphash.Bytes(s.seed, w.scratch)
	}
	keys := s.from(base)
	if len(keys) >= linearKeys {
		return s.addToTable(keys, id, k)
	}
	for i := range keys {
		if keys[i].tag == k.tag {
			if v := s.compare(keys[i], k); v != newKey {
				return v
			}
		}
	}
	s.push(k)
	return newKey
}

// addToTable is add for a large object, whose keys so far are given.
func (s *keySet) addToTable(keys []keyRef, id *tableID, k keyRef) verdict {
	w := s.space()
	if *id == 0 {
		if w.large == len(w.tables) {
			w.tables = append(w.tables, nil)
		}
		w.large++
		*id = tableID(w.large)
		w.fill(*id, keys, 4*linearKeys)
	} else if size := len(w.tables[*id-1]); 2*len(keys) >= size {
		w.fill(*id, keys, 2*size)
	}
	table := w.tables[*id-1]
	mask := uint64(len(table) - 1)
	at := k.tag & mask
	for ; table[at] != 0; at = (at + 1) & mask {
		if old := keys[table[at]-1]; old.tag == k.tag {
			if v := s.compare(old, k); v != newKey {
				return v
			}
		}
	}
	s.push(k)
	table[at] = uint32(len(keys) + 1)
	return newKey
}

// leave drops the keys of an object that ends. Only the innermost object gets
// keys, so its table, if it has one, is the last in use.
func (s *keySet) leave(base int, id tableID) {
	s.n = base
	if id != 0 {
		s.rare.large--
	}
}

// fill makes a table size slots long and enters the keys.
func (w *rareKeys) fill(id tableID, keys []keyRef, size int) {
	table := w.tables[id-1]
	if cap(table) >= size {
		// Clearing only what is used keeps many small tables after one huge one
		// from each paying for the huge one.
		table = table[:size]
		clear(table)
	} else {
		table = make([]uint32, size)
	}
	mask := uint64(size - 1)
	for i, k := range keys {
		at := k.tag & mask
		for table[at] != 0 {
			at = (at + 1) & mask
		}
		table[at] = uint32(i + 1)
	}
	w.tables[id-1] = table
}

// compare tells equal keys from variants, and both from keys that share a hash
// by chance. It runs once a document, or nearly: it allocates.
func (s *keySet) compare(x, y keyRef) verdict {
	a, b := s.b[x.start:x.end], s.b[y.start:y.end]
	var f folder
	switch {
	case bytes.Equal(appendText(nil, a), appendText(nil, b)):
		return sameKey
	case bytes.Equal(f.appendRaw(nil, a), f.appendRaw(nil, b)):
		return variantKey
	}
	return newKey
}

// Results of matchReserved other than an index.
const (
	none     = -1
	misspelt = -2
)

// reserved is matchReserved for the key b[start:end].
func (s *keySet) reserved(start, end int, t traits, names []string) int {
	key := s.b[start:end]
	if t != 0 {
		return matchReserved(string(appendText(nil, key)), names)
	}
	for i, name := range names {
		if string(key) == name {
			return i
		}
	}
	for _, name := range names {
		if len(key) == len(name) && upper(key[0]) == upper(name[0]) && strings.EqualFold(string(key), name) {
			return misspelt
		}
	}
	return none
}

// matchReserved returns the index in names of a key, none if it has nothing to
// do with them, or misspelt if a looser reader would take it for one of them:
// it differs only by case, or only by what follows a NUL, where a reader with C
// strings stops.
func matchReserved(key string, names []string) int {
	for i, name := range names {
		if key == name {
			return i
		}
	}
	key, _, _ = strings.Cut(key, "\x00")
	for _, name := range names {
		if strings.EqualFold(key, name) {
			return misspelt
		}
	}
	return none
}
