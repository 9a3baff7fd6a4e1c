package hook

import (
	"context"
	"fmt"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/hosts"
	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// fileStore is the store of guarded files: each is named by its real path.
const fileStore = "files"

// remember decides a write to memory files. The answer is none where it may go on.
func (h *Handler) remember(ctx context.Context, e hosts.Event, edits []hosts.Edit) (hosts.Answer, error) {
	w := guard.Write{
		Store: fileStore, Source: hearsay.Source{Type: "agent"}, Namespace: hearsay.Namespace{"files"}, Op: event.Update,
		Tool: e.Tool.Name, Content: content(e), Items: []guard.Item{h.callItem(e)},
	}
	deletes := true
	for _, edit := range edits {
		w.Items = append(w.Items, guard.Item{Kind: "text", Parts: []string{edit.Path, edit.New}})
		if edit.New != "" {
			w.Texts = append(w.Texts, edit.New)
		}
		deletes = deletes && (edit.Delete || edit.New == "")
	}
	if deletes {
		w.Op = event.Delete
	}
	if known, err := h.decided(ctx, e); err != nil || known {
		return hosts.Answer{}, err
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
	ids, err := h.Guard.Owners(ctx, fileStore, h.callItem(e))
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
	ids, err := h.Guard.Owners(ctx, fileStore, h.callItem(e))
	if err != nil {
		return err
	}
	o := guard.Outcome{Delivery: hearsay.Applied}
	for _, edit := range e.Tool.Edits {
		o.Landed = append(o.Landed, guard.Item{Kind: "text", Parts: []string{h.Files.Resolve(e.Dir, edit.Path), edit.New}})
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
	}
	return nil
}

// content is the whole call, as it would be made again.
func content(e hosts.Event) []byte {
	args, err := strictjson.Limits{}.Parse(e.Tool.Args)
	if err != nil {
		args = strictjson.String(string(e.Tool.Args)) // it was read before
	}
	return strictjson.AppendValue(nil, strictjson.Object(
		strictjson.Member{Key: "host", Value: strictjson.String(e.Host)},
		strictjson.Member{Key: "tool", Value: strictjson.String(e.Tool.Name)},
		strictjson.Member{Key: "dir", Value: strictjson.String(e.Dir)},
		strictjson.Member{Key: "arguments", Value: args}))
}

// callItem names a call of the host's: its id, and what it does.
func (h *Handler) callItem(e hosts.Event) guard.Item {
	return guard.Item{Kind: "call", Parts: []string{h.caller.Session, e.CallID, e.Tool.Name, string(e.Tool.Args)}}
}
