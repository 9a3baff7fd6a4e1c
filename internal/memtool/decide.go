package memtool

import (
	"context"
	"fmt"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/internal/memfile/segment"
	"github.com/hearsay-memory/hearsay/mark"
)

// toolName is what the tool is called, by models and by policies.
const toolName = "memory"

// change is what a command would do to files.
type change struct {
	op    event.Op
	edits []memfile.Edit
	names []string // what the names of new files say
	words []string // what it brings besides the whole texts of its edits
}

// make decides a change, and makes it if it is let in: the decision is sealed before a
// byte is written. The files' names are those by which they are guarded.
func (h *Handler) make(ctx context.Context, ch change) error {
	call := &memfile.Call{Host: memfile.ByHearsay, Tool: toolName, Edits: ch.edits, Base: make(map[string]string)}
	states := make(map[string]*memfile.State)
	for _, path := range call.Paths() {
		// What changed before the write is not the write's.
		s, err := h.settled(ctx, path)
		if err != nil {
			return err
		}
		states[path], call.Base[path] = s, memfile.Sum(s.Data)
	}
	images, err := call.Replay(func(path string) ([]byte, error) { return states[path].Data, nil })
	if err != nil {
		return err
	}
	w, err := h.write(ch, call, states, images)
	if err != nil {
		return err
	}
	d, err := h.Guard.Write(ctx, h.Caller, w)
	if err != nil {
		return err
	}
	switch d.Standing {
	case hearsay.Held:
		return faultf("Not saved: this memory write is held for review as %s (%d waiting). The user decides with `%s review`. Saving it in another way will be held as well.",
			d.ID, d.Waiting, h.command())
	case hearsay.Blocked:
		return faultf("Not saved: the policy refuses this memory write (%s).", d.Verdict.Rule.ID)
	case hearsay.Allowed:
	default:
		return fmt.Errorf("the write is %s", d.Standing)
	}
	h.reached("sealed")
	if d.ID.IsZero() {
		return h.unrecorded(ctx, images)
	}
	done, err := memfile.Carry(ctx, h.Guard, h.Caller, segment.Owner{Record: d.ID, Label: d.Verdict.Label}, call)
	if err != nil {
		return err
	}
	return h.landed(done, images)
}

// write is what the guard is asked about.
func (h *Handler) write(ch change, call *memfile.Call, states map[string]*memfile.State, images []memfile.Image) (guard.Write, error) {
	w := guard.Write{
		Store: memfile.Store, Source: h.Source, Assumed: h.Assumed, Host: h.Host, Call: h.Call,
		Namespace: h.Namespace, Op: ch.op, Tool: toolName, Texts: ch.names, Items: memfile.Items(call.Edits),
	}
	if w.Source.Type == "" {
		w.Source.Type = hearsay.UnknownTag
	}
	if w.Namespace == nil {
		w.Namespace = hearsay.Namespace{memfile.Store}
	}
	for _, e := range ch.edits {
		w.Takes = w.Takes || e.Delete || e.MoveTo != ""
		for _, text := range ch.words {
			w.Items = append(w.Items, guard.Item{Kind: "text", Parts: []string{e.Path, text}})
		}
	}
	for _, im := range images {
		added, all := memfile.Additions(im.Before, im.After)
		w.Takes = w.Takes || !all
		// A deletion says what it does, and a move drops nothing.
		if im.Before != nil && im.After != nil && memfile.LossOf(states[im.Path].File, im.Before, im.After).Holds(false) {
			w.Hold = memfile.Overwrites
		}
		if added != "" {
			w.Texts = append(w.Texts, added)
		}
	}
	if mark.HasMarkers(strings.Join(w.Texts, "\n")) {
		w.Claimed.Source = hearsay.Source{Type: "external_marked"}
	}
	var err error
	w.Content, err = call.Encode()
	return w, err
}

// unrecorded makes a change of which the mode says that nothing is decided: its lines are
// nobody's.
func (h *Handler) unrecorded(ctx context.Context, images []memfile.Image) error {
	for _, im := range images {
		if err := memfile.Write(im); err != nil {
			return err
		}
		if _, err := h.settled(ctx, im.Path); err != nil {
			return err
		}
	}
	return nil
}

// landed reads back what a write made, and returns nil only where that is there.
func (h *Handler) landed(done memfile.Delivered, images []memfile.Image) error {
	if done.Conflict != "" || done.Warning != "" {
		h.log().Warn("a memory write", "record", done.Record, "delivery", done.Delivery, "conflict", done.Conflict, "warning", done.Warning)
	}
	switch done.Delivery {
	case hearsay.Applied:
	case hearsay.Failed:
		return faultf("Not saved: the files could not be written, or changed at the same moment. Nothing was changed. View what is there and try again.")
	default:
		return faultf("It is not known whether all of it was saved. View what is there before you go on.")
	}
	for _, im := range images {
		now, err := memfile.Read(im.Path)
		if err != nil {
			return err
		}
		if memfile.Sum(now) != memfile.Sum(im.After) {
			return faultf("Saved, and another program changed the file right after. View what is there before you go on.")
		}
	}
	return nil
}
