package effect

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/instance"
)

// graphLines says what a call would change, against what is known to have landed in its
// store. What somebody put there past hearsay is not known.
func graphLines(ctx context.Context, in *instance.Instance, rec *event.Record, tool string, items []guard.Item) ([]Line, error) {
	there, err := landedItems(ctx, in, rec.Store, items, rec.ID)
	if err != nil {
		return nil, err
	}
	known := make(map[string]bool) // entities of the call that are there
	for i, it := range items {
		if it.Kind == "entity" && there[i] {
			known[it.Parts[0]] = true
		}
	}
	var lines []Line
	for i, it := range items {
		l := Line{Sign: "+", Kind: it.Kind, Parts: it.Parts}
		switch {
		case strings.HasPrefix(tool, "delete_"): // whatever the surface took it for
			l.Sign = "-"
			if !there[i] {
				l.Note = "not known to be there"
			}
		case tool == "create_entities" && it.Kind != "entity" && known[it.Parts[0]]:
			// The server leaves an entity that it has as it is, whatever is said of it.
			l.Sign, l.Note = "=", "its entity is there already, and is left as it is"
		case there[i]:
			l.Sign, l.Note = "=", "there already"
		}
		lines = append(lines, l)
	}
	if tool != "delete_entities" {
		return lines, nil
	}
	hang, err := hanging(ctx, in, rec, items)
	return append(lines, hang...), err
}

// landedItems tells for each item whether some record, but for one, was seen to put it
// in the store and none to take it out.
func landedItems(ctx context.Context, in *instance.Instance, store string, items []guard.Item, but hearsay.RecordID) ([]bool, error) {
	keys := make([][32]byte, len(items))
	for i, it := range items {
		keys[i] = in.Guard.ItemKey(store, it)
	}
	known, err := in.Store.Items(ctx, keys)
	if err != nil {
		return nil, err
	}
	there := make([]bool, len(items))
	for i, k := range keys {
		there[i] = slices.ContainsFunc(known[k], func(it guard.StoredItem) bool { return it.State == guard.ItemLanded && it.Record != but })
	}
	return there, nil
}

// hanging lists what goes with deleted entities: the observations and relations that
// are known to have landed on them.
func hanging(ctx context.Context, in *instance.Instance, rec *event.Record, gone []guard.Item) ([]Line, error) {
	names := make(map[string]bool, len(gone))
	for _, it := range gone {
		names[it.Parts[0]] = true
	}
	same := func(r *event.Record) bool {
		return r.Store == rec.Store && r.Principal == rec.Principal && r.Op != event.Delete &&
			r.Standing.Visible() && r.Delivery == hearsay.Applied
	}
	var lines []Line
	told := make(map[string]bool)
	for r, err := range in.Guard.List(ctx, guard.Query{Match: same}) {
		if err != nil {
			return nil, err
		}
		shown, err := in.Guard.Show(ctx, r.ID)
		if err != nil {
			return nil, err
		}
		_, items, ok := GraphItems(shown.Side.Content)
		if !ok {
			continue // its words were erased, or it came from another kind of server
		}
		there, err := landedItems(ctx, in, rec.Store, items, hearsay.RecordID{})
		if err != nil {
			return nil, err
		}
		for i, it := range items {
			hangs := it.Kind == "observation" && names[it.Parts[0]] || it.Kind == "relation" && (names[it.Parts[0]] || names[it.Parts[1]])
			key := fmt.Sprintf("%q", append([]string{it.Kind}, it.Parts...))
			if hangs && there[i] && !told[key] {
				told[key] = true
				lines = append(lines, Line{Sign: "-", Kind: it.Kind, Parts: it.Parts, Note: "goes with its entity"})
			}
		}
	}
	return lines, nil
}
