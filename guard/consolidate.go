package guard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
)

// Consolidation is one memory that takes the place of others, or, with [event.Delete],
// what the others leave behind: nothing. Its Replaces are what it was made of.
type Consolidation struct {
	Write
	Project string // canonical real path; empty: none
}

// MaxConsolidations bounds one run.
const MaxConsolidations = 1_000

// ErrMoved says that the log has grown since something was made from it.
var ErrMoved = errors.New("the log has grown meanwhile")

// Consolidate seals what a run of the engine makes of memories of the own store, all of
// it in one transaction or none. A result has the join of the labels of all that it
// replaces, and all of them as parents, and weighs no more than the lightest. What repeats
// the bytes of one of them says nothing new and is let in; anything else is at most the
// agent's word and decided by the policy.
// Nothing that is pinned or stable is replaced. Revoking a result brings back what it
// replaced.
//
// size is the size of the log that they were made from: where it has grown since nothing is
// sealed, and the error is [ErrMoved]. 0 is whatever size it has.
func (g *Guard) Consolidate(ctx context.Context, c hearsay.Caller, size int64, all []Consolidation) ([]Decision, error) {
	if len(all) > MaxConsolidations {
		return nil, refuse("a run makes %d changes: at most %d", len(all), MaxConsolidations)
	}
	all = slices.Clone(all)
	for i := range all {
		all[i].Store = OwnStore
		if err := all[i].check(); err != nil {
			return nil, err
		}
		if len(all[i].Replaces) == 0 {
			return nil, refuse("a consolidation of nothing")
		}
	}
	var decisions []Decision
	_, err := g.store.Update(ctx, func(tx Tx) ([]event.Draft, error) {
		decisions = nil
		if size > 0 && tx.Seq() != size {
			return nil, ErrMoved
		}
		var drafts []event.Draft
		taken := make(map[hearsay.RecordID]bool)
		for _, one := range all {
			for _, id := range one.Replaces {
				if taken[id] {
					return nil, refuse("record %s is consolidated twice in one run", id)
				}
				taken[id] = true
			}
			c.Project = one.Project
			d, draft, err := g.consolidate(ctx, tx, c, one.Write, tx.Seq()+int64(len(drafts)))
			if err != nil {
				return nil, err
			}
			decisions, drafts = append(decisions, d), append(drafts, draft)
		}
		return drafts, nil
	})
	if err != nil {
		return nil, fmt.Errorf("consolidate: %w", err)
	}
	return decisions, nil
}

func (g *Guard) consolidate(ctx context.Context, tx Tx, c hearsay.Caller, w Write, seq int64) (Decision, event.Draft, error) {
	none := event.Draft{}
	took, err := replaced(ctx, tx, c, &w)
	if err != nil {
		return Decision{}, none, err
	}
	if took.pinned {
		return Decision{}, none, refuse("what is pinned is replaced by a person alone")
	}
	label, repeats, weight := hearsay.LabelIdentity, w.Op == event.Delete, 1.0
	for _, id := range w.Replaces {
		r, err := loadRecord(ctx, tx, id)
		if err != nil {
			return Decision{}, none, err
		}
		label, weight = label.Join(r.Label), min(weight, r.Weight)
		if repeats {
			continue
		}
		side, err := g.content(ctx, tx, r)
		if err != nil {
			return Decision{}, none, err
		}
		repeats = bytes.Equal(side.Content, w.Content)
	}
	evidence := g.lintAll(w.Texts)
	v := hearsay.Verdict{Action: hearsay.Allow, Weight: 1, Rule: hearsay.RuleRef{ID: "builtin-repeats"}}
	if !repeats {
		label = label.Join(hearsay.Label{Origin: hearsay.Agent, Taint: hearsay.Untainted})
		v = g.decide(c, w, label, label, false, evidence, took.spaces, "", hearsay.Enforce)
		if again, err := g.fenced(ctx, tx, w.Texts); err != nil {
			return Decision{}, none, err
		} else if again {
			v.Action, v.Rule = hearsay.Block, hearsay.RuleRef{ID: "builtin-erased"}
		}
	}
	v.Weight = min(v.Weight, weight)
	claims, clamps := g.ceilings().Apply(label.Origin, w.Claims)
	v.Label, v.Clamps = label, clamps
	rec := &event.Record{
		Label: label, Source: w.Source.BaseType(), Principal: c.Principal, Project: g.projectToken(c.Project),
		Agent: c.Agent, Session: sessionKey(c).ID, Surface: c.Surface, Store: w.Store, Namespace: w.Namespace, Kind: w.Kind, Op: w.Op,
		Parents: w.Replaces, Replaces: w.Replaces, Exposure: seq, Rule: v.Rule.ID, PolicyHash: g.policy.Hash(), Weight: v.Weight,
		Claims: claims, Clamps: clamps, Evidence: evidence.Kinds.Names(),
	}
	kind := event.Hold
	switch v.Action {
	case hearsay.Allow:
		kind, rec.Standing = event.WriteAllowed, hearsay.Allowed
	case hearsay.Block:
		kind, rec.Standing = event.WriteRefused, hearsay.Blocked
	}
	if rec.ID, err = g.newID(tx.Now()); err != nil {
		return Decision{}, none, err
	}
	keys := make([][32]byte, len(w.Items))
	for i, it := range w.Items {
		keys[i] = g.ItemKey(w.Store, it)
	}
	if err := g.settle(tx, rec, keys, seq); err != nil {
		return Decision{}, none, err
	}
	return Decision{ID: rec.ID, Standing: rec.Standing, Verdict: v},
		event.Draft{Event: event.Event{Kind: kind, Record: rec}, Side: w.side(c, keys, evidence, attribution{})}, nil
}
