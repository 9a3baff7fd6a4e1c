package hook

import (
	"context"
	"encoding/json"
	"path"
	"strings"

	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/hosts"
	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/internal/memfile/segment"
)

// What hosts show of a file where nothing else was asked for: lines, and of the index of
// its own memory that Claude Code loads by itself, lines and bytes.
const (
	readLines  = 2000
	indexLines = 200
	indexBytes = 25_000
)

// lineRange is lines From up to but not including To, counted from 0.
type lineRange struct{ from, to int }

// sawRange notes that the agent has lines of a memory file before it, as far as they are
// there now.
func (h *Handler) sawRange(ctx context.Context, e hosts.Event, name string, lines lineRange) {
	h.sawIf(ctx, e, name, func(n int, _ string) bool { return lines.from <= n && n < lines.to })
}

// sawResult notes which lines of the memory files that a tool read stand in its result:
// what a result leaves out, or shows in part, is not seen.
func (h *Handler) sawResult(ctx context.Context, e hosts.Event, names []string) {
	var shown map[string]bool
	for _, name := range names {
		switch {
		case h.Files.Class(name) != memfile.Memory:
		case !e.HasResponse() && e.Tool.Class == hosts.Read:
			h.sawRange(ctx, e, name, askedRange(e.Tool.Args))
		default:
			if shown == nil {
				shown = shownLines(e.Text)
			}
			h.sawIf(ctx, e, name, func(_ int, line string) bool { return shown[line] })
		}
	}
}

// sawIf notes the lines of a memory file that pass. What cannot be noted has to be read
// again, which is no reason to stop a tool.
func (h *Handler) sawIf(ctx context.Context, e hosts.Event, name string, pass func(n int, line string) bool) {
	if h.Files.Class(name) != memfile.Memory {
		return
	}
	data, err := memfile.Read(name)
	if err != nil {
		return
	}
	var seen []string
	for n, line := range memfile.Lines(data) {
		if line = plainLine(line); line != "" && pass(n, line) {
			seen = append(seen, line)
		}
	}
	if err := h.Guard.Saw(ctx, h.caller, e.Agent, name, seen); err != nil {
		h.Log.Warn("what an agent saw of a memory file was not kept", "file", name, "error", err)
	}
}

// plainLine is a line without the white space around it and without a byte-order mark.
func plainLine(line string) string { return strings.TrimSpace(strings.TrimPrefix(line, "\ufeff")) }

// shownLines are the lines of a result, with and without the numbers and names that tools
// put before them.
func shownLines(texts []string) map[string]bool {
	shown := make(map[string]bool)
	for _, text := range texts {
		for line := range strings.Lines(text) {
			line = plainLine(line)
			shown[line] = true
			rest := strings.TrimLeft(strings.TrimPrefix(line, "L"), "0123456789")
			if rest == line || rest == "L" {
				continue
			}
			for _, mark := range []string{"\t", "→", ": ", ":", "-", "|"} {
				if behind, ok := strings.CutPrefix(rest, mark); ok {
					shown[plainLine(behind)] = true
				}
			}
		}
	}
	return shown
}

// askedRange is the lines that a call of a reading tool asks for.
func askedRange(args []byte) lineRange {
	var asked struct{ Offset, Limit *float64 }
	if err := json.Unmarshal(args, &asked); err != nil {
		return lineRange{}
	}
	from, lines := 0.0, float64(readLines)
	if asked.Offset != nil {
		from = max(*asked.Offset-1, 0)
	}
	if asked.Limit != nil {
		lines = min(max(*asked.Limit, 0), lines)
	}
	from = min(from, segment.MaxLines)
	return lineRange{int(from), int(from + lines)}
}

// sawIndex notes what Claude Code loads of its own memory of the project when a session
// starts: no event tells of that.
func (h *Handler) sawIndex(ctx context.Context, e hosts.Event) {
	if e.Transcript == "" {
		return
	}
	name := h.Files.Resolve(e.Dir, path.Join(path.Dir(e.Transcript), "memory", "MEMORY.md"))
	size := 0
	h.sawIf(ctx, e, name, func(n int, line string) bool {
		size += len(line) + 1
		return n < indexLines && size <= indexBytes
	})
}

// sawOwn notes what the agent wrote itself. A line that it made in part of one that it had
// not seen is none that it has.
func (h *Handler) sawOwn(ctx context.Context, e hosts.Event, call *memfile.Call, known map[string]*memfile.State) {
	brought := make(map[string]bool)
	views := make(map[string]guard.View)
	for _, edit := range call.Edits {
		for _, line := range memfile.Lines([]byte(edit.New)) {
			brought[plainLine(line)] = true
		}
		if edit.MoveTo != "" {
			if v, err := h.Guard.View(ctx, h.caller, e.Agent, edit.Path); err == nil {
				views[edit.MoveTo] = v // what is moved was seen where it was
			}
		}
	}
	images, _ := call.Replay(func(path string) ([]byte, error) { return known[path].Data, nil }) // none: it was recorded anew since
	whole := make(map[string]bool)
	for _, im := range images {
		if view, err := h.Guard.View(ctx, h.caller, e.Agent, im.Path); err == nil && len(unseen(view, im)) == 0 {
			had := make(map[string]bool)
			for _, line := range memfile.Lines(im.Before) {
				had[plainLine(line)] = true
			}
			for _, line := range memfile.Lines(im.After) {
				whole[plainLine(line)] = whole[plainLine(line)] || !had[plainLine(line)]
			}
		}
	}
	for _, path := range call.Paths() {
		h.sawIf(ctx, e, path, func(_ int, line string) bool { return brought[line] || whole[line] || views[path].Has(line) })
	}
}

// unseen are the lines that a change takes out of a file and that are not in the view.
func unseen(view guard.View, im memfile.Image) (out []string) {
	lines := memfile.Lines(im.Before)
	for _, i := range segment.Gone(im.Before, im.After) {
		if line := plainLine(lines[i]); !view.Has(line) {
			out = append(out, line)
		}
	}
	return out
}

// stale reports whether a write of a whole file, or a deletion, would drop lines that the
// agent has not seen: somebody put them there since it looked, or it looked at a part.
// A call that names the words which it takes out says what it saw.
func (h *Handler) stale(ctx context.Context, e hosts.Event, call *memfile.Call, images []memfile.Image) (name string, stale bool, err error) {
	for _, im := range images {
		if im.Before == nil || !replaces(call, im.Path) {
			continue
		}
		view, err := h.Guard.View(ctx, h.caller, e.Agent, im.Path)
		if err != nil {
			return "", false, err
		}
		if len(unseen(view, im)) > 0 {
			return im.Path, true, nil
		}
	}
	return "", false, nil
}

// replaces reports whether a call writes a whole file, or deletes it.
func replaces(call *memfile.Call, name string) bool {
	for _, e := range call.Edits {
		if e.Path == name && (e.Whole || e.Delete && e.Cell == "") {
			return true
		}
	}
	return false
}
