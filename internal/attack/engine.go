package attack

import (
	"context"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/mark"
)

// store is the id of the store behind the engine's door.
const store = "engine"

// engine is the guard itself, asked as a library would.
type engine struct{ guard *guard.Guard }

func item(text string) guard.Item {
	return guard.Item{Kind: "observation", Parts: []string{"topic", text}}
}

func (e *engine) write(ctx context.Context, s *session, w write) (string, hearsay.RecordID, error) {
	ask := guard.Write{
		Store: store, Owner: w.owner, Source: hearsay.Source{Type: "agent"}, Namespace: hearsay.Namespace{w.namespace},
		Op: event.Create, Tool: "put", Texts: []string{w.text}, Content: []byte(w.text), Items: []guard.Item{item(w.text)},
	}
	switch w.verb {
	case "user":
		ask.Source = hearsay.Source{Type: "user"}
	case "unmarked":
		ask.Source = hearsay.Source{}
	case "derive":
		ask.Parents = []hearsay.RecordID{w.parent}
	}
	d, err := e.guard.Write(ctx, s.caller, ask)
	if err != nil {
		return "", hearsay.RecordID{}, err
	}
	if d.Standing == hearsay.Allowed {
		err = e.guard.Applied(ctx, s.caller, d.ID, guard.Outcome{Delivery: hearsay.Applied, Landed: ask.Items})
	}
	return d.Standing.String(), d.ID, err
}

func (e *engine) recall(ctx context.Context, s *session, texts []string) (string, error) {
	var items []guard.Item
	for _, text := range texts {
		items = append(items, item(text))
	}
	got, err := e.guard.Recall(ctx, s.caller, store, items)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for i, it := range got.Items {
		if it.Show == guard.Pass {
			b.WriteString(mark.Text("n0nce", it.Label.Origin, texts[i]) + "\n")
		}
	}
	b.WriteString(mark.Omitted(len(got.Omitted), nil))
	return b.String(), nil
}

func (e *engine) frame(context.Context, *session, string) (string, hearsay.RecordID, error) {
	return "", hearsay.RecordID{}, errNoDoor
}

// released applies what was approved, as an adapter of a store does.
func (e *engine) released(ctx context.Context, id hearsay.RecordID) error {
	shown, err := e.guard.Show(ctx, id)
	if err != nil {
		return err
	}
	c := hearsay.Caller{Principal: shown.Record.Principal, Session: shown.Record.Session, Surface: hearsay.SurfaceLib}
	tasks, err := e.guard.Tasks(ctx, c, store)
	if err != nil {
		return err
	}
	for _, t := range tasks {
		if err := e.guard.Begin(ctx, c, t.Record.ID); err != nil {
			return err
		}
		landed := []guard.Item{item(string(t.Content))}
		if err := e.guard.Applied(ctx, c, t.Record.ID, guard.Outcome{Delivery: hearsay.Applied, Landed: landed}); err != nil {
			return err
		}
	}
	return nil
}

func (e *engine) close() error { return nil }
