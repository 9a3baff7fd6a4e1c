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
	call := &memfile.Call{Host: e.Host, Tool: e.Tool.Name, Base: make(map[string]string)}
	for _, edit := range edits {
		call.Edits = append(call.Edits, memfileEdit(edit))
	}
	unlock, err := h.alone(ctx)
	if err != nil {
		return hosts.Answer{}, err
	}
	defer unlock()
	if known, err := h.decided(ctx, e); err != nil || known {
		return hosts.Answer{}, err
	}
	states := make(map[string]*memfile.State)
	for _, path := range call.Paths() {
		// What changed before the write is not the write's.
		s, err := h.settle(ctx, path)
		if err != nil {
			return hosts.Answer{}, err
		}
		states[path], call.Base[path] = s, memfile.Sum(s.Data)
	}
	ch, err := changes(call, states)
	if err != nil {
		return hosts.Answer{}, err
	}
	w := guard.Write{
		Store: memfile.Store, Source: hearsay.Source{Type: "agent"}, Namespace: hearsay.Namespace{"files"}, Op: event.Update,
		Tool: e.Tool.Name, Items: append(memfile.Items(call.Edits), h.callItem(e)), Texts: ch.added, Takes: ch.takes,
	}
	if w.Content, err = call.Encode(); err != nil {
		return hosts.Answer{}, err
	}
	if len(ch.added) == 0 {
		w.Op = event.Delete
	}
	if ch.overwrites {
		w.Hold = memfile.Overwrites
	}
	if a, err := h.unread(ctx, e, call, ch.images, &w); err != nil || a.Verdict != hosts.None {
		return a, err
	}
	d, err := h.Guard.Write(ctx, h.caller, w)
	if err != nil {
		return hosts.Answer{}, err
	}
	switch d.Standing {
	case hearsay.Held:
		reason := fmt.Sprintf("Not saved: this memory write is held for review as %s (%d waiting). The user decides with `%s review`. Saving it in another way will be held as well.",
			d.ID, d.Waiting, h.Command)
		if d.Verdict.Rule.ID == memfile.Overwrites {
			reason = fmt.Sprintf("Not saved: this write drops lines that are not yours to drop, or has a placeholder in their place. It is held for review as %s (%d waiting), and the user decides with `%s review`. To change single lines, use the edit tool.",
				d.ID, d.Waiting, h.Command)
		}
		return hosts.Answer{Verdict: hosts.Deny, Reason: reason}, nil
	case hearsay.Blocked:
		return hosts.Answer{Verdict: hosts.Deny, Reason: fmt.Sprintf("Not saved: the policy refuses this memory write (%s).", d.Verdict.Rule.ID)}, nil
	}
	return hosts.Answer{}, nil
}

// unread refuses a write that would drop lines which the agent has not seen. In a tainted
// session it is held instead: a person sees what it drops.
func (h *Handler) unread(ctx context.Context, e hosts.Event, call *memfile.Call, images []memfile.Image, w *guard.Write) (hosts.Answer, error) {
	if h.Guard.Policy().ModeFor(h.caller.Agent) != hearsay.Enforce {
		return hosts.Answer{}, nil
	}
	name, stale, err := h.stale(ctx, e, call, images)
	if err != nil || !stale {
		return hosts.Answer{}, err
	}
	label, err := h.Guard.SessionLabel(ctx, h.caller)
	if err != nil {
		return hosts.Answer{}, err
	}
	if label.Tainted() {
		w.Hold = memfile.Overwrites
		return hosts.Answer{}, nil
	}
	h.Log.Info("a write over lines that the agent has not seen was refused", "file", name)
	return hosts.Answer{Verdict: hosts.Deny, Reason: fmt.Sprintf(
		"Not saved: %s has lines that this session has not seen: it changed since it was read, or was read in part. Read it again, then write; or change single lines with the edit tool.", plainName(name))}, nil
}

// alone keeps runs of the hook apart that judge a write by what guarded files hold and
// record what they find: a host runs its hooks side by side, and two settings files may
// name this one. The caller unlocks.
func (h *Handler) alone(ctx context.Context) (unlock func(), err error) {
	if h.LockFiles == nil {
		return func() {}, nil
	}
	release, err := h.LockFiles(ctx)
	if err != nil {
		return nil, err
	}
	return func() {
		if err := release(); err != nil {
			h.Log.Warn("unlock the store of files", "error", err)
		}
	}, nil
}

// decided reports whether this very call was let through before: where two settings
// files name the hook, a host sends each event twice. One that is held is asked again
// and finds itself. Where the host names no calls an equal one made later looks the same:
// it is decided anew where the files or what the session took in are not what they were.
func (h *Handler) decided(ctx context.Context, e hosts.Event) (bool, error) {
	if e.CallID == "" {
		return false, nil
	}
	ids, err := h.Guard.Owners(ctx, memfile.Store, h.callItem(e))
	if err != nil || len(ids) == 0 {
		return false, err
	}
	label, err := h.Guard.SessionLabel(ctx, h.caller)
	if err != nil {
		return false, err
	}
	for _, id := range ids {
		shown, err := h.Guard.Show(ctx, id)
		if err != nil {
			return false, err
		}
		r := shown.Record
		if !r.Standing.Visible() || r.Delivery != hearsay.Intent || shown.Erased {
			continue
		}
		if label.Tainted() && !r.Label.Tainted() && r.Label.Origin != hearsay.User {
			continue // it was decided before the session took in what it knows now
		}
		if same, err := untouched(shown.Side.Content); err != nil || same {
			return same, err
		}
	}
	return false, nil
}

// untouched reports whether the files of a call hold what they held when it was decided.
func untouched(content []byte) (bool, error) {
	call, err := memfile.DecodeCall(content)
	if err != nil {
		return false, err
	}
	for _, name := range call.Paths() {
		data, err := memfile.Read(name)
		if err != nil || memfile.Sum(data) != call.Base[name] {
			return false, err
		}
	}
	return true, nil
}

// landed seals what became of the memory write of a call, by what the files hold: the host
// is not believed. Where the call was no such write it does nothing.
func (h *Handler) landed(ctx context.Context, e hosts.Event) error {
	if e.CallID == "" {
		return nil
	}
	ids, err := h.Guard.Owners(ctx, memfile.Store, h.callItem(e))
	if err != nil || len(ids) == 0 {
		return err
	}
	unlock, err := h.alone(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	for _, id := range ids {
		shown, err := h.Guard.Show(ctx, id)
		if err != nil {
			return err
		}
		if r := shown.Record; !r.Standing.Visible() || shown.Erased || r.Delivery == hearsay.Failed || r.Delivery == hearsay.Applied {
			continue // a host can send an event twice
		}
		call, err := memfile.DecodeCall(shown.Side.Content)
		if err != nil {
			return err
		}
		known := make(map[string]*memfile.State)
		for _, path := range call.Paths() {
			if known[path], err = h.tracker().Known(ctx, path); err != nil {
				return err
			}
		}
		o := guard.Outcome{Landed: memfile.Items(call.Edits)}
		switch {
		case e.Kind == hosts.AfterToolFailure:
			o = guard.Outcome{Delivery: hearsay.Failed}
		case e.Staged || e.UserModified:
			// The host holds it still, or the person changed what was decided.
			o = guard.Outcome{Delivery: hearsay.UnknownDelivery}
		default:
			before := func(path string) ([]byte, error) { return known[path].Data, nil }
			if o.Delivery, err = call.Receipt(before, memfile.Read); err != nil {
				return err
			}
			if told := receipt(o.Delivery, call); told != "" {
				h.told = append(h.told, told)
			}
		}
		if err := h.Guard.Applied(ctx, h.caller, id, o); err != nil {
			return err
		}
		if o.Delivery != hearsay.Applied {
			continue
		}
		h.sawOwn(ctx, e, call, known)
		var p plan
		h.planEdits(e, &p)
		if err := h.wrote(ctx, id, p.memory); err != nil {
			return err
		}
	}
	return nil
}

// receipt says to the agent where a save did not land.
func receipt(d hearsay.Delivery, call *memfile.Call) string {
	name := plainName(call.Paths()[0])
	switch d {
	case hearsay.Failed:
		return "Hearsay: the save did not land: " + name + " is as it was before. Read it, and write again if it is still needed."
	case hearsay.UnknownDelivery:
		return "Hearsay: the save did not land as it was written: " + name + " holds something else. Read it before you rely on it or write it again."
	}
	return ""
}

func memfileEdit(e hosts.Edit) memfile.Edit {
	return memfile.Edit{Path: e.Path, Old: e.Old, New: e.New, All: e.All, Whole: e.Whole, Delete: e.Delete, MoveTo: e.MoveTo, Cell: e.Cell}
}

// callItem names a call of the host's: its id, and what it does.
func (h *Handler) callItem(e hosts.Event) guard.Item {
	return guard.Item{Kind: "call", Parts: []string{h.caller.Session, e.CallID, e.Tool.Name, string(e.Tool.Args)}}
}
