package hook

import (
	"context"
	"slices"

	"github.com/hearsay-memory/hearsay/internal/memfile"
)

// protectedChanges looks at the instructions and settings of the workspace, and at those
// of the user's that have a fixed name, and says which changed since they were last looked
// at, are new or are gone. A person writes those: that a line of them is nobody's that was
// seen is no news. Where nothing of the workspace was ever looked at, nothing is new.
func (h *Handler) protectedChanges(ctx context.Context) string {
	listed, _ := h.Files.set.ListProtected(h.Files.own) // what is beyond the bounds is told where it is looked for
	names := slices.DeleteFunc(listed, func(name string) bool { return !h.Files.inside(name) })
	names = append(names, h.Files.set.Fixed(memfile.Protected)...)
	before := h.recorded(ctx, nil, true)
	for _, name := range before {
		if h.Files.inside(name) && h.Files.set.Class(name) == memfile.Protected {
			names = append(names, name)
		}
	}
	seenBefore := slices.ContainsFunc(before, h.Files.inside)
	names = slices.DeleteFunc(names, h.Files.ours)
	slices.Sort(names)
	t := h.tracker()
	survey, err := t.Survey(ctx, memfile.Stat)
	if err != nil {
		h.Log.Warn("the protected files were not looked at", "error", err)
		return ""
	}
	var seen seenFiles
	for i, name := range slices.Compact(names) {
		if h.late(ctx, i, len(names)) {
			break
		}
		if _, same := survey.Unchanged(name); same || h.Files.odd(name) != "" {
			continue // what cannot be looked at is told by itself
		}
		s, err := t.Look(ctx, name)
		if err != nil {
			h.Log.Warn("a protected file was not looked at", "file", name, "error", err)
			continue
		}
		if s.Changed() && (!s.First() || seenBefore) {
			seen.came = append(seen.came, told(s))
		}
		survey.Seal(ctx, s)
	}
	if err := survey.Close(ctx); err != nil {
		h.Log.Warn("what was seen of protected files was not sealed", "error", err)
	}
	return seen.changedFiles()
}
