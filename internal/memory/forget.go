package memory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
)

// Forgetting names memories to be taken out of service. The record of it replaces them:
// revoking it brings them back. For words that must be gone see [Store.Erase].
type Forgetting struct {
	IDs     []hearsay.RecordID
	Why     string // for people
	Source  hearsay.Source
	Assumed bool
	Host    string
	Call    *guard.Call
	Tool    string
}

// Forget decides a deletion that an agent or a program asks for.
func (s *Store) Forget(ctx context.Context, c hearsay.Caller, f Forgetting) (guard.Decision, error) {
	w, err := f.write()
	if err != nil {
		return guard.Decision{}, err
	}
	return s.decide(ctx, c, w)
}

// Drop is [Store.Forget] by a person, who signs for it: it also takes what is pinned.
func (s *Store) Drop(ctx context.Context, c hearsay.Caller, f Forgetting, sign Signing) (*event.Record, error) {
	w, err := f.write()
	if err != nil {
		return nil, err
	}
	return s.vouch(ctx, c, w, sign)
}

// deletion is the content of the record of a deletion.
type deletion struct {
	V      int                `json:"v"`
	Forget []hearsay.RecordID `json:"forget"`
	Why    string             `json:"why,omitempty"`
}

func (f *Forgetting) write() (guard.Write, error) {
	if len(f.IDs) == 0 {
		return guard.Write{}, errors.New("forget: name the memories, see `hearsay ls`")
	}
	content, err := json.Marshal(deletion{docVersion, f.IDs, f.Why})
	if err != nil {
		return guard.Write{}, fmt.Errorf("forget: %w", err)
	}
	return guard.Write{
		Store: guard.OwnStore, Source: f.Source, Assumed: f.Assumed, Host: f.Host, Call: f.Call, Tool: f.Tool,
		Namespace: DefaultNamespace, Op: event.Delete, Replaces: f.IDs, Content: content,
	}, nil
}
