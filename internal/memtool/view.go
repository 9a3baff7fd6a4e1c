package memtool

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/mark"
)

// Bounds of what one view shows of a file, in bytes. What is cut is announced.
const (
	maxShown = 256 << 10
	maxLine  = 16 << 10
)

func (h *Handler) view(ctx context.Context, f *folder, in *input) (string, error) {
	there, info, err := f.find(in.path)
	switch {
	case err != nil:
		return "", err
	case there < len(in.path):
		return "", missing(in)
	case info.IsDir() && in.ranged:
		return "", faultf("%s is a folder: view_range is of files", in.spelt)
	case info.IsDir():
		return h.viewFolder(ctx, f, in)
	}
	s, err := h.readable(ctx, f, in, info)
	if err != nil {
		return "", err
	}
	lines := linesOf(s)
	from, until, err := in.window(len(lines))
	if err != nil {
		return "", err
	}
	shown, cut := fit(lines[from:until], from)
	if err := h.takeIn(ctx, s.Path, shown); err != nil {
		return "", err
	}
	for i := range shown {
		shown[i].text = numbered(from+i+1, shown[i].text)
	}
	text, err := marked(shown)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("Here's the content of %s with line numbers:\n%s%s", in.spelt, text, cut), nil
}

// readable looks at a file that was found, if it is not too big to be guarded.
func (h *Handler) readable(ctx context.Context, f *folder, in *input, info fs.FileInfo) (*memfile.State, error) {
	if info.Size() > memfile.MaxFile {
		return nil, faultf("The file %s is too big: it has %d bytes, and at most %d are read.", in.path, info.Size(), memfile.MaxFile)
	}
	s, err := h.settled(ctx, f.file(in.path))
	if err == nil && s.Data == nil {
		err = missing(in)
	}
	return s, err
}

func missing(in *input) error {
	return faultf("The path %s does not exist. Please provide a valid path.", in.path)
}

// settled looks at a file, and seals what nobody was seen writing.
func (h *Handler) settled(ctx context.Context, path string) (*memfile.State, error) {
	t := h.tracker()
	s, err := t.Look(ctx, path)
	if err != nil {
		return nil, err
	}
	return s, t.Settle(ctx, s)
}

// linesOf splits a file at its line feeds, as models count: behind the last one stands an
// empty line, which is nobody's.
func linesOf(s *memfile.State) []line {
	texts := strings.Split(string(s.Data), "\n")
	lines := make([]line, len(texts))
	for i := range lines {
		lines[i] = line{texts[i], hearsay.LabelIdentity}
	}
	for r, o := range s.File.All() {
		for i := r.From; i < r.To && i < len(lines); i++ {
			lines[i].label = o.Label
		}
	}
	return lines
}

// window is the part of n lines that a view asks for, counted from 0.
func (in *input) window(n int) (from, until int, err error) {
	if !in.ranged {
		return 0, n, nil
	}
	from, until = in.from-1, min(in.until, n)
	if in.until == -1 {
		until = n
	}
	if from < 0 || from >= n || until <= from {
		return 0, 0, faultf("Invalid `view_range` parameter: the file has %d lines. Want [first, last] within them, counted from 1, or [first, -1]", n)
	}
	return from, until, nil
}

// fit returns the lines that fit into a reply, and a note on what was cut. first is the
// number of the first one, counted from 0.
func fit(lines []line, first int) (shown []line, cut string) {
	size, long := 0, 0
	for i, l := range lines {
		if len(l.text) > maxLine {
			// A tail can be anybody's words; what is not shown is not vouched for.
			l.text = strings.ToValidUTF8(l.text[:maxLine], "") + " …"
			long++
		}
		if size += len(l.text) + 1; size > maxShown {
			cut = fmt.Sprintf("\n[%d more lines are not shown: view them with view_range [%d, %d]]", len(lines)-i, first+i+1, first+len(lines))
			break
		}
		shown = append(shown, l)
	}
	if long > 0 {
		cut = fmt.Sprintf("\n[%d lines are longer than %d bytes and end in …: the rest of them is not shown]", long, maxLine) + cut
	}
	return shown, cut
}

// takeIn seals what the session takes in by lines that it is about to be shown. Of words
// below an agent's own prints are kept, under the types of their sources.
func (h *Handler) takeIn(ctx context.Context, path string, lines []line) error {
	label := hearsay.LabelIdentity
	var plain []string
	texts := make(map[string][]string)
	for _, l := range lines {
		label = label.Join(l.label)
		switch {
		case l.label.Tainted():
			for tag := range l.label.Taint.All() {
				texts[tag] = append(texts[tag], l.text)
			}
		case l.label.Origin == hearsay.Unverified:
			texts["hand_edit"] = append(texts["hand_edit"], l.text)
		default:
			plain = append(plain, l.text)
		}
	}
	if mark.HasMarkers(strings.Join(plain, "\n")) {
		texts["external_marked"] = plain
	}
	observe := func(o guard.Observation) error {
		o.Source.Ref, o.Tool = path, toolName
		_, err := h.Guard.Observe(ctx, h.Caller, o)
		return err
	}
	if err := observe(guard.Observation{Source: hearsay.Source{Type: "workspace_file"}, Also: &label}); err != nil {
		return err
	}
	for _, tag := range slices.Sorted(maps.Keys(texts)) {
		if err := observe(guard.Observation{Source: hearsay.Source{Type: tag}, Texts: texts[tag]}); err != nil {
			return err
		}
	}
	return nil
}
