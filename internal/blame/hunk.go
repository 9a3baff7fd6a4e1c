package blame

import (
	"context"
	"iter"
	"strings"

	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/internal/memfile/segment"
)

// Hunk is one place of a file that is not as it was recorded, without a word of it.
// Lines are counted from 1; where there are none, to is from - 1.
type Hunk struct {
	WasFrom int   `json:"was_from"`
	WasTo   int   `json:"was_to"`
	From    int   `json:"from"`
	To      int   `json:"to"`
	Blame   []Run `json:"blame"` // whose the lines are that stand there now
	Gone    []Run `json:"gone"`  // and those that stood there

	was, now segment.Range
}

// Hunks finds what changed and who is to blame.
func Hunks(ctx context.Context, in *instance.Instance, was *memfile.Version, s *memfile.State) (out []*Hunk, err error) {
	for _, h := range places(was.Data, s.Data) {
		if h.Blame, err = Of(ctx, in, within(s.File, h.now)); err != nil {
			return nil, err
		}
		if h.Gone, err = Of(ctx, in, within(was.File, h.was)); err != nil {
			return nil, err
		}
		h.WasFrom, h.WasTo, h.From, h.To = h.was.From+1, h.was.To, h.now.From+1, h.now.To
		out = append(out, h)
	}
	return out, nil
}

// places are the lines that were taken out of a file and put in, in order.
func places(before, after []byte) (out []*Hunk) {
	_, hunks := segment.Inverse(before, after, func(segment.Change) bool { return false })
	lines := TextLines(before)
	at, shift := 0, 0 // where in the file before the next place can be, and by how much it lies before that in the file after
	for _, h := range hunks {
		put := TextLines(h.Put)
		p := &Hunk{now: h.At}
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
