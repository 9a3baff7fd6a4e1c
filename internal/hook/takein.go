package hook

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/memfile"
)

// takeIn taints the session by what flowed into the lines of a memory file that it reads,
// or of all memory files in a folder.
func (h *Handler) takeIn(ctx context.Context, name string) error {
	var label hearsay.Label // of a pipe or a device: who is behind it is not known
	info, err := os.Lstat(filepath.FromSlash(name))
	switch {
	case err == nil && info.IsDir():
		if label, err = h.beneath(ctx, name); err != nil {
			return err
		}
	case h.Files.Class(name) != memfile.Memory:
		return nil
	case err != nil || info.Mode().IsRegular():
		s, err := h.tracker().Look(ctx, name)
		if err != nil {
			return err
		}
		label = s.File.Label()
	}
	if !label.Tainted() {
		return nil
	}
	return h.observe(ctx, guard.Observation{Source: hearsay.Source{Type: "workspace_file", Ref: name}, Tool: "memory", Also: &label})
}

// beneath is the join of the memory files in a folder, as they were last recorded.
func (h *Handler) beneath(ctx context.Context, dir string) (hearsay.Label, error) {
	label := hearsay.LabelIdentity
	for _, name := range h.recorded(ctx, nil, false) {
		if !beneath(name, dir) {
			continue
		}
		of, err := h.Guard.FileLabel(ctx, h.caller.Principal, name)
		if errors.Is(err, guard.ErrNotFound) {
			continue
		}
		if err != nil {
			return label, err
		}
		label = label.Join(of)
	}
	return label, nil
}

// listers are programs that tell the names of files and not what stands in them.
var listers = []string{"cd", "du", "exa", "eza", "file", "ls", "mkdir", "pwd", "rmdir", "stat", "tree", "true"}

// listsOnly reports whether programs say nothing of what stands in files.
func listsOnly(programs []string) bool {
	return len(programs) > 0 && !slices.ContainsFunc(programs, func(name string) bool { return !slices.Contains(listers, name) })
}
