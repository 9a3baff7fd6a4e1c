package memtool

import (
	"context"
	"fmt"
	"strings"

	"github.com/hearsay-memory/hearsay"
)

// listedDeep is how many levels of a folder are shown.
const listedDeep = 2

// viewFolder lists a folder. Names that are no more than names are shown to anybody; one
// that says something is as little trusted as the least of what lies under it.
func (h *Handler) viewFolder(ctx context.Context, f *folder, in *input) (string, error) {
	entries, odd, err := f.walk(in.path)
	if err != nil {
		return "", err
	}
	var total int64
	var deeper int
	var lines []line
	for i, e := range entries {
		if !e.info.IsDir() {
			total += e.size
		}
		depth := len(e.name) - len(in.path)
		if depth > listedDeep {
			deeper++
			continue
		}
		label := hearsay.LabelIdentity
		if says(e.name) != "" {
			if label, err = h.labelOf(ctx, f, entries[i:], e.name); err != nil {
				return "", err
			}
		}
		text := size(e.size) + "\t" + e.name.String()
		if e.info.IsDir() {
			text += "/"
		}
		lines = append(lines, line{text, label})
	}
	if err := h.takeIn(ctx, f.file(in.path), lines); err != nil {
		return "", err
	}
	lines = append([]line{{size(total) + "\t" + in.path.String(), hearsay.LabelIdentity}}, lines...)
	text, err := marked(lines)
	if err != nil {
		return "", err
	}
	var notes strings.Builder
	if deeper > 0 {
		fmt.Fprintf(&notes, "\n[%d more lie deeper: view their folders]", deeper)
	}
	if odd > 0 {
		fmt.Fprintf(&notes, "\n[%d entries are left out: links, or names that this tool does not use]", odd)
	}
	return fmt.Sprintf("Here're the files and directories up to %d levels deep in %s, excluding hidden items:\n%s%s", listedDeep, in.path, text, &notes), nil
}

// labelOf is the join of what nobody was seen writing, if anything is so, and of the files
// at or below a name. entries begin with it.
func (h *Handler) labelOf(ctx context.Context, f *folder, entries []entry, n name) (hearsay.Label, error) {
	label, files := hearsay.LabelIdentity, 0
	for _, e := range entries {
		if len(e.name) < len(n) || e.name[len(n)-1] != n[len(n)-1] {
			break
		}
		if e.info.IsDir() {
			continue
		}
		s, err := h.settled(ctx, f.file(e.name))
		if err != nil {
			return label, err
		}
		files++
		label = label.Join(s.File.Label())
		if s.File.Lines() == 0 {
			// Nothing tells who named an empty file.
			label = label.Join(hearsay.Label{Origin: hearsay.Unverified, Taint: hearsay.Untainted})
		}
	}
	if files == 0 {
		label = label.Join(hearsay.Label{Origin: hearsay.Unverified, Taint: hearsay.Untainted})
	}
	return label, nil
}

// size is a number of bytes for people and models.
func size(n int64) string {
	const units = "KMG"
	if n < 1024 {
		return fmt.Sprintf("%dB", n)
	}
	value, unit := float64(n), -1
	for value >= 1024 && unit+1 < len(units) {
		value, unit = value/1024, unit+1
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", value), ".0") + units[unit:unit+1]
}
