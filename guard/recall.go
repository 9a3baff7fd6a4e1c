package guard

import (
	"context"
	"errors"
	"fmt"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/policy"
)

// Show says what may be done with a thing that a store returned.
type Show uint8

// The answers for one thing. The zero value hides it.
const (
	Hide Show = iota // held, refused, withdrawn or another principal's: as if it were not there
	Omit             // over the cap: left out and announced
	Pass             // may be shown, marked by its label
)

// Recalled is the answer to a [Guard.Recall], in the order of its items.
type Recalled struct {
	Items   []RecalledItem
	Hidden  int                // things withheld
	Omitted []hearsay.RecordID // records of the things left out by the cap, each once
	Label   hearsay.Label      // of the session after it
}

// RecalledItem is what is known of one thing.
type RecalledItem struct {
	Show   Show
	Label  hearsay.Label    // the origin decides how it is marked
	Record hearsay.RecordID // zero: nobody was seen writing it
	Weight float64
	// Pending says that it is low in trust and that no person has approved it; it is told
	// of memories of the own store where the policy flags such.
	Pending bool
}

// Recall decides what of the things that a store returned may be shown to the
// caller, and seals what the session takes in by that before it returns. On an
// error show none of them.
//
// Things that no record explains are unverified. Things of which only held, refused
// or withdrawn records speak are hidden, however they came to be in the store.
func (g *Guard) Recall(ctx context.Context, c hearsay.Caller, store string, items []Item) (Recalled, error) {
	keys := make([][32]byte, len(items))
	for i, it := range items {
		keys[i] = g.ItemKey(store, it)
	}
	known, err := g.store.Items(ctx, keys)
	if err != nil {
		return Recalled{}, fmt.Errorf("recall: %w", err)
	}
	load := recordCache{guard: g, rows: make(map[hearsay.RecordID]*event.Record)}
	return g.recall(ctx, c, false, len(items), func(i int) (RecalledItem, error) { return g.judge(ctx, &load, c, known[keys[i]]) })
}

// RecallRecords is [Guard.Recall] for memories of the own store, named by their records.
func (g *Guard) RecallRecords(ctx context.Context, c hearsay.Caller, ids []hearsay.RecordID) (Recalled, error) {
	return g.recall(ctx, c, true, len(ids), func(i int) (RecalledItem, error) {
		r, err := loadRecord(ctx, g.store, ids[i])
		if errors.Is(err, ErrNotFound) || err == nil && (r.Principal != c.Principal || r.Store != OwnStore || !r.Standing.Visible() || r.Op == event.Delete) {
			return RecalledItem{Show: Hide}, nil
		}
		if err != nil {
			return RecalledItem{}, err
		}
		pending := r.Label.Origin.LowTrust() && r.Standing != hearsay.Released
		if pending && g.policy.Recall().Quarantine == policy.QuarantineEnforce {
			return RecalledItem{Show: Hide}, nil
		}
		return RecalledItem{
			Show: Pass, Label: r.Label, Record: r.ID, Weight: r.Weight,
			Pending: pending && g.policy.Recall().Quarantine == policy.QuarantineFlag,
		}, nil
	})
}

// recall decides about n things, of the own store or of another, of which judge tells what
// is known, and seals what the session takes in.
func (g *Guard) recall(ctx context.Context, c hearsay.Caller, own bool, n int, judge func(i int) (RecalledItem, error)) (Recalled, error) {
	out := Recalled{Items: make([]RecalledItem, n)}
	most, external := g.policy.MaxUntrusted(), make(map[hearsay.RecordID]bool)
	taken, fresh := hearsay.LabelIdentity, []hearsay.RecordID(nil)
	listed := make(map[hearsay.RecordID]bool)
	for i := range n {
		it, err := judge(i)
		if err != nil {
			return Recalled{}, fmt.Errorf("recall: %w", err)
		}
		if it.Show == Pass && it.Label.Origin == hearsay.External && !external[it.Record] {
			// One record is one memory, however many things it put there.
			if len(external) < most {
				external[it.Record] = true
			} else {
				it.Show = Omit
			}
		}
		switch it.Show {
		case Hide:
			out.Hidden++
		case Omit:
			if !it.Record.IsZero() && !listed[it.Record] {
				listed[it.Record] = true
				out.Omitted = append(out.Omitted, it.Record)
			}
		case Pass:
			if it.Label.Tainted() {
				taken = taken.Join(it.Label)
			}
			// What is low in trust is sealed though it taints nobody: how often a memory of
			// our own was shown that no person has looked at is what the audit counts.
			if (it.Label.Tainted() || own && !it.Label.Trusted()) && !listed[it.Record] {
				listed[it.Record] = true
				fresh = append(fresh, it.Record)
			}
		}
		out.Items[i] = it
	}
	var err error
	if len(fresh) == 0 {
		out.Label, err = g.SessionLabel(ctx, c)
	} else {
		out.Label, err = g.sealRecall(ctx, c, taken, fresh)
	}
	if err != nil {
		return Recalled{}, fmt.Errorf("recall: %w", err)
	}
	return out, nil
}

// judge tells what is known of one thing from the records that speak of it: the one
// that was first seen to put it there and still stands owns it.
func (g *Guard) judge(ctx context.Context, load *recordCache, c hearsay.Caller, speak []StoredItem) (RecalledItem, error) {
	unseen := RecalledItem{Show: Pass, Label: hearsay.Label{Origin: hearsay.Unverified, Taint: hearsay.Untainted}, Weight: 1}
	var waiting *event.Record
	hidden := false
	for _, it := range speak {
		r, err := load.get(ctx, it.Record)
		if errors.Is(err, ErrNotFound) {
			hidden = true // a record that should be there is not: nothing vouches for this
			continue
		}
		if err != nil {
			return RecalledItem{}, err
		}
		switch {
		case r.Principal != c.Principal, !r.Standing.Visible():
			hidden = true
		case r.Op == event.Delete:
		case it.State == ItemLanded:
			return RecalledItem{Show: Pass, Label: r.Label, Record: r.ID, Weight: r.Weight}, nil
		case it.State == ItemWaiting && waiting == nil:
			waiting = r
		}
	}
	if hidden {
		return RecalledItem{Show: Hide}, nil
	}
	if waiting != nil {
		unseen.Label, unseen.Record = unseen.Label.Join(waiting.Label), waiting.ID
	}
	return unseen, nil
}

// sealRecall seals that the session takes in records, each once a session, and what that
// makes of its label.
func (g *Guard) sealRecall(ctx context.Context, c hearsay.Caller, taken hearsay.Label, records []hearsay.RecordID) (hearsay.Label, error) {
	key := sessionKey(c)
	at := now()
	mark := func(id hearsay.RecordID) [32]byte {
		return g.index.Digest("recalled", []byte(key.Principal), []byte(key.ID), id[:])
	}
	news := false
	label := hearsay.LabelIdentity
	for _, id := range records {
		l, ok := g.seen.get(mark(id), at)
		news = news || !ok
		label = label.Join(l)
	}
	if !news {
		return label, nil
	}
	label, err := g.taint(ctx, c, key, taken, func(tx Tx, label hearsay.Label) ([]event.Draft, error) {
		image := sessionImage(c, label)
		for _, id := range records {
			m := mark(id)
			seen, err := tx.Seen(ctx, m, tx.Now())
			if err != nil {
				return nil, err
			}
			if !seen {
				image.Records = append(image.Records, id)
				if err := tx.Mark(m, tx.Now()+g.ttl.Milliseconds()); err != nil {
					return nil, err
				}
			}
		}
		if len(image.Records) == 0 {
			return nil, nil
		}
		return []event.Draft{{Event: event.Event{Kind: event.Recall, Session: image}}}, nil
	})
	if err != nil {
		return unopened, err
	}
	for _, id := range records {
		g.seen.put(mark(id), label, at, at+g.ttl.Milliseconds())
	}
	return label, nil
}

// recordCache loads each record once a recall.
type recordCache struct {
	guard *Guard
	rows  map[hearsay.RecordID]*event.Record
}

func (c *recordCache) get(ctx context.Context, id hearsay.RecordID) (*event.Record, error) {
	if r, ok := c.rows[id]; ok {
		return r, nil
	}
	r, err := loadRecord(ctx, c.guard.store, id)
	if err == nil {
		c.rows[id] = r
	}
	return r, err
}
