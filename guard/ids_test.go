package guard

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/hearsay-memory/hearsay"
)

// Ids ascend, also those of one millisecond, and stay ids.
func TestIDsAscend(t *testing.T) {
	var c idCounter
	var random [10]byte
	r := rand.NewChaCha8([32]byte{1})
	var last hearsay.RecordID
	for _, ms := range []int64{1, 1_800_000_000_000, 1_800_000_000_001} {
		for range idCountBits - idCountStart {
			_, _ = r.Read(random[:])
			id := c.next(ms, random)
			if bytes.Compare(id[:], last[:]) <= 0 {
				t.Fatalf("%s after %s", id, last)
			}
			if again, err := hearsay.ParseRecordID(id.String()); err != nil || again != id {
				t.Fatalf("%s: %v", id, err)
			}
			last = id
		}
	}
	// More than can be counted are ids still.
	seen := make(map[hearsay.RecordID]bool)
	for range 2 * idCountBits {
		_, _ = r.Read(random[:])
		seen[c.next(5, random)] = true
	}
	if len(seen) != 2*idCountBits {
		t.Errorf("%d ids of %d", len(seen), 2*idCountBits)
	}
}
