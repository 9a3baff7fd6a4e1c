package sleep

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/recall"
)

// Bounds of what is summed up.
const (
	leastSummed = 3        // memories of one summary
	maxSummed   = 24       // memories of one summary
	maxSumInput = 64 << 10 // bytes of their texts
	maxSums     = 16       // summaries of a run
	maxSumming  = 5 * time.Minute
)

// sum groups what is about to fade: of one label, namespace, project and weight, and about
// the same subject or with the same two tags. The texts of the summaries are not there yet.
func (p *planner) sum() []change {
	type group struct {
		of    string // what is never mixed
		about string
	}
	groups := make(map[group][]*item)
	for i := range p.seen.items {
		it := &p.seen.items[i]
		if p.taken[it.ID] || it.kept() || it.Vetted || it.settled || it.size > maxSumInput ||
			it.Salience >= recall.KeepSalience || it.StrengthAt(&p.ceilings, p.at) >= fading {
			continue
		}
		of := strings.Join([]string{it.Label.String(), it.Project, packed(it.Namespace), strings.ToLower(it.subject), fmt.Sprint(it.Weight)}, "\x00")
		if it.subject != "" {
			groups[group{of, ""}] = append(groups[group{of, ""}], it)
			continue
		}
		tags := slices.Sorted(slices.Values(it.Tags[:min(len(it.Tags), recall.MaxTags)]))
		for i, a := range tags {
			for _, b := range tags[i+1:] {
				g := group{of, a + "\x00" + b}
				groups[g] = append(groups[g], it)
			}
		}
	}
	var order []group
	for g, list := range groups {
		if len(list) >= leastSummed {
			order = append(order, g)
		}
	}
	// The largest of what is trusted first; equal ones in the order of their names.
	slices.SortFunc(order, func(a, b group) int {
		return cmp.Or(trustedFirst(groups[a][0], groups[b][0]), cmp.Compare(len(groups[b]), len(groups[a])), cmp.Compare(a.of, b.of), cmp.Compare(a.about, b.about))
	})
	var out []change
	for _, g := range order {
		var some []*item
		size := 0
		for _, it := range groups[g] {
			if !p.taken[it.ID] && len(some) < maxSummed && size+it.size <= maxSumInput {
				some, size = append(some, it), size+it.size
			}
		}
		if len(some) < leastSummed {
			continue
		}
		if len(out) == maxSums {
			break
		}
		heir, err := p.heir(some)
		if err != nil {
			continue // one that is malformed is never summed up
		}
		ch := change{what: Sum, Consolidation: memory.Consolidation{Of: p.take(some), Heir: heir}}
		ch.Doc = memory.Doc{Kind: heir.Kind, Form: heir.Form, Tags: sharedTags(some), Subject: some[0].subject}
		out = append(out, ch)
	}
	return out
}

// packed makes one string of a namespace, and of no other.
func packed(n hearsay.Namespace) string {
	var b strings.Builder
	for _, s := range n {
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(s, `\`, `\\`), "/", `\/`))
		b.WriteByte('/')
	}
	return b.String()
}

// sharedTags returns the tags that all have.
func sharedTags(of []*item) []string {
	tags := slices.Clone(of[0].Tags)
	for _, it := range of[1:] {
		tags = slices.DeleteFunc(tags, func(t string) bool { return !slices.Contains(it.Tags, t) })
	}
	return tags
}

// summary is what came of one call of the command.
type summary struct {
	text string
	why  string // it failed
}

// summarize has the command write the texts of a plan's summaries, and leaves out those
// that it does not write. A command that was asked once is not asked again in the same run.
func (r *run) summarize(ctx context.Context, plan []change) ([]change, error) {
	limit, cancel := context.WithTimeout(ctx, maxSumming)
	defer cancel()
	kept := plan[:0]
	for _, ch := range plan {
		if ch.what != Sum {
			kept = append(kept, ch)
			continue
		}
		done, ok := r.sums[ch.key()]
		if !ok {
			var input bytes.Buffer
			for _, id := range ch.Of {
				m, err := r.store.Read(ctx, id)
				if errors.Is(err, guard.ErrNotFound) {
					return nil, &memory.ChangedError{IDs: []hearsay.RecordID{id}}
				}
				if err != nil {
					return nil, err
				}
				input.Write(m.Render())
				input.WriteByte('\n')
			}
			text, err := summarizer{r.Summarizer, r.Patience}.ask(limit, input.Bytes())
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			done = summary{text: text}
			if err != nil {
				done = summary{why: err.Error()}
			}
			r.sums[ch.key()] = done
		}
		if done.why == "" {
			ch.Doc.Text = done.text
			if err := ch.Doc.Check(); err != nil {
				done.why = err.Error()
			}
		}
		if done.why != "" {
			r.report.Failures = append(r.report.Failures, Failure{ch.Of, done.why})
			continue
		}
		kept = append(kept, ch)
	}
	return kept, nil
}
