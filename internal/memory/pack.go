package memory

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"slices"

	"zombiezen.com/go/sqlite"

	"github.com/hearsay-memory/hearsay"
)

// pairs returns a number for every pair of tags: memories that share one are looked up by
// it. That two pairs may have one number makes no edge: the tags are compared again.
func pairs(tags []string) []int64 {
	tags = slices.Clone(tags)
	slices.Sort(tags)
	var out []int64
	for i, a := range tags {
		for _, b := range tags[i+1:] {
			h := fnv.New64a()
			h.Write([]byte(a))
			h.Write([]byte{0})
			h.Write([]byte(b))
			out = append(out, int64(h.Sum64()&math.MaxInt64))
		}
	}
	return out
}

// packNamespace makes bytes of a namespace such that a prefix in whole segments is a
// prefix of bytes.
func packNamespace(n hearsay.Namespace) []byte {
	b := []byte{}
	for _, s := range n {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	return b
}

func unpackNamespace(b []byte) (hearsay.Namespace, error) {
	n := hearsay.Namespace{}
	for len(b) > 0 {
		size, k := binary.Uvarint(b)
		if k <= 0 || size > uint64(len(b)-k) {
			return nil, fmt.Errorf("a namespace of the index: %w", errUnusable)
		}
		n = append(n, string(b[k:k+int(size)]))
		b = b[k+int(size):]
	}
	return n, nil
}

func unpackTags(s string) ([]string, error) {
	if s == "[]" {
		return nil, nil
	}
	var tags []string
	if err := json.Unmarshal([]byte(s), &tags); err != nil {
		return nil, fmt.Errorf("tags of the index: %w: %w", errUnusable, err)
	}
	return tags, nil
}

func unpackIDs(b []byte) []hearsay.RecordID {
	var ids []hearsay.RecordID
	for id := range slices.Chunk(b, len(hearsay.RecordID{})) {
		if len(id) == len(hearsay.RecordID{}) {
			ids = append(ids, hearsay.RecordID(id))
		}
	}
	return ids
}

func columnID(st *sqlite.Stmt, col int) (id hearsay.RecordID) {
	if st.ColumnLen(col) == len(id) {
		st.ColumnBytes(col, id[:])
	}
	return id
}

// sumOf is what is kept of a file that was drawn.
func sumOf(data []byte) []byte {
	sum := sha256.Sum256(data)
	return sum[:]
}
