package memory

import (
	"bytes"
	"slices"
	"time"

	"zombiezen.com/go/sqlite"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/recall"
)

// uses is what was learnt from recalls and is not written down yet. It is written with one
// recall in so many and at the end: losing it costs nothing but what it taught.
type uses struct {
	last    map[hearsay.RecordID]int64 // UTC ms
	answers []usedAnswer
}

type usedAnswer struct {
	at  time.Time
	all recall.Answer
}

// keptUses is how many recalls are kept before they are written down.
const keptUses = 32

// note keeps what an answer showed. What is not trusted learns nothing from being shown.
func (u *uses) note(a recall.Answer, at time.Time) {
	if u.last == nil {
		u.last = make(map[hearsay.RecordID]int64)
	}
	any := false
	for _, r := range a.Results {
		if r.Trusted {
			u.last[r.Memory.ID], any = at.UnixMilli(), true
		}
	}
	if any {
		u.answers = append(u.answers, usedAnswer{at, a})
	}
}

// flush writes them down.
func (u *uses) flush(c *sqlite.Conn) error {
	if len(u.last) == 0 {
		return nil
	}
	last, answers := u.last, u.answers
	*u = uses{}
	return inTx(c, func() error {
		for id, at := range last {
			// As strong as when it was new, see startStrength.
			if err := run(c, "INSERT INTO life.life VALUES(?, ?, ?) ON CONFLICT DO UPDATE SET used = max(used, excluded.used)", id[:], startStrength, at); err != nil {
				return err
			}
		}
		for _, a := range answers {
			var ties []recall.Tie
			var ids []hearsay.RecordID
			for _, r := range a.all.Results {
				if r.Trusted && len(ids) < recall.MaxTied {
					ids = append(ids, r.Memory.ID)
				}
			}
			slices.SortFunc(ids, compareIDs)
			for i, x := range ids {
				for _, y := range ids[i+1:] {
					if err := readTies(c, "a = ? AND b = ?", &ties, x[:], y[:]); err != nil {
						return err
					}
				}
			}
			for _, t := range recall.Together(ties, a.all, a.at) {
				if err := run(c, "INSERT INTO life.tie VALUES(?, ?, ?, ?) ON CONFLICT DO UPDATE SET weight = excluded.weight, at = excluded.at",
					t.A[:], t.B[:], t.Weight, t.At.UnixMilli()); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func compareIDs(a, b hearsay.RecordID) int { return bytes.Compare(a[:], b[:]) }

// startStrength stands for the strength that a memory's kind gives it.
const startStrength = -1.0

func readTies(c *sqlite.Conn, where string, into *[]recall.Tie, args ...any) error {
	return each(c, "SELECT a, b, weight, at FROM life.tie WHERE "+where, func(st *sqlite.Stmt) error {
		*into = append(*into, recall.Tie{A: columnID(st, 0), B: columnID(st, 1), Weight: st.ColumnFloat(2), At: time.UnixMilli(st.ColumnInt64(3))})
		return nil
	}, args...)
}
