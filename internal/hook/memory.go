package hook

import (
	"context"
	"fmt"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/hosts"
	"github.com/hearsay-memory/hearsay/internal/memfile"
)

// remember decides a write to memory files. The answer is none where it may go on.
func (h *Handler) remember(ctx context.Context, e hosts.Event, edits []hosts.Edit) (hosts.Answer, error) {
	call, err := held(e, edits)
	if err != nil {
		return hosts.Answer{}, err
	}
	w := guard.Write{
		Store: memfile.Store, Source: hearsay.Source{Type: "agent"}, Namespace: hearsay.Namespace{"files"}, Op: event.Update,
		Tool: e.Tool.Name, Items: append(memfile.Items(call.Edits), h.callItem(e)),
	}
	if w.Content, err = call.Encode(); err != nil {
		return hosts.Answer{}, err
	}
	ch, err := changes(call)
	if err != nil {
		return hosts.Answer{}, err
	}
	w.Texts, w.Takes = ch.added, ch.takes
	if len(ch.added) == 0 {
		w.Op = event.Delete
	}
	if known, err := h.decided(ctx, e); err != nil || known {
		return hosts.Answer{}, err
	}
	for _, path := range call.Paths() {
		// What changed before the write is not the write's.
		if _, err := h.settle(ctx, path); err != nil {
			return hosts.Answer{}, err
		}
	}
	d, err := h.Guard.Write(ctx, h.caller, w)
	if err != nil {
		return hosts.Answer{}, err
	}
	switch d.Standing {
	case hearsay.Held:
		return hosts.Answer{
			Verdict: hosts.Deny,
			Reason: fmt.Sprintf("Not saved: this memory write is held for review as %s (%d waiting). The user decides with `%s review`. Saving it in another way will be held as well.",
				d.ID, d.Waiting, h.Command),
		}, nil
	case hearsay.Blocked:
		return hosts.Answer{Verdict: hosts.Deny, Reason: fmt.Sprintf("Not saved: the policy refuses this memory write (%s).", d.Verdict.Rule.ID)}, nil
	}
	return hosts.Answer{}, nil
}

// decided reports whether this very call was let through before: where two settings
// files name the hook, a host sends each event twice. One that is held is asked again
// and finds itself.
func (h *Handler) decided(ctx context.Context, e hosts.Event) (bool, error) {
	if e.CallID == "" {
		return false, nil
	}
	ids, err := h.Guard.Owners(ctx, memfile.Store, h.callItem(e))
	if err != nil {
		return false, err
	}
	for _, id := range ids {
		shown, err := h.Guard.Show(ctx, id)
		if err != nil {
			return false, err
		}
		if shown.Record.Standing.Visible() && shown.Record.Delivery == hearsay.Intent {
			return true, nil
		}
	}
	return false, nil
}

// landed seals what became of the memory write of a call; where the call was none it
// does nothing.
func (h *Handler) landed(ctx context.Context, e hosts.Event) error {
	if e.CallID == "" {
		return nil
	}
	ids, err := h.Guard.Owners(ctx, memfile.Store, h.callItem(e))
	if err != nil {
		return err
	}
	o := guard.Outcome{Delivery: hearsay.Applied}
	var p plan
	h.planEdits(e, &p)
	for _, edit := range p.memory {
		o.Landed = append(o.Landed, memfile.Items([]memfile.Edit{{Path: edit.Path, New: edit.New}})...)
	}
	if e.Kind == hosts.AfterToolFailure {
		o = guard.Outcome{Delivery: hearsay.Failed}
	} else if e.Staged || e.UserModified {
		// The host holds it still, or the person changed what was decided.
		o = guard.Outcome{Delivery: hearsay.UnknownDelivery}
	}
	for _, id := range ids {
		if err := h.Guard.Applied(ctx, h.caller, id, o); err != nil {
			return err
		}
		if o.Delivery == hearsay.Applied {
			if err := h.wrote(ctx, id, p.memory); err != nil {
				return err
			}
		}
	}
	return nil
}

// held is the whole call, as it would be made again, with what the files are now.
func held(e hosts.Event, edits []hosts.Edit) (*memfile.Call, error) {
	call := &memfile.Call{Host: e.Host, Tool: e.Tool.Name, Base: make(map[string]string)}
	for _, edit := range edits {
		call.Edits = append(call.Edits, memfileEdit(edit))
		data, err := memfile.Read(edit.Path)
		if err != nil {
			return nil, err
		}
		call.Base[edit.Path] = memfile.Sum(data)
	}
	return call, nil
}

func memfileEdit(e hosts.Edit) memfile.Edit {
	return memfile.Edit{Path: e.Path, Old: e.Old, New: e.New, All: e.All, Whole: e.Whole, Delete: e.Delete, MoveTo: e.MoveTo, Cell: e.Cell}
}

// callItem names a call of the host's: its id, and what it does.
func (h *Handler) callItem(e hosts.Event) guard.Item {
	return guard.Item{Kind: "call", Parts: []string{h.caller.Session, e.CallID, e.Tool.Name, string(e.Tool.Args)}}
}
