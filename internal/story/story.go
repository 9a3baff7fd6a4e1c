package story

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/tell"
	"github.com/hearsay-memory/hearsay/ledger"
)

// Event is one thing that happened to a session. Ref is left out where the
// output is no terminal.
type Event struct {
	Seq       int64              `json:"seq"`
	T         int64              `json:"t"` // UTC ms
	Kind      event.Kind         `json:"kind"`
	Principal string             `json:"principal"`
	Source    string             `json:"source,omitempty"`
	Ref       string             `json:"ref,omitempty"`
	Records   []hearsay.RecordID `json:"records,omitempty"`
	Label     hearsay.Label      `json:"label"` // of the session after it
	Sank      bool               `json:"sank"`  // the label was higher before
}

// read says for people what an event took in.
func (e *Event) read() string {
	if e.Kind == event.SessionStart {
		return "it began so: it was resumed and nobody knew what it had read, or a tainted session began it"
	}
	return string(e.Kind) + tell.Prefixed(" ", tell.TakenIn(e.Source, e.Ref, e.Records))
}

// Of reads from the log what happened to the sessions of an id, with the
// addresses of what they read where a person is told. That nothing did is an error.
func Of(ctx context.Context, in *instance.Instance, id string, refs bool) ([]Event, error) {
	var story []Event
	before := make(map[string]hearsay.Label) // of each principal's
	for entry, err := range in.Store.Log(ctx, 0) {
		if err != nil {
			return nil, err
		}
		e, err := event.Decode(entry.Body)
		if err != nil {
			return nil, fmt.Errorf("entry %d: %w: %w", entry.Seq, guard.ErrTampered, err)
		}
		if e.Session == nil || e.Session.ID != id {
			continue
		}
		label, known := before[e.Session.Principal]
		if !known {
			label = hearsay.LabelIdentity
		}
		before[e.Session.Principal] = e.Session.Label
		s := Event{Seq: e.Seq, T: e.T, Kind: e.Kind, Principal: e.Session.Principal, Source: e.Session.Source,
			Records: e.Session.Records, Label: e.Session.Label, Sank: !label.Below(e.Session.Label)}
		if refs {
			if s.Ref, err = refOf(ctx, in, e); err != nil {
				return nil, err
			}
		}
		story = append(story, s)
	}
	if len(story) == 0 {
		return nil, fmt.Errorf("no session %s was ever sealed: `hearsay session ls` shows the live ones", id)
	}
	return story, nil
}

// refOf is the reference of the source that an event is about; empty where there is
// none or it was erased. One that is not what was sealed is an error.
func refOf(ctx context.Context, in *instance.Instance, e *event.Event) (string, error) {
	if e.Side == "" {
		return "", nil
	}
	stored, err := in.Store.Side(ctx, e.Seq)
	if errors.Is(err, guard.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	want, err := hex.DecodeString(e.Side)
	if err != nil || len(want) != 32 || !ledger.CheckCommit(stored.Salt, stored.Blob, [32]byte(want)) {
		return "", fmt.Errorf("words of entry %d: %w", e.Seq, guard.ErrTampered)
	}
	side, err := event.DecodeSide(stored.Blob)
	if err != nil {
		return "", fmt.Errorf("words of entry %d: %w: %w", e.Seq, guard.ErrTampered, err)
	}
	return side.Ref, nil
}
