package hook

import (
	"context"
	"slices"

	"github.com/hearsay-memory/hearsay/internal/memfile"
)

// recorded adds to names the guarded files of this workspace, and of the agents' own
// folders, that are known: whether they are still there or not, and in whichever folder.
// Protected files count where all says so.
func (h *Handler) recorded(ctx context.Context, names []string, all bool) []string {
	known, err := h.Guard.FilePaths(ctx, h.caller.Principal)
	if err != nil {
		h.Log.Warn("files that are gone are not missed", "error", err)
	}
	known = slices.DeleteFunc(known, func(name string) bool {
		c := h.Files.set.Class(name)
		return c == memfile.Ordinary || c == memfile.Protected && !all || h.Files.ours(name)
	})
	names = append(names, known...)
	slices.Sort(names)
	return slices.Compact(names)
}

// maxMoved bounds the files that are remembered as gone, or as read, while others are
// looked at. Beyond it lines that move lose their owners.
const maxMoved = 1024

// sift finds among what a command changed, and what it read, the files whose lines stand
// elsewhere now.
func (h *Handler) sift(ctx context.Context, c *command, reads []string) error {
	c.taken = make(map[string]bool)
	for _, s := range c.changed {
		if s.Data != nil && !c.covers(s.Path) || len(c.moved) >= maxMoved {
			continue
		}
		past, err := s.Past()
		if err != nil {
			return err
		}
		if past == nil {
			continue
		}
		c.moved = append(c.moved, past)
		if s.Data == nil {
			c.went = append(c.went, past)
		}
	}
	for _, name := range reads {
		name = h.Files.Real(name)
		if h.Files.Class(name) == memfile.Ordinary || slices.ContainsFunc(c.changed, func(s *memfile.State) bool { return s.Path == name }) || len(c.moved) >= maxMoved {
			continue
		}
		known, err := h.tracker().Known(ctx, name)
		if err != nil {
			return err
		}
		if known.Data != nil && known.File.Fits(known.Data) == nil {
			c.moved = append(c.moved, known)
		}
	}
	for _, s := range c.changed {
		if from := s.Choose(c.moved).Exact(s); from != "" && c.covers(s.Path) {
			c.taken[from] = true
		}
	}
	return nil
}

// copied adds to others a file that s is a copy of, made by nobody who was seen: its lines
// are no better than those of the other one.
func (h *Handler) copied(ctx context.Context, survey *memfile.Survey, s *memfile.State, others memfile.Others, names []string) memfile.Others {
	if others.Exact(s) != "" {
		return others
	}
	twin := survey.Twin(s, names)
	if twin == "" {
		return others
	}
	known, err := h.tracker().Known(ctx, twin)
	if err != nil {
		h.Log.Warn("who said the lines of a memory file cannot be read", "file", twin, "error", err)
		return others
	}
	return others.Below(known)
}
