package memory

import (
	"context"
	"time"

	"zombiezen.com/go/sqlite"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/recall"
)

// maxConfirmed bounds the memories of one text that hear of its being said again.
const maxConfirmed = 16

// confirm lets the memories that say the same know that somebody said it again, see
// [recall.Memory.Confirmed]. It is a courtesy of use: where it fails nothing else does.
func (s *Store) confirm(ctx context.Context, d *Doc, by hearsay.Label, fresh hearsay.RecordID, at time.Time) {
	if !by.Trusted() {
		return // that is no corroboration
	}
	err := func() error {
		// The first and the last few of each voice: somebody may have said it ten thousand times.
		said, _, err := s.guard.Store().Speakers(ctx, s.guard.ItemKey(guard.OwnStore, d.item()), maxConfirmed)
		if err != nil || len(said) < 2 {
			return err // nobody else says it
		}
		return s.use(ctx, func(conn *sqlite.Conn) error {
			return inTx(conn, func() error {
				done := 0
				for _, it := range said {
					if it.State != guard.ItemLanded || it.Record == fresh {
						continue
					}
					m, ok, err := s.byID(conn, trustedSet, it.Record)
					if err != nil {
						return err
					}
					if !ok {
						continue
					}
					if done++; done > maxConfirmed {
						return nil
					}
					if err := keepLife(conn, m.Confirmed(by, at)); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}()
	if err != nil {
		s.log.Warn("that something was said again is lost", "error", err)
	}
}

// keepLife writes down how strong a memory is, and when it was last used.
func keepLife(conn *sqlite.Conn, m recall.Memory) error {
	used := int64(0)
	if !m.Used.IsZero() {
		used = m.Used.UnixMilli()
	}
	return run(conn, "INSERT OR REPLACE INTO life.life VALUES(?, ?, ?)", m.ID[:], m.Strength, used)
}
