package guard

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
)

// announcedFor is how long word of a call is kept: from the hook's answer to the call
// itself a person may be asked in between.
const announcedFor = 10 * time.Minute

// Call is one call of a tool behind a proxy, as both the host's hook and the proxy
// see it.
type Call struct {
	ID     string   // the host's id of the call; empty where the client does not say
	Digest [32]byte // of the tool's name and the canonical arguments
}

// CallDigest is the digest of a call: of the tool's name in its server, and of its
// arguments in canonical form.
func CallDigest(tool string, args []byte) [32]byte {
	return sha256.Sum256(fmt.Appendf(nil, "hearsay/call/v1\x00%d:%s%s", len(tool), tool, args))
}

// Announce leaves word that the caller's session is about to make a call: a proxy
// under the same host spends it, once, and so knows whose call it is. A hook
// announces before it lets the call go on.
func (g *Guard) Announce(ctx context.Context, c hearsay.Caller, call Call) error {
	_, err := g.store.Update(ctx, func(tx Tx) ([]event.Draft, error) {
		for _, mark := range g.callMarks(sessionKey(c), call) {
			if err := tx.Mark(mark, tx.Now()+announcedFor.Milliseconds()); err != nil {
				return nil, err
			}
		}
		return nil, nil
	})
	if err != nil {
		return fmt.Errorf("announce a call: %w", err)
	}
	return nil
}

// Unspent takes back what [Guard.Announce] left and reports whether it was still
// there: then no proxy of ours saw the call.
func (g *Guard) Unspent(ctx context.Context, c hearsay.Caller, call Call) (unspent bool, err error) {
	_, err = g.store.Update(ctx, func(tx Tx) ([]event.Draft, error) {
		unspent = true
		for _, mark := range g.callMarks(sessionKey(c), call) {
			took, err := tx.Take(mark)
			if err != nil {
				return nil, err
			}
			unspent = unspent && took
		}
		return nil, nil
	})
	if err != nil {
		return true, fmt.Errorf("look for an announced call: %w", err)
	}
	return unspent, nil
}

// Join finds the session whose hook announced the call and returns the caller with
// that session. Where no hook is at work under the host process, or none announced
// the call, the caller comes back as it was; hooked tells the two apart.
func (g *Guard) Join(ctx context.Context, c hearsay.Caller, host string, call Call) (joined hearsay.Caller, hooked, found bool, err error) {
	joined = c
	_, err = g.store.Update(ctx, func(tx Tx) ([]event.Draft, error) {
		var key SessionKey
		key, hooked, found, err = g.joinIn(ctx, tx, c.Principal, host, call)
		if found {
			joined.Session = key.ID
		}
		return nil, err
	})
	if err != nil {
		return c, true, false, fmt.Errorf("join a call: %w", err)
	}
	return joined, hooked, found, nil
}

// joinIn looks among the live sessions that hooks opened under the host process. Of
// several that announced the same call, the least trusted has it.
func (g *Guard) joinIn(ctx context.Context, tx Tx, principal, host string, call Call) (key SessionKey, hooked, found bool, err error) {
	if host == "" {
		return key, false, false, nil
	}
	rows, err := tx.Sessions(ctx, &principal, tx.Now())
	if err != nil {
		return key, true, false, err
	}
	rows = slices.DeleteFunc(rows, func(s Session) bool { return s.Surface != hearsay.SurfaceHook || s.Host != host })
	slices.SortStableFunc(rows, func(a, b Session) int {
		switch {
		case a.Label == b.Label:
			return 0
		case a.Label.Below(b.Label):
			return -1
		case b.Label.Below(a.Label):
			return 1
		}
		return len(b.Label.Taint.Tags()) - len(a.Label.Taint.Tags())
	})
	for _, s := range rows {
		if spent, err := g.spendCall(tx, s.Key, call); err != nil || spent {
			return s.Key, true, spent, err
		}
	}
	return key, len(rows) > 0, false, nil
}

// spendCall takes the marks of a call, which was announced if its id was, or, where
// the client gives none, the call without one. The other mark goes too, so that a call
// is spent once; a call that was not announced takes nothing.
func (g *Guard) spendCall(tx Tx, s SessionKey, call Call) (bool, error) {
	for i, mark := range g.callMarks(s, call) {
		if took, err := tx.Take(mark); err != nil || i == 0 && !took {
			return false, err
		}
	}
	return true, nil
}

// callMarks returns the marks of a call: with its id, where it has one, and without.
func (g *Guard) callMarks(s SessionKey, call Call) [][32]byte {
	mark := func(id string) [32]byte {
		return g.index.Digest("join", []byte(s.Principal), []byte(s.ID), []byte(id), call.Digest[:])
	}
	if call.ID == "" {
		return [][32]byte{mark("")}
	}
	return [][32]byte{mark(call.ID), mark("")}
}

// Note leaves a note in the caller's session for as long as said; it is only ever asked
// for by its name, see [Guard.Noted].
func (g *Guard) Note(ctx context.Context, c hearsay.Caller, name string, life time.Duration) error {
	return g.remember(ctx, g.noteMark(c, name), life)
}

// Noted reports whether the caller's session has a note of that name.
func (g *Guard) Noted(ctx context.Context, c hearsay.Caller, name string) (bool, error) {
	return g.store.Seen(ctx, g.noteMark(c, name), now())
}

func (g *Guard) noteMark(c hearsay.Caller, name string) [32]byte {
	return g.index.Digest("note", []byte(c.Principal), []byte(sessionKey(c).ID), []byte(name))
}

// Serve tells, for as long as the proxy lives, that a server of that name is a memory
// server behind a proxy of ours under the host process: its writes are decided there.
func (g *Guard) Serve(ctx context.Context, principal, host, server string) error {
	return g.remember(ctx, g.serverMark(principal, host, server), 24*time.Hour)
}

// Served reports whether [Guard.Serve] said so within the last day.
func (g *Guard) Served(ctx context.Context, principal, host, server string) (bool, error) {
	if host == "" {
		return false, nil
	}
	return g.store.Seen(ctx, g.serverMark(principal, host, server), now())
}

func (g *Guard) serverMark(principal, host, server string) [32]byte {
	return g.index.Digest("served", []byte(principal), []byte(host), []byte(server))
}

// remember leaves a mark. It writes nothing where the mark has most of its time left.
func (g *Guard) remember(ctx context.Context, mark [32]byte, life time.Duration) error {
	if seen, err := g.store.Seen(ctx, mark, now()+life.Milliseconds()*9/10); err == nil && seen {
		return nil
	}
	_, err := g.store.Update(ctx, func(tx Tx) ([]event.Draft, error) {
		return nil, tx.Mark(mark, tx.Now()+life.Milliseconds())
	})
	return err
}

// Heartbeat tells that a hook of the host was at work.
func (g *Guard) Heartbeat(ctx context.Context, host string) error {
	return g.remember(ctx, g.index.Digest("heartbeat", []byte(host)), DefaultTTL)
}

// Beats reports whether a hook of the host was at work within the last week.
func (g *Guard) Beats(ctx context.Context, host string) (bool, error) {
	return g.store.Seen(ctx, g.index.Digest("heartbeat", []byte(host)), now())
}

// Silence forgets the hook of a host: it was taken out on purpose.
func (g *Guard) Silence(ctx context.Context, host string) error {
	_, err := g.store.Update(ctx, func(tx Tx) ([]event.Draft, error) {
		_, err := tx.Take(g.index.Digest("heartbeat", []byte(host)))
		return nil, err
	})
	return err
}
