package guard

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
)

// Review carries out a reviewer's decision about a held record: approve releases
// the exact held bytes, reject refuses them for good. A release changes the
// standing, never the label. Where the record's bytes, label or standing are not
// what was signed, the decision is void and an error that wraps [ErrRefused] or
// [ErrTampered] says so.
func (g *Guard) Review(ctx context.Context, signed reviewer.Signed, note string) (*event.Record, error) {
	st := signed.Statement
	var kind event.Kind
	var standing hearsay.Standing
	switch st.Decision {
	case reviewer.Approve:
		kind, standing = event.Approve, hearsay.Released
	case reviewer.Reject:
		kind, standing = event.Reject, hearsay.Rejected
	default:
		return nil, refuse("a review approves or rejects, not %s", st.Decision)
	}
	id, err := hearsay.ParseRecordID(st.RecordID)
	if err != nil {
		return nil, err
	}
	if st.NoteDigest == "" != (note == "") || note != "" && st.NoteDigest != noteDigest(st.Nonce, note) {
		return nil, refuse("the note is not the one that was signed")
	}
	var after *event.Record
	_, err = g.store.Update(ctx, func(tx Tx) ([]event.Draft, error) {
		r, err := loadRecord(ctx, tx, id)
		if err != nil {
			return nil, err
		}
		if r.Standing != hearsay.Held && !vets(st.Decision, r) {
			return nil, refuse("record %s is %s, not held", id, r.Standing)
		}
		if err := sameAsSigned(st, r); err != nil {
			return nil, err
		}
		if standing == hearsay.Released {
			// What was shown must be what is applied: text changed in the store is never released.
			if _, err := g.content(ctx, tx, r); err != nil {
				return nil, err
			}
		}
		proof, err := g.accept(ctx, tx, signed)
		if err != nil {
			return nil, err
		}
		r.Standing = standing
		if err := g.settleStored(ctx, tx, r, tx.Seq()); err != nil {
			return nil, err
		}
		after = r
		return []event.Draft{{
			Event: event.Event{Kind: kind, Record: r, Proof: proof},
			Side:  event.Side{Note: note},
		}}, nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", st.Decision, id, err)
	}
	return after, nil
}

// vets reports whether a person approves a low-trust memory that the policy let in: it is
// no longer pending then, and nothing else about it changes.
func vets(d reviewer.Decision, r *event.Record) bool {
	return d == reviewer.Approve && r.Standing == hearsay.Allowed && r.Store == OwnStore && r.Label.Origin.LowTrust()
}

// sameAsSigned reports whether a statement is about the record as it is.
func sameAsSigned(st reviewer.Statement, r *event.Record) error {
	if st.RecordID != r.ID.String() || st.ContentDigest != r.Content ||
		st.LabelOrigin != r.Label.Origin.String() || !slices.Equal(st.LabelTaint, r.Label.Taint.Tags()) {
		return refuse("record %s changed after it was signed: look at it again", r.ID)
	}
	return nil
}

// Revocation selects what to withdraw. Exactly one of its parts is set.
type Revocation struct {
	ID     hearsay.RecordID
	Source string // ref of a source: URL, path or message id
	Since  int64  // UTC ms, together with Taint
	Taint  string
}

// Derived is one record that a revocation withdraws, and why.
type Derived struct {
	Record *event.Record
	Via    Via
}

// Via says how a record hangs on what is withdrawn.
type Via string

// The ways, strongest first.
const (
	ViaSelected Via = "selected" // named by the revocation
	ViaParent   Via = "parent"   // declares a withdrawn record as parent
	ViaExposure Via = "exposure" // its session had taken in the source or a withdrawn record before
)

// Affected finds what a revocation withdraws: what it names, what was derived from
// that by declared parents, and what was written by a session after it had taken
// any of that in. The closure is over all of them, so that no more is left than a
// run without the source would have left. Order: oldest first.
func (g *Guard) Affected(ctx context.Context, v Revocation) ([]Derived, error) {
	if v.ID.IsZero() && v.Source == "" && (v.Since <= 0 || v.Taint == "") {
		return nil, refuse("say what to withdraw: a record id, a source, or a time and a taint")
	}
	walk := &walker{via: make(map[hearsay.RecordID]Via), exposed: make(map[SessionKey]int64)}
	// Records in the order of their ids, and exposures in the order of the log.
	var records []*event.Record
	for r, err := range g.store.Scan(ctx, Query{}) {
		if err != nil {
			return nil, fmt.Errorf("find what is affected: %w", err)
		}
		records = append(records, r)
	}
	exposures, err := g.exposures(ctx)
	if err != nil {
		return nil, err
	}
	for _, r := range records {
		picked := r.ID == v.ID
		if v.Source != "" {
			side, err := g.content(ctx, g.store, r)
			if err != nil && !errors.Is(err, ErrNotFound) {
				return nil, err
			}
			picked = picked || side.Ref == v.Source
		}
		if v.Taint != "" && r.Created >= v.Since && r.Label.Taint.Has(v.Taint) {
			picked = true
		}
		if picked {
			walk.via[r.ID] = ViaSelected
		}
	}
	if !v.ID.IsZero() && len(walk.via) == 0 {
		return nil, fmt.Errorf("record %s: %w", v.ID, ErrNotFound)
	}
	if v.Source != "" {
		for _, x := range exposures {
			if x.Ref == v.Source {
				walk.expose(x.session, x.Seq)
			}
		}
	}
	for walk.grow(records, exposures) {
	}
	var out []Derived
	for _, r := range records {
		if via, ok := walk.via[r.ID]; ok && r.Standing != hearsay.Revoked && r.Standing != hearsay.Erased && r.Standing != hearsay.Blocked && r.Standing != hearsay.Rejected {
			out = append(out, Derived{Record: r, Via: via})
		}
	}
	return out, nil
}

// exposure is one thing that a session took in.
type exposure struct {
	session SessionKey
	Read
}

// exposures reads from the log what each session took in, and when.
func (g *Guard) exposures(ctx context.Context) ([]exposure, error) {
	var out []exposure
	for entry, err := range g.store.Log(ctx, 0) {
		if err != nil {
			return nil, fmt.Errorf("read what sessions took in: %w", err)
		}
		e, err := event.Decode(entry.Body)
		if err != nil {
			return nil, fmt.Errorf("entry %d: %w: %w", entry.Seq, ErrTampered, err)
		}
		if e.Session == nil || e.Kind != event.SessionObserve && e.Kind != event.Recall {
			continue
		}
		x := exposure{SessionKey{e.Session.Principal, e.Session.ID}, Read{
			Seq: e.Seq, T: e.T, Source: e.Session.Source, Records: e.Session.Records, Label: e.Session.Label,
		}}
		if e.Kind == event.SessionObserve && e.Side != "" {
			stored, err := g.store.Side(ctx, e.Seq)
			if err != nil && !errors.Is(err, ErrNotFound) {
				return nil, err
			}
			if err == nil {
				side, err := event.DecodeSide(stored.Blob)
				if err != nil {
					return nil, fmt.Errorf("entry %d: %w: %w", e.Seq, ErrTampered, err)
				}
				x.Ref = side.Ref
			}
		}
		out = append(out, x)
	}
	return out, nil
}

// walker closes a selection over parents and exposure.
type walker struct {
	via     map[hearsay.RecordID]Via
	exposed map[SessionKey]int64 // the first entry at which the session was exposed
}

func (w *walker) expose(s SessionKey, seq int64) bool {
	if at, ok := w.exposed[s]; ok && at <= seq {
		return false
	}
	w.exposed[s] = seq
	return true
}

// grow takes one step and reports whether anything was added.
func (w *walker) grow(records []*event.Record, exposures []exposure) bool {
	grown := false
	for _, x := range exposures {
		if slices.ContainsFunc(x.Records, func(id hearsay.RecordID) bool { return w.via[id] != "" }) {
			grown = w.expose(x.session, x.Seq) || grown
		}
	}
	for _, r := range records {
		if w.via[r.ID] == ViaSelected || w.via[r.ID] == ViaParent {
			continue
		}
		if slices.ContainsFunc(r.Parents, func(id hearsay.RecordID) bool { return w.via[id] != "" }) {
			w.via[r.ID], grown = ViaParent, true
			continue
		}
		if at, ok := w.exposed[SessionKey{r.Principal, r.Session}]; ok && w.via[r.ID] == "" && r.Exposure > at {
			w.via[r.ID], grown = ViaExposure, true
		}
	}
	return grown
}

// Revoke withdraws one record by a reviewer's statement. What it put in a store
// downstream is hidden from now on and taken out by the surface of that store, see
// [Guard.Tasks].
func (g *Guard) Revoke(ctx context.Context, signed reviewer.Signed) (*event.Record, error) {
	st := signed.Statement
	if st.Decision != reviewer.Revoke {
		return nil, refuse("the statement is not about a revocation")
	}
	id, err := hearsay.ParseRecordID(st.RecordID)
	if err != nil {
		return nil, err
	}
	var after *event.Record
	_, err = g.store.Update(ctx, func(tx Tx) ([]event.Draft, error) {
		r, err := loadRecord(ctx, tx, id)
		if err != nil {
			return nil, err
		}
		if r.Standing == hearsay.Revoked || r.Standing == hearsay.Erased {
			return nil, refuse("record %s is %s already", id, r.Standing)
		}
		if err := sameAsSigned(st, r); err != nil {
			return nil, err
		}
		proof, err := g.accept(ctx, tx, signed)
		if err != nil {
			return nil, err
		}
		r.Standing = hearsay.Revoked
		if err := g.settleStored(ctx, tx, r, tx.Seq()); err != nil {
			return nil, err
		}
		after = r
		return []event.Draft{{Event: event.Event{Kind: event.Revoke, Record: r, Proof: proof}}}, nil
	})
	if err != nil {
		return nil, fmt.Errorf("revoke %s: %w", id, err)
	}
	return after, nil
}
