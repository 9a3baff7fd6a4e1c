package guard

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"strconv"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
)

// Voice names what of a record that speaks of a thing can decide about another write of it:
// the principal, the standing, the operation and the label. Whoever repeats a text makes
// many records of it and few voices; a store keeps the voice of a record's items with them,
// see [Reader.Speakers]. It is a function of the record's row alone, and the same for a
// record that is on its way into its row.
func Voice(r *event.Record) [16]byte {
	// A value without a name is written as the lowest one. Errors say just that.
	standing, _ := hearsay.ParseStanding(r.Standing.String())
	origin, _ := hearsay.ParseOrigin(r.Label.Origin.String())
	b := strconv.AppendQuote(make([]byte, 0, 128), r.Principal)
	b = strconv.AppendUint(append(b, ' '), uint64(standing), 10)
	b = strconv.AppendQuote(append(b, ' '), string(r.Op))
	b = strconv.AppendUint(append(b, ' '), uint64(origin), 10)
	b = append(b, " ["...)
	for i, tag := range r.Label.Taint.Tags() {
		if i > 0 {
			b = append(b, ' ')
		}
		b = strconv.AppendQuote(b, tag)
	}
	sum := sha256.Sum256(append(b, ']'))
	return [16]byte(sum[:])
}

// EachVoice is how many of the last records of one voice are heard, beside the first. One
// decides as well as all; the others become parents of what repeats them, so that a
// revocation finds it, if need be through those between.
const EachVoice = 7

// maxVoices bounds the voices that are heard of one thing. A host knows a handful of
// sources, and what repeats a held text has the join of all labels of it, so that they form
// a chain; only what names ever new sources for itself gets there.
const maxVoices = 64

// speaker is a record that speaks of a thing, with what became of the thing by it.
type speaker struct {
	key    [32]byte
	state  ItemState
	record *event.Record
}

// heard is who speaks of the things of a write: of each voice the first and the last few
// records. Records of one voice decide the same.
type heard struct {
	known   []speaker
	crowded bool // more voices than are heard: nothing good can be told of the things
}

// listen loads the records that speak of any of the keys, in the order of the keys.
// One that is gone says nothing. waiting leaves out those that landed: in the own store they
// are served, so that they decide nothing about who says the same again, however many did.
func listen(ctx context.Context, tx Tx, keys [][32]byte, waiting bool) (heard, error) {
	var out heard
	loaded := make(map[hearsay.RecordID]*event.Record)
	for _, k := range keys {
		items, more, err := tx.Speakers(ctx, k, maxVoices)
		if err != nil {
			return heard{}, err
		}
		out.crowded = out.crowded || more
		for _, it := range items {
			if waiting && it.State == ItemLanded {
				continue
			}
			r, ok := loaded[it.Record]
			if !ok {
				if r, err = loadRecord(ctx, tx, it.Record); err != nil && !errors.Is(err, ErrNotFound) {
					return heard{}, err
				}
				loaded[it.Record] = r
			}
			if r != nil {
				out.known = append(out.known, speaker{k, it.State, r})
			}
		}
	}
	return out, nil
}

// join joins the labels of what is held or was withdrawn of the things of a write by a
// principal, and adds it to the parents: a write below the user's own word that repeats, to
// the byte, such a thing is derived from it, however it came here.
func (h heard) join(principal string, parents []hearsay.RecordID, label hearsay.Label) ([]hearsay.RecordID, hearsay.Label) {
	for _, s := range h.known {
		r := s.record
		if r.Principal == principal && !r.Standing.Visible() && r.Label.Tainted() && !slices.Contains(parents, r.ID) {
			label = label.Join(r.Label)
			if len(parents) < maxParents {
				parents = append(parents, r.ID)
			}
		}
	}
	if h.crowded {
		label = label.Join(hearsay.Label{})
	}
	return parents, label
}

// takesForeign reports whether a deletion would take out what another principal put
// there.
func (h heard) takesForeign(principal string, w Write) bool {
	return w.Op == event.Delete && (h.crowded || slices.ContainsFunc(h.known, func(s speaker) bool {
		return s.state == ItemLanded && s.record.Principal != principal
	}))
}

// alreadyHeld returns the record of the same write, by the same principal and with
// the same label, that waits for a person; nil where there is none. What has the same bytes
// and takes the place of something else, lies elsewhere or claims more is another write.
func (h heard) alreadyHeld(same [32]byte, principal string, label hearsay.Label, w Write, claims hearsay.Claims) *event.Record {
	for _, s := range h.known {
		if r := s.record; s.key == same && r.Standing == hearsay.Held && r.Principal == principal && r.Label == label &&
			slices.Equal(r.Replaces, w.Replaces) && slices.Equal(r.Namespace, w.Namespace) && r.Claims == claims {
			return r
		}
	}
	return nil
}
