package memtool

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/internal/memfile"
)

func (h *Handler) create(ctx context.Context, f *folder, in *input) (string, error) {
	there, _, err := f.find(in.path)
	switch {
	case err != nil:
		return "", err
	case len(in.path) == 0 || there == len(in.path):
		return "", faultf("File %s already exists. Change it with str_replace or insert, or use another name.", in.path)
	}
	if err := f.room(1, int64(len(in.text))); err != nil {
		return "", err
	}
	ch := change{op: event.Create, edits: []memfile.Edit{{Path: f.file(in.path), New: in.text, Whole: true}}}
	if said := says(in.path[there:]); said != "" {
		ch.names = []string{said}
	}
	if err := h.make(ctx, ch); err != nil {
		return "", err
	}
	return fmt.Sprintf("File created successfully at: %s", in.spelt), nil
}

// open looks at a file that is to be changed.
func (h *Handler) open(ctx context.Context, f *folder, in *input) (*memfile.State, error) {
	there, info, err := f.find(in.path)
	switch {
	case err != nil:
		return nil, err
	case there < len(in.path):
		return nil, missing(in)
	case info.IsDir():
		return nil, faultf("The path %s is not a file.", in.path)
	}
	return h.readable(ctx, f, in, info)
}

// maxTaken bounds the lines that are the user's own and that one edit takes out: who
// rewrites a file from a part of it loses the rest.
const maxTaken = 16

func (h *Handler) replace(ctx context.Context, f *folder, in *input) (string, error) {
	s, err := h.open(ctx, f, in)
	if err != nil {
		return "", err
	}
	text := string(s.Data)
	switch n := strings.Count(text, in.old); {
	case in.old == "":
		return "", faultf("No replacement was performed: old_str is empty. Use insert to add text.")
	case n == 0:
		return "", faultf("No replacement was performed: old_str did not appear verbatim in %s.", in.path)
	case n > 1:
		return "", faultf("No replacement was performed. Multiple occurrences of old_str in lines: %s. Please ensure it is unique.", occurrences(text, in.old))
	}
	at := strings.Index(text, in.old)
	if n := takenFromUser(s, text[:at], in.old, in.text); n > maxTaken {
		return "", faultf("No replacement was performed: it would take out %d lines that are the user's own, and at most %d are taken at once. Replace only what changes.", n, maxTaken)
	}
	after := text[:at] + in.text + text[at+len(in.old):]
	if len(after) > MaxText {
		return "", tooLong()
	}
	if after != text {
		if err := f.room(0, int64(len(after)-len(text))); err != nil {
			return "", err
		}
		if err := h.make(ctx, change{op: event.Update, edits: []memfile.Edit{{Path: s.Path, Old: in.old, New: in.text}}}); err != nil {
			return "", err
		}
	}
	return h.snippet(ctx, s.Path, strings.Count(text[:at], "\n"))
}

func tooLong() error {
	return faultf("Not saved: the file would have more than %d bytes. Use another file.", MaxText)
}

// maxTold bounds the line numbers that a reply lists.
const maxTold = 20

// occurrences lists the lines in which a text begins.
func occurrences(text, what string) string {
	var out []string
	line := 1
	for rest := text; ; {
		i := strings.Index(rest, what)
		if i < 0 {
			return strings.Join(out, ", ")
		}
		if line += strings.Count(rest[:i], "\n"); len(out) == maxTold {
			return strings.Join(append(out, "…"), ", ")
		}
		out = append(out, strconv.Itoa(line))
		line += strings.Count(rest[i:i+len(what)], "\n")
		rest = rest[i+len(what):]
	}
}

// takenFromUser counts the lines of the user's own that a replacement takes and does not
// put back.
func takenFromUser(s *memfile.State, before, old, new string) int {
	back := make(map[string]int)
	for line := range strings.Lines(new) {
		back[strings.TrimSpace(line)]++
	}
	var taken []string
	for line := range strings.Lines(old) {
		taken = append(taken, strings.TrimSpace(line))
	}
	first, n := strings.Count(before, "\n"), 0
	for r, o := range s.File.All() {
		if o.Label.Origin < hearsay.Channel || o.Label.Tainted() {
			continue
		}
		for i := max(r.From, first); i < min(r.To, first+len(taken)); i++ {
			line := taken[i-first]
			if back[line]--; back[line] < 0 && line != "" {
				n++
			}
		}
	}
	return n
}

// around is how many lines before and after the beginning of a change a reply shows.
const around = 2

// snippet is the reply to an edit that changed a file from a line on, counted from 0.
// Lines below an agent's own word are left out, so that to write is not to read.
func (h *Handler) snippet(ctx context.Context, path string, changed int) (string, error) {
	s, err := h.tracker().Look(ctx, path)
	if err != nil {
		return "", err
	}
	lines := linesOf(s)
	var shown []line
	left := 0
	for i := max(changed-around, 0); i < min(changed+around+1, len(lines)); i++ {
		if memfile.Low(lines[i].label) {
			left++
			continue
		}
		shown = append(shown, line{numbered(i+1, lines[i].text), lines[i].label})
	}
	shown, cut := fit(shown, 0)
	text, err := marked(shown)
	if err != nil {
		return "", err
	}
	if left > 0 {
		cut += fmt.Sprintf("\n[%d lines of others are left out: view the file to read them]", left)
	}
	return "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n" + text + cut, nil
}

func (h *Handler) insert(ctx context.Context, f *folder, in *input) (string, error) {
	s, err := h.open(ctx, f, in)
	if err != nil {
		return "", err
	}
	lines := strings.Count(string(s.Data), "\n")
	if n := len(s.Data); n > 0 && s.Data[n-1] != '\n' {
		lines++
	}
	if in.line < 0 || in.line > lines {
		return "", faultf("Invalid `insert_line` parameter: %d. It should be within the range [0, %d].", in.line, lines)
	}
	text := strings.TrimRight(in.text, "\n") + "\n"
	if len(s.Data)+len(text)+1 > MaxText {
		return "", tooLong()
	}
	if err := f.room(0, int64(len(text)+1)); err != nil {
		return "", err
	}
	ch := change{op: event.Update, edits: []memfile.Edit{memfile.Insertion(s.Path, s.Data, in.line, text)}, words: []string{in.text}}
	if err := h.make(ctx, ch); err != nil {
		return "", err
	}
	return fmt.Sprintf("The file %s has been edited.", in.spelt), nil
}
