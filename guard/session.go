package guard

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
)

// sharedSession is the id of the session that everything of a principal joins that
// cannot be told apart. No surface can open it: ids that surfaces make are longer.
const sharedSession = "shared"

// touchEvery is how often use alone refreshes a session's expiry: often enough for
// a life of days, rarely enough that reads stay reads.
const touchEvery = time.Hour

// unopened is the label of a session that nobody opened or whose row is lost.
var unopened = hearsay.Label{}

// Start says what a session starts from.
type Start struct {
	Host string // id of the host process that it belongs to; empty: not known
	// Resumed says that the conversation is older than this session. Without a row
	// nothing is known of what it read, so it starts tainted.
	Resumed bool
	Inherit []SessionKey // sessions that started it; their labels join
}

// Open makes the caller's session known. A session that is known already keeps its
// label and is refreshed. An empty session id opens nothing: such callers use the
// principal's shared session, which is always tainted.
func (g *Guard) Open(ctx context.Context, c hearsay.Caller, s Start) (hearsay.Label, error) {
	if c.Session == "" || c.Session == sharedSession {
		return unopened, nil
	}
	var label hearsay.Label
	_, err := g.store.Update(ctx, func(tx Tx) ([]event.Draft, error) {
		key := sessionKey(c)
		row, err := tx.Session(ctx, key, tx.Now())
		switch {
		case err == nil:
			label = row.Label
			_, err = tx.MergeSession(g.session(c, s.Host, label, tx.Now()))
			return nil, err
		case !errors.Is(err, ErrNotFound):
			return nil, err
		}
		label = hearsay.LabelIdentity
		if s.Resumed {
			label = unopened
		}
		for _, k := range s.Inherit {
			parent, err := tx.Session(ctx, k, tx.Now())
			if errors.Is(err, ErrNotFound) {
				parent.Label, err = unopened, nil
			}
			if err != nil {
				return nil, err
			}
			label = label.Join(parent.Label)
		}
		if _, err := tx.MergeSession(g.session(c, s.Host, label, tx.Now())); err != nil {
			return nil, err
		}
		return []event.Draft{{Event: event.Event{Kind: event.SessionStart, Session: sessionImage(c, label)}}}, nil
	})
	if err != nil {
		return unopened, fmt.Errorf("open session: %w", err)
	}
	return label, nil
}

// stillThere is how old the last use of a session may be when it is used again without
// saying so. What nobody was seen writing is joined with the sessions that were in use.
const stillThere = 5 * time.Minute

// Touch reports whether the caller's session has a live row, and notes now and then that
// it is in use.
func (g *Guard) Touch(ctx context.Context, c hearsay.Caller) (known bool, err error) {
	row, err := g.store.Session(ctx, sessionKey(c), now())
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	if err != nil || now()-row.Used < stillThere.Milliseconds() {
		return err == nil, err
	}
	_, err = g.Open(ctx, c, Start{})
	return err == nil, err
}

// Observation is text that a session is about to take in.
type Observation struct {
	Source hearsay.Source
	Tool   string // the tool that returned it, for people
	// Marked says that the text bears look-alikes of external-content markers,
	// whatever its source: it counts as external.
	Marked bool
	// Sessions are those that said it, such as a sub-agent's: their labels join. One that
	// is not known is tainted by the unknown.
	Sessions []SessionKey
	// Also is the label of what it holds, such as of a memory file's lines; it only lowers.
	Also *hearsay.Label
	// Texts is what it says, of which fingerprints are kept; nil where it is not known
	// yet. Then call Observe again with it.
	Texts []string
}

// Observe seals what the session is about to take in and returns the session's
// label after it. Call it before the text is let through; on an error do not let it
// through to anything that cannot be tainted. A source that does not reach the
// session changes no label and makes no event, and each distinct source of a session
// is sealed once.
func (g *Guard) Observe(ctx context.Context, c hearsay.Caller, o Observation) (hearsay.Label, error) {
	class := g.table.Classify(o.Source)
	if o.Marked {
		class.Origin, class.Reach = hearsay.External, hearsay.ReachSession
	}
	prints := g.prints(class, o.Texts)
	key, taken := sessionKey(c), class.SessionLabel()
	if o.Also != nil && o.Also.Tainted() {
		taken = taken.Join(*o.Also)
	}
	for _, from := range o.Sessions {
		said, err := g.labelIn(ctx, g.store, from, now())
		if err != nil {
			return unopened, err
		}
		// How low a sub-agent's origin is says nothing; what flowed into it does.
		if said.Tainted() {
			taken = taken.Join(said)
		}
	}
	if taken == hearsay.LabelIdentity {
		if err := g.hear(ctx, key, o.Source, class, prints); err != nil {
			return unopened, err
		}
		return g.SessionLabel(ctx, c)
	}
	mark := g.index.Digest("seen", []byte(key.Principal), []byte(key.ID), []byte(o.Source.Type), []byte(o.Source.Ref), []byte(o.Source.Actor), []byte(taken.String()))
	at := now()
	if label, ok := g.took(ctx, key, mark, taken, at); ok {
		return label, g.hear(ctx, key, o.Source, class, prints)
	}
	label, err := g.taint(ctx, c, key, taken, func(tx Tx, label hearsay.Label) ([]event.Draft, error) {
		if prints != nil {
			if err := g.heard(ctx, tx, key, o.Source, class, *prints); err != nil {
				return nil, err
			}
		}
		seen, err := tx.Seen(ctx, mark, tx.Now())
		if err != nil || seen {
			return nil, err
		}
		image := sessionImage(c, label)
		image.ID, image.Source, image.Class = key.ID, o.Source.BaseType(), &class
		return []event.Draft{{
			Event: event.Event{Kind: event.SessionObserve, Session: image},
			Side:  event.Side{Ref: o.Source.Ref, Actor: o.Source.Actor, Tool: o.Tool},
		}}, tx.Mark(mark, tx.Now()+g.ttl.Milliseconds())
	})
	if err != nil {
		return unopened, fmt.Errorf("observe: %w", err)
	}
	g.seen.put(mark, label, at, at+g.ttl.Milliseconds())
	return label, nil
}

// took reports whether the session took the source in before and still bears it.
func (g *Guard) took(ctx context.Context, key SessionKey, mark [32]byte, taken hearsay.Label, at int64) (hearsay.Label, bool) {
	if label, ok := g.seen.get(mark, at); ok {
		return label, true
	}
	row, err := g.store.Session(ctx, key, at)
	if err != nil || !row.Label.Below(taken) || at-row.Used >= touchEvery.Milliseconds() {
		return hearsay.Label{}, false
	}
	if seen, err := g.store.Seen(ctx, mark, at); err != nil || !seen {
		return hearsay.Label{}, false
	}
	g.seen.put(mark, row.Label, at, row.Expires)
	return row.Label, true
}

// taint joins taken into the session, seals what the drafts of why tell and, where
// the label sank, that it did.
func (g *Guard) taint(ctx context.Context, c hearsay.Caller, key SessionKey, taken hearsay.Label, why func(Tx, hearsay.Label) ([]event.Draft, error)) (hearsay.Label, error) {
	var label hearsay.Label
	_, err := g.store.Update(ctx, func(tx Tx) ([]event.Draft, error) {
		before, err := g.labelIn(ctx, tx, key, tx.Now())
		if err != nil {
			return nil, err
		}
		label = before.Join(taken)
		s := g.session(c, "", label, tx.Now())
		s.Key = key
		if _, err := tx.MergeSession(s); err != nil {
			return nil, err
		}
		drafts, err := why(tx, label)
		if err != nil {
			return nil, err
		}
		if label != before {
			image := sessionImage(c, label)
			image.ID = key.ID
			drafts = append(drafts, event.Draft{Event: event.Event{Kind: event.SessionTaint, Session: image}})
		}
		return drafts, nil
	})
	return label, err
}

// SessionLabel returns the label of the caller's session now. A session that nobody
// opened, whose row was lost or has expired, or that cannot be read is tainted.
func (g *Guard) SessionLabel(ctx context.Context, c hearsay.Caller) (hearsay.Label, error) {
	return g.labelIn(ctx, g.store, sessionKey(c), now())
}

func (g *Guard) labelIn(ctx context.Context, r Reader, key SessionKey, at int64) (hearsay.Label, error) {
	row, err := r.Session(ctx, key, at)
	if errors.Is(err, ErrNotFound) {
		return unopened, nil
	}
	if err != nil {
		return unopened, fmt.Errorf("read session: %w", err)
	}
	return row.Label, nil
}

// anyTainted reports whether a live session of the principal is tainted.
func anyTainted(ctx context.Context, r Reader, principal string, at int64) (bool, error) {
	rows, err := r.Sessions(ctx, &principal, at)
	if err != nil {
		return true, err
	}
	for _, s := range rows {
		if s.Label.Tainted() {
			return true, nil
		}
	}
	return false, nil
}

// sessionKey is the key of the caller's session.
func sessionKey(c hearsay.Caller) SessionKey {
	if c.Session == "" {
		return SessionKey{Principal: c.Principal, ID: sharedSession}
	}
	return SessionKey{Principal: c.Principal, ID: c.Session}
}

// session makes the row of the caller's session with that label.
func (g *Guard) session(c hearsay.Caller, host string, label hearsay.Label, at int64) Session {
	return Session{
		Key: sessionKey(c), Agent: c.Agent, Surface: c.Surface, Label: label, Host: host,
		Started: at, Used: at, Expires: at + g.ttl.Milliseconds(),
	}
}

func sessionImage(c hearsay.Caller, label hearsay.Label) *event.Session {
	return &event.Session{ID: sessionKey(c).ID, Principal: c.Principal, Surface: c.Surface, Label: label}
}

// seenCache remembers, in this process, that a session took a source in. Taint only
// grows while the session's row lives, so a positive answer stays right until the row
// could expire and be opened anew; the label it returns may be higher than the session's
// is by now, never lower than what the source did to it. It is bounded and forgets
// everything when full.
type seenCache struct {
	mu sync.Mutex
	m  map[[32]byte]seenEntry
}

type seenEntry struct {
	label       hearsay.Label
	from, until int64 // UTC ms
}

const seenMost = 4096

func (s *seenCache) get(mark [32]byte, at int64) (hearsay.Label, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.m[mark]
	return e.label, ok && e.from <= at && at < e.until
}

// put remembers until the row expires, and no longer than a use is not noted.
func (s *seenCache) put(mark [32]byte, label hearsay.Label, at, expires int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.m == nil || len(s.m) >= seenMost {
		s.m = make(map[[32]byte]seenEntry)
	}
	s.m[mark] = seenEntry{label, at, min(expires, at+touchEvery.Milliseconds())}
}
