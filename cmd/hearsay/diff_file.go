package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"strings"
	"time"

	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/internal/memfile/segment"
	"github.com/hearsay-memory/hearsay/internal/tell"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// fileHunk is one place of a file that is not as it was recorded, without a word of it.
// Lines are counted from 1; where there are none, to is from - 1.
type fileHunk struct {
	WasFrom int      `json:"was_from"`
	WasTo   int      `json:"was_to"`
	From    int      `json:"from"`
	To      int      `json:"to"`
	Blame   []blamed `json:"blame"` // whose the lines are that stand there now
	Gone    []blamed `json:"gone"`  // and those that stood there

	was, now segment.Range
}

// diffContext is how many lines that did not change stand around those that did.
const diffContext = 3

func (a *app) diffFile(ctx context.Context, name, since string) error {
	in, err := a.open(ctx, true)
	if err != nil {
		return err
	}
	defer in.Close()
	s, err := lookFor(ctx, in, name)
	if err != nil {
		return err
	}
	switch {
	case s.First() && s.Data == nil:
		return fmt.Errorf("%s is no file and no record id: %w; `hearsay ls` shows the ids", term.Safe(name), fs.ErrNotExist)
	case s.First():
		return fmt.Errorf("%s was never recorded, so nothing of it can have changed; `hearsay blame` shows whose its lines are", term.Safe(name))
	case s.Before() == nil && s.Known().Image.Lines > 0:
		return errors.New("the bytes that were recorded are lost: what changed cannot be told; `hearsay blame` shows what is there")
	}
	was := &memfile.Version{T: s.Since, Data: s.Before()}
	if since != "" {
		was, err = formerOf(ctx, in, s.Path, since)
	} else {
		was.File, err = s.Was()
	}
	if err != nil {
		return err
	}
	hunks, err := diffHunks(ctx, in, was, s)
	if err != nil {
		return err
	}
	if a.json {
		for _, h := range hunks {
			if err := term.JSON(a.out, h); err != nil {
				return err
			}
		}
		return nil
	}
	p := a.printer()
	if len(hunks) == 0 {
		p.Println("Nothing changed since it was last recorded.")
		return p.Err()
	}
	for _, h := range hunks {
		if err := withheld(p, h.Gone); err != nil {
			return err
		}
	}
	now := "now"
	if s.Data == nil {
		now = "now gone"
	}
	if since == "" {
		if said := s.Git.String(); said != "" {
			p.Printf("What is there now is %s.\n", said)
		}
		if s.OnlyEnds() {
			p.Println("Only line ends changed: nobody's words did.")
		}
	}
	recorded := "as recorded " + tell.Ago(was.T, time.Now())
	if was.Data == nil {
		recorded = "not there"
	}
	p.Printf("--- %s, %s\n+++ %s, %s\n", name, recorded, name, now)
	before, after := textLines(was.Data), textLines(s.Data)
	from := 0
	for i, h := range hunks {
		to := len(after)
		if i+1 < len(hunks) {
			to = hunks[i+1].now.From
		}
		from = h.print(p, before, after, from, to)
	}
	return p.Err()
}

// diffHunks finds what changed and who is to blame.
func diffHunks(ctx context.Context, in *instance.Instance, was *memfile.Version, s *memfile.State) (out []*fileHunk, err error) {
	for _, h := range places(was.Data, s.Data) {
		if h.Blame, err = blameOf(ctx, in, within(s.File, h.now)); err != nil {
			return nil, err
		}
		if h.Gone, err = blameOf(ctx, in, within(was.File, h.was)); err != nil {
			return nil, err
		}
		h.WasFrom, h.WasTo, h.From, h.To = h.was.From+1, h.was.To, h.now.From+1, h.now.To
		out = append(out, h)
	}
	return out, nil
}

// places are the lines that were taken out of a file and put in, in order.
func places(before, after []byte) (out []*fileHunk) {
	_, hunks := segment.Inverse(before, after, func(segment.Change) bool { return false })
	lines := textLines(before)
	at, shift := 0, 0 // where in the file before the next place can be, and by how much it lies before that in the file after
	for _, h := range hunks {
		put := textLines(h.Put)
		p := &fileHunk{now: h.At}
		if h.At.Len() == 0 && len(h.Removed) > 0 {
			put = nil // a byte-order mark: no line of its own
		}
		at = max(at, h.At.From-shift)
		// The host's time stamp is no change: where it came or went the lines are shifted.
		for n := at; len(put) > 0 && n+len(put) <= len(lines); n++ {
			if equalLines(lines[n:n+len(put)], put) {
				at = n
				break
			}
		}
		p.was = segment.Range{From: min(at, len(lines)), To: min(at+len(put), len(lines))}
		at = p.was.To
		shift = h.At.To - at
		if n := len(out) - 1; n >= 0 && out[n].now.To == p.now.From && out[n].was.To == p.was.From {
			out[n].now.To, out[n].was.To = p.now.To, p.was.To
			continue
		}
		out = append(out, p)
	}
	return out
}

// equalLines compares lines but for a byte-order mark, which is no part of the first.
func equalLines(a, b []string) bool {
	for i := range a {
		if strings.TrimPrefix(a[i], "\ufeff") != strings.TrimPrefix(b[i], "\ufeff") {
			return false
		}
	}
	return true
}

// within yields the owners of some lines.
func within(f segment.File, lines segment.Range) iter.Seq2[segment.Range, segment.Owner] {
	return func(yield func(segment.Range, segment.Owner) bool) {
		for r, o := range f.All() {
			r = segment.Range{From: max(r.From, lines.From), To: min(r.To, lines.To)}
			if r.Len() > 0 && !yield(r, o) {
				return
			}
		}
	}
}

// print shows a place with the lines around it: those from, behind the place before, up
// to the place that comes next. It returns where the lines end that were shown.
func (h *fileHunk) print(p *term.Printer, before, after []string, from, to int) int {
	first := max(from, h.now.From-diffContext)
	last := min(to, h.now.To+diffContext)
	lead, tail := h.now.From-first, last-h.now.To
	p.Printf("@@ -%s +%s @@ %s\n", span(h.was.From-lead, h.was.Len()+lead+tail), span(first, last-first), ofOriginAll(p, h.Blame, h.told()))
	show := func(sign string, lines []string) {
		for _, line := range lines {
			p.Text(sign, line)
		}
	}
	show(" ", after[first:h.now.From])
	show("-", before[h.was.From:h.was.To])
	show("+", after[h.now.From:h.now.To])
	show(" ", after[h.now.To:last])
	return last
}

// told says whom a place is blamed on.
func (h *fileHunk) told() string {
	var parts []string
	if said := sayers(h.Blame); said != "" {
		parts = append(parts, said)
	}
	if gone := sayers(h.Gone); gone != "" {
		parts = append(parts, "gone: "+gone)
	}
	if len(parts) == 0 {
		return "the byte-order mark"
	}
	return strings.Join(parts, "; ")
}

// sayers names who said runs, each once.
func sayers(runs []blamed) string {
	var out []string
	seen := make(map[string]bool)
	for _, r := range runs {
		one := r.label().String() + ", " + r.by()
		if !seen[one] {
			seen[one] = true
			out = append(out, one)
		}
	}
	return strings.Join(out, " and ")
}

// ofOriginAll colours a text by the least of those who said it.
func ofOriginAll(p *term.Printer, runs []blamed, text string) any {
	if len(runs) == 0 {
		return p.Dim(text)
	}
	label := runs[0].label()
	for _, r := range runs[1:] {
		label = label.Join(r.label())
	}
	return tell.ByOrigin(p, label, text)
}

// span writes a range of lines as unified diffs do.
func span(from, lines int) string {
	if lines > 0 {
		from++
	}
	return fmt.Sprintf("%d,%d", from, lines)
}
