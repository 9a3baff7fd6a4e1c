package hook

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/hosts"
	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/internal/memfile/segment"
	"github.com/hearsay-memory/hearsay/internal/shell"
)

// lookedNote begins the note that the guarded files were looked at before a call, and
// lookedFor is how long a command may run whose changes are told apart from what was there.
const (
	lookedNote = "looked/"
	lookedFor  = 24 * time.Hour
)

// beforeShell looks at the guarded files before a command, so that what it changes can
// be told however it computes a path.
func (h *Handler) beforeShell(ctx context.Context, e hosts.Event) error {
	_, all := h.settleAll(ctx, memfile.Stat)
	label, err := h.Guard.SessionLabel(ctx, h.caller)
	if err != nil || !label.Tainted() || !all {
		return err // a clean session's new file is not taken away, nor one that may have been there
	}
	names, complete := h.Files.set.ListProtected()
	for _, name := range names {
		if h.Files.ours(name) {
			continue // it has a log of its own
		}
		if _, err := h.settle(ctx, name); err != nil {
			h.Log.Warn("a protected file was not looked at", "file", name, "error", err)
			complete = false
		}
	}
	if !complete {
		return nil
	}
	return h.Guard.Note(ctx, h.caller, lookedNote+e.CallID, lookedFor)
}

// afterShell finds what a command changed in guarded files. What a tainted session
// changed is decided like any other write of it, and taken out again where it is held;
// of a clean one, a file that the command names is its write, and any other change is
// nobody's.
func (h *Handler) afterShell(ctx context.Context, e hosts.Event, effects shell.Effects) error {
	label, err := h.Guard.SessionLabel(ctx, h.caller)
	if err != nil {
		return err
	}
	looked, err := h.Guard.Noted(ctx, h.caller, lookedNote+e.CallID)
	if err != nil {
		return err
	}
	names, _ := h.Files.set.List()
	var named []string
	for _, name := range slices.Concat(effects.Writes, effects.Deletes) {
		if real := h.Files.Real(name); h.Files.Class(real) == memfile.Memory {
			named = append(named, real)
		}
	}
	names = slices.Concat(names, named, h.Files.set.Fixed(memfile.Memory))
	if label.Tainted() {
		protected, _ := h.Files.set.ListProtected()
		names = slices.Concat(names, protected, h.Files.set.Fixed(memfile.Protected))
		names = slices.DeleteFunc(names, h.Files.ours)
	}
	slices.Sort(names)
	t := h.tracker()
	survey, err := t.Survey(ctx, memfile.Stat)
	if err != nil {
		return err
	}
	defer survey.Leave()
	for _, name := range slices.Compact(names) {
		if _, same := survey.Unchanged(name); same {
			continue
		}
		s, err := t.Look(ctx, name)
		if err != nil {
			h.Log.Warn("a memory file was not looked at after a command", "file", name, "error", err)
			continue
		}
		if !s.Changed() {
			continue
		}
		brought := effects.Installs || len(effects.Fetched) > 0
		switch {
		case label.Tainted() && s.First() && !looked:
			// It may have been there before the command.
			err = t.Settle(ctx, s)
		case label.Tainted(), slices.Contains(named, name) && !brought:
			err = h.shellWrote(ctx, e, s)
		case brought:
			err = t.SettleAs(ctx, s, h.Guard.Policy().SourceTable().Classify(hearsay.Source{Type: "document"}).Label())
		default:
			err = t.Settle(ctx, s)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// shellWrote decides a change that a command made of a guarded file. Where it is not let
// through the file is put back as it was; the whole of what it was made into is held.
func (h *Handler) shellWrote(ctx context.Context, e hosts.Event, s *memfile.State) error {
	before, now := s.Before(), s.Data
	restored, hunks := segment.Inverse(before, now, func(segment.Change) bool { return false })
	if before == nil {
		restored = nil
	}
	call := memfile.Call{
		Host: e.Host, Tool: e.Tool.Name, Base: map[string]string{s.Path: memfile.Sum(restored)},
		Edits: []memfile.Edit{{Path: s.Path, New: string(now), Whole: now != nil, Delete: now == nil}},
	}
	w := guard.Write{
		Store: memfile.Store, Source: hearsay.Source{Type: "agent"}, Namespace: hearsay.Namespace{"files"}, Op: event.Update,
		Tool: e.Tool.Name, Items: append(memfile.Items(call.Edits), h.callItem(e)),
	}
	// No agent writes what is protected, whosever words they are and whatever the mode.
	protected := h.Files.Class(s.Path) == memfile.Protected
	if protected {
		w.Source.Type = hearsay.UnknownTag
	}
	if name := nameText(s.Path); before == nil && name != "" {
		w.Texts = append(w.Texts, name)
	}
	for _, hunk := range hunks {
		w.Takes = w.Takes || len(hunk.Put) > 0
		if text := strings.TrimSpace(string(hunk.Removed)); text != "" {
			w.Texts = append(w.Texts, text)
		}
	}
	if len(w.Texts) == 0 {
		w.Op = event.Delete // it only took lines out
	}
	var err error
	if w.Content, err = call.Encode(); err != nil {
		return err
	}
	d, err := h.Guard.Write(ctx, h.caller, w)
	if err != nil {
		return err
	}
	if d.Standing.Visible() && !protected {
		if !d.ID.IsZero() {
			if err := h.Guard.Applied(ctx, h.caller, d.ID, guard.Outcome{Delivery: hearsay.Applied, Landed: memfile.Items(call.Edits)}); err != nil {
				return err
			}
		}
		return h.tracker().WroteAs(ctx, s, segment.Owner{Record: d.ID, Label: d.Verdict.Label})
	}
	if bytes.Equal(restored, now) && (restored == nil) == (now == nil) {
		return nil
	}
	h.Log.Info("a command's change of a memory file was taken out and held", "file", s.Path, "record", d.ID)
	return memfile.Write(memfile.Image{Path: s.Path, Before: now, After: restored})
}
