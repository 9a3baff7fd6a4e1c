package story

import (
	"context"
	"slices"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/instance"
)

// Explained is what session explain says of one session.
type Explained struct {
	Session   string        `json:"session"`
	Principal string        `json:"principal"`
	Agent     string        `json:"agent,omitempty"`
	Live      bool          `json:"live"`
	Label     hearsay.Label `json:"label"` // now; of a session that is not live, as it was sealed last
	Sank      []Event       `json:"sank"`  // what lowered the label, first to last
	Records   []Record      `json:"records"`
	Questions []Question    `json:"questions"`
	Writes    []string      `json:"means_for_writes"`
	Actions   []string      `json:"means_for_actions"`
}

// Record is a record that the session wrote after it sank.
type Record struct {
	ID         hearsay.RecordID  `json:"id"`
	Standing   hearsay.Standing  `json:"standing"`
	Delivery   hearsay.Delivery  `json:"delivery"`
	Label      hearsay.Label     `json:"label"`
	Namespace  hearsay.Namespace `json:"namespace"`
	Rule       string            `json:"rule"`
	Attributed bool              `json:"attributed,omitempty"`
}

// Question is a question that the session asked after it sank.
type Question struct {
	ID    hearsay.RecordID  `json:"id"`
	State event.ActionState `json:"state"`
	Names []string          `json:"names"`
	Rule  string            `json:"rule"`
}

// Explain reads the story of the sessions of an id, one for each principal, and what hangs on
// each at a time, UTC ms. With refs it has the addresses of what they read, which are for
// people alone. It is an error where nothing happened to a session of that id.
func Explain(ctx context.Context, in *instance.Instance, id string, refs bool, now int64) ([]*Explained, error) {
	events, err := Of(ctx, in, id, refs)
	if err != nil {
		return nil, err
	}
	var all []*Explained
	told := make(map[string]bool)
	for _, e := range events {
		if told[e.Principal] {
			continue
		}
		told[e.Principal] = true
		x, err := explain(ctx, in, guard.SessionKey{Principal: e.Principal, ID: id}, events, now)
		if err != nil {
			return nil, err
		}
		all = append(all, x)
	}
	return all, nil
}

// explain reads what hangs on a session whose story is told.
func explain(ctx context.Context, in *instance.Instance, key guard.SessionKey, story []Event, now int64) (*Explained, error) {
	x := &Explained{Session: key.ID, Principal: key.Principal, Sank: []Event{}, Records: []Record{}, Questions: []Question{}}
	for _, e := range story {
		if e.Principal != key.Principal {
			continue
		}
		x.Label = e.Label
		if e.Sank {
			x.Sank = append(x.Sank, e)
		}
	}
	live, err := in.Store.Sessions(ctx, &key.Principal, now)
	if err != nil {
		return nil, err
	}
	for _, s := range live {
		if s.Key == key {
			x.Live, x.Agent, x.Label = true, s.Agent, s.Label
		}
	}
	if len(x.Sank) > 0 {
		if err := x.touched(ctx, in.Guard, key, x.Sank[0].Seq, now); err != nil {
			return nil, err
		}
	}
	x.meaning(in.Guard.Policy())
	return x, nil
}

// touched collects what the session wrote and asked after an entry of the log.
func (x *Explained) touched(ctx context.Context, g *guard.Guard, key guard.SessionKey, seq, now int64) error {
	mine := guard.Query{Match: func(r *event.Record) bool {
		return r.Session == key.ID && r.Principal == key.Principal && r.Exposure > seq
	}}
	for r, err := range g.List(ctx, mine) {
		if err != nil {
			return err
		}
		x.Records = append(x.Records, Record{r.ID, r.Standing, r.Delivery, r.Label, r.Namespace, r.Rule, r.Attributed})
	}
	for q, err := range g.Questions(ctx) {
		if err != nil {
			return err
		}
		if q.Session == key.ID && q.Principal == key.Principal && q.Side > seq {
			x.Questions = append(x.Questions, Question{q.ID, guard.StateAt(q, now), q.Names, q.Rule})
		}
	}
	return nil
}

// places are the namespaces that the session wrote to since it sank; the root where none.
func (x *Explained) places() []hearsay.Namespace {
	places := []hearsay.Namespace{}
	for _, r := range x.Records {
		if !slices.ContainsFunc(places, func(n hearsay.Namespace) bool { return slices.Equal(n, r.Namespace) }) && len(places) < 5 {
			places = append(places, r.Namespace)
		}
	}
	if len(places) == 0 {
		places = append(places, nil)
	}
	return places
}
