package hook

import (
	"bytes"
	"context"
	"fmt"
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

// cleanlyNote begins the note that a command which moves memory files came from a session
// that had taken in nothing foreign but what it moves.
const cleanlyNote = "cleanly/"

// unwitnessed is who said what nobody was seen writing.
var unwitnessed = segment.Owner{Label: hearsay.Label{Origin: hearsay.Unverified, Taint: hearsay.Untainted}}

// doer names what changed files by itself.
func doer(e hosts.Event) string {
	if isShell(e) {
		return "command"
	}
	return "tool"
}

// beforeShell looks at the guarded files before a command, or a tool of which nobody knows
// what it does, so that what it changes can be told however it computes a path.
func (h *Handler) beforeShell(ctx context.Context, e hosts.Event) error {
	seen := h.settleAll(ctx, memfile.Stat)
	label, err := h.Guard.SessionLabel(ctx, h.caller)
	if err != nil || !label.Tainted() || !seen.all {
		return err // a clean session's new file is not taken away, nor one that may have been there
	}
	names, complete := h.Files.set.ListProtected(h.Files.own)
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
	listed, _ := h.Files.set.List()
	all := slices.Concat(names, listed, h.Files.set.Fixed(memfile.Memory), h.Files.set.Fixed(memfile.Protected))
	for _, o := range h.Files.Odd(h.recorded(ctx, all, true)) {
		if err := h.Guard.Note(ctx, h.caller, oddNote(e, o.Path), lookedFor); err != nil {
			return err
		}
	}
	return h.Guard.Note(ctx, h.caller, lookedNote+e.CallID, lookedFor)
}

// afterShell finds what a command changed in guarded files. What a tainted session
// changed is decided like any other write of it, and taken out again where it is held;
// of a clean one, a file that the command names is its write, and any other change is
// nobody's. Lines that a command takes from one file to another keep their owners.
func (h *Handler) afterShell(ctx context.Context, e hosts.Event, effects shell.Effects) error {
	unlock, err := h.alone(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	label, err := h.Guard.SessionLabel(ctx, h.caller)
	if err != nil {
		return err
	}
	c := command{event: e, tainted: label.Tainted(), brought: effects.Installs || len(effects.Fetched) > 0}
	if c.looked, err = h.Guard.Noted(ctx, h.caller, lookedNote+e.CallID); err != nil {
		return err
	}
	if c.cleanly, err = h.Guard.Noted(ctx, h.caller, cleanlyNote+e.CallID); err != nil {
		return err
	}
	for _, name := range slices.Concat(effects.Writes, effects.Deletes) {
		real := h.Files.Real(name)
		if h.Files.Class(real) == memfile.Memory {
			c.named = append(c.named, real)
		}
		if !beneath(h.Files.Workspace, real) && (h.Files.Home == "" || !beneath(h.Files.Home, real)) {
			c.spots = append(c.spots, real)
		}
	}
	names, _ := h.Files.set.List()
	names = slices.Concat(names, c.named, h.Files.set.Fixed(memfile.Memory))
	if c.tainted {
		protected, _ := h.Files.set.ListProtected(h.Files.own)
		names = slices.Concat(names, protected, h.Files.set.Fixed(memfile.Protected))
		names = slices.DeleteFunc(names, h.Files.ours)
	}
	names = h.recorded(ctx, names, c.tainted)
	t := h.tracker()
	survey, err := t.Survey(ctx, memfile.Stat)
	if err != nil {
		return err
	}
	defer survey.Leave()
	for _, name := range names {
		if _, same := survey.Unchanged(name); same {
			continue
		}
		s, err := t.Look(ctx, name)
		if err != nil && c.tainted && c.looked && h.aside(ctx, e, name) {
			s, err = t.Look(ctx, name)
		}
		if err != nil {
			h.Log.Warn("a memory file was not looked at after a command", "file", name, "error", err)
			continue
		}
		if s.Changed() {
			c.changed = append(c.changed, s)
		}
	}
	if err := h.sift(ctx, &c, effects.Reads); err != nil {
		return err
	}
	for _, s := range c.changed {
		if err := h.shellChanged(ctx, &c, s, survey, names); err != nil {
			return err
		}
	}
	return nil
}

// command is a command that ran, and what it changed.
type command struct {
	event   hosts.Event
	tainted bool     // the session is, by now
	cleanly bool     // it was not, before the command took in what it moves
	looked  bool     // the guarded files were all known before
	brought bool     // it installs, clones or unpacks
	named   []string // the memory files that it names as its targets
	spots   []string // those and the folders that it names
	changed []*memfile.State

	went  []*memfile.State // as they were: files that are gone
	moved []*memfile.State // and those whose lines it may have put elsewhere
	taken map[string]bool  // files all of whose bytes stand in another one now
}

// covers reports whether the command names a file, or a folder that it lies in.
func (c *command) covers(name string) bool {
	return slices.ContainsFunc(c.spots, func(spot string) bool { return beneath(name, spot) })
}

// shellChanged settles one file that a command changed.
func (h *Handler) shellChanged(ctx context.Context, c *command, s *memfile.State, survey *memfile.Survey, names []string) error {
	t := h.tracker()
	named := slices.Contains(c.named, s.Path) && !c.brought
	others := s.Choose(c.moved)
	moved := c.covers(s.Path) && (c.taken[s.Path] && s.Data == nil || others.Exact(s) != "")
	switch {
	case moved && !c.brought && (!c.tainted || c.cleanly):
		// Every line has the owner that it had: nothing is said that has to be decided.
		return t.WroteMoved(ctx, s, others, unwitnessed)
	case c.tainted && s.First() && !c.looked:
		// It may have been there before the command.
		return t.Settle(ctx, s)
	case c.tainted, named:
		return h.shellWrote(ctx, c.event, s, others, survey.Looks(s.Path))
	case c.brought:
		return t.SettleAs(ctx, s, h.Guard.Policy().SourceTable().Classify(hearsay.Source{Type: "document"}).Label())
	}
	if err := t.Tell(ctx, s, h.copied(ctx, survey, s, s.Choose(c.went), names)); err != nil {
		return err
	}
	h.told = append(h.told, "The "+doer(c.event)+" changed what it does not name: "+told(s)+".")
	return t.Settle(ctx, s)
}

// shellWrote decides a change that a command made of a guarded file. Where it is not let
// through the file is put back as it was; the whole of what it was made into is held.
func (h *Handler) shellWrote(ctx context.Context, e hosts.Event, s *memfile.State, others memfile.Others, looks memfile.Looks) error {
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
		return h.tracker().WroteMoved(ctx, s, others, segment.Owner{Record: d.ID, Label: d.Verdict.Label})
	}
	if bytes.Equal(restored, now) && (restored == nil) == (now == nil) {
		return nil
	}
	h.Log.Info("a command's change of a memory file was taken out and held", "file", s.Path, "record", d.ID)
	h.told = append(h.told, fmt.Sprintf("What the "+doer(e)+" changed in %s was taken out again; it waits for the user's review as %s.", plainName(s.Path), d.ID))
	if !bytes.Equal(restored, before) {
		looks = memfile.Looks{} // it is not as it was
	}
	return memfile.Write(memfile.Image{Path: s.Path, Before: now, After: restored, Was: looks})
}
