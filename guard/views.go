package guard

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
)

// maxViewed bounds the lines of one file that are kept as seen by one agent of a session.
// Beyond it what was seen before is forgotten, and has to be read again.
const maxViewed = 1 << 16

// viewSession is where it is kept which lines of a guarded file a session has seen, by
// keyed digests; no surface can open it. Losing it means that nothing was seen.
func viewSession(c hearsay.Caller, id string) SessionKey {
	return SessionKey{c.Principal, "views/" + id + "/" + sessionKey(c).ID}
}

// View is which lines of a guarded file an agent of a session has seen since the session
// began, or wrote itself. The zero value has seen none.
type View struct {
	key  [32]byte
	seen []uint64 // ascending
}

// Has reports whether the line was seen, whatever white space ends it.
func (v View) Has(line string) bool {
	if len(v.seen) == 0 {
		return false
	}
	_, ok := slices.BinarySearch(v.seen, v.digest(line))
	return ok
}

// digest is of one line, by a key of the file and the session: what lies in the store
// cannot be guessed from its lines. A collision makes a line look seen.
func (v View) digest(line string) uint64 {
	line = strings.TrimRight(strings.TrimPrefix(line, "\ufeff"), " \t\r\n")
	sum := sha256.Sum256(append(v.key[:len(v.key):len(v.key)], line...))
	return binary.BigEndian.Uint64(sum[:])
}

// View returns what an agent of the caller's session has seen of a file. agent tells its
// sub-agents apart, which do not see what it sees; empty: the main one.
func (g *Guard) View(ctx context.Context, c hearsay.Caller, agent, path string) (View, error) {
	return g.viewIn(ctx, g.store, c, agent, path, now())
}

func (g *Guard) viewIn(ctx context.Context, r Reader, c hearsay.Caller, agent, path string, at int64) (View, error) {
	key := viewSession(c, g.fileID(path))
	v := View{key: g.index.Digest("view", []byte(key.Principal), []byte(key.ID), []byte(agent))}
	kept, err := r.Words(ctx, key, at)
	if err != nil {
		return View{}, fmt.Errorf("what the session saw of %s: %w", path, err)
	}
	for _, w := range kept {
		if w.Name != "/"+agent {
			continue
		}
		for data := w.Data; len(data) >= 8; data = data[8:] {
			v.seen = append(v.seen, binary.BigEndian.Uint64(data))
		}
	}
	return v, nil
}

// Saw keeps that an agent of the caller's session has seen lines of a file. See
// [Guard.View].
func (g *Guard) Saw(ctx context.Context, c hearsay.Caller, agent, path string, lines []string) error {
	lines = lines[max(0, len(lines)-maxViewed):]
	v, err := g.View(ctx, c, agent, path)
	if err != nil || !slices.ContainsFunc(lines, func(line string) bool { return !v.Has(line) }) {
		return err
	}
	_, err = g.store.Update(ctx, func(tx Tx) ([]event.Draft, error) {
		v, err := g.viewIn(ctx, tx, c, agent, path, tx.Now())
		if err != nil {
			return nil, err
		}
		seen := make([]uint64, 0, len(lines)+len(v.seen))
		for _, line := range lines {
			seen = append(seen, v.digest(line))
		}
		if len(lines)+len(v.seen) <= maxViewed {
			seen = append(seen, v.seen...)
		}
		slices.Sort(seen)
		var data []byte
		for _, d := range slices.Compact(seen) {
			data = binary.BigEndian.AppendUint64(data, d)
		}
		return nil, tx.PutWords(StoredWords{
			Session: viewSession(c, g.fileID(path)), Name: "/" + agent, Data: data, Expires: tx.Now() + g.ttl.Milliseconds(),
		})
	})
	if err != nil {
		return fmt.Errorf("keep what the session saw of %s: %w", path, err)
	}
	return nil
}
