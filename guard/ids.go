package guard

import (
	"encoding/binary"
	"sync"

	"github.com/hearsay-memory/hearsay"
)

// idCounter makes the ids of one guard ascend within a millisecond too, as lists of records
// are read in the order of their ids. The twelve bits after the time count there (RFC 9562
// §6.2, method 1); the 62 after them are random as ever. The zero value is ready.
type idCounter struct {
	mu sync.Mutex
	ms int64
	n  uint16
}

const (
	idCountBits  = 0xfff
	idCountStart = 0x7ff // below it counting begins at random, so that 2048 ids always ascend
)

// next makes an id of a time in Unix milliseconds and random bytes.
func (c *idCounter) next(ms int64, random [10]byte) hearsay.RecordID {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := binary.BigEndian.Uint16(random[:]) & idCountStart
	if ms == c.ms {
		n = min(c.n+1, idCountBits)
	}
	c.ms, c.n = ms, n
	binary.BigEndian.PutUint16(random[:], n)
	return hearsay.NewRecordID(ms, random)
}
