// Package sleep is what a memory does while nobody asks it: it lets go of what has faded,
// merges what is said twice, and has a command of the user sum up what is about to fade.
//
// A run looks at the memories, makes a plan of them, and seals the plan in one transaction:
// a run that dies before has done nothing, one that dies after has done all of it. Whatever
// takes the place of memories has the join of their labels and all of them as parents, see
// [guard.Guard.Consolidate], and no change mixes labels to begin with. Revoking the source
// of a run undoes it. What a person took back, or keeps waiting, is not tried again.
package sleep

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/memory"
)

// Audit looks for what an attack leaves behind, and returns the memories that a run should
// leave as they are: they are evidence.
type Audit func(context.Context) ([]hearsay.RecordID, error)

// Options say how a run goes. The zero value prunes and merges.
type Options struct {
	Audit      Audit         // runs first; nil: none. Where it fails there is no run
	Summarizer []string      // a command and its arguments; nil: nothing is summed up
	Patience   time.Duration // for one call of it; 0: a minute
	At         time.Time     // the time that strengths are taken at; zero: now
	DryRun     bool          // plan, and change nothing
	Step       func(Step)    // told what begins; nil: nobody
}

// Step is a part of a run.
type Step string

// The steps, in their order.
const (
	Auditing    Step = "audit"
	Looking     Step = "look"
	Planning    Step = "plan"
	Summarizing Step = "sum up"
	Sealing     Step = "seal"
	Loosening   Step = "loosen"
)

// Change is what a run did, or would do, with some memories.
type Change struct {
	What     What               `json:"what"`
	Of       []hearsay.RecordID `json:"of"`
	Label    hearsay.Label      `json:"label"`             // of each of them
	ID       hearsay.RecordID   `json:"id,omitzero"`       // of the record of it; zero in a dry run
	Standing hearsay.Standing   `json:"standing,omitzero"` // of that record: a summary can be held
}

// What a change does.
type What string

// The changes.
const (
	Prune What = "prune"
	Merge What = "merge"
	Sum   What = "sum up"
)

// Failure is a summary that was not made.
type Failure struct {
	Of  []hearsay.RecordID `json:"of"`
	Why string             `json:"why"`
}

// Report is what a run came to.
type Report struct {
	Source   string    `json:"source"` // what to revoke to undo it; empty: it changed nothing
	DryRun   bool      `json:"dry_run,omitempty"`
	Looked   int       `json:"looked"`             // memories
	Suspects int       `json:"suspects,omitempty"` // left alone because of the audit
	Changes  []Change  `json:"changes,omitempty"`
	Failures []Failure `json:"failures,omitempty"`
	Later    int       `json:"later,omitempty"` // changes that did not fit into this run
	Ties     int       `json:"ties"`            // between memories that were recalled together
	Loosened int       `json:"loosened"`        // ties that became too weak to count
}

// tries bounds how often a run is planned anew because memories changed under it.
const tries = 5

// Run lets a memory sleep once.
func Run(ctx context.Context, s *memory.Store, c hearsay.Caller, o Options) (Report, error) {
	if o.At.IsZero() {
		o.At = time.Now()
	}
	if o.Step == nil {
		o.Step = func(Step) {}
	}
	r := run{Options: o, store: s, report: Report{DryRun: o.DryRun}, sums: make(map[string]summary)}
	if err := r.all(ctx, c); err != nil {
		return r.report, fmt.Errorf("sleep: %w", err)
	}
	return r.report, nil
}

// run is one run under way.
type run struct {
	Options
	store  *memory.Store
	report Report
	sums   map[string]summary // by what they are of
}

func (r *run) all(ctx context.Context, c hearsay.Caller) error {
	var suspects []hearsay.RecordID
	if r.Audit != nil {
		r.Step(Auditing)
		var err error
		if suspects, err = r.Audit(ctx); err != nil {
			return fmt.Errorf("the audit did not end, so nothing is changed: %w", err)
		}
	}
	r.report.Suspects = len(suspects)
	for try := 1; ; try++ {
		err := r.once(ctx, c, suspects)
		if changed, ok := errors.AsType[*memory.ChangedError](err); ok && try < tries {
			// Somebody wrote meanwhile. Theirs stays; the rest is planned anew.
			suspects = append(suspects, changed.IDs...)
			continue
		}
		if err != nil {
			return err
		}
		break
	}
	if r.DryRun {
		return nil
	}
	r.Step(Loosening)
	var err error
	r.report.Ties, r.report.Loosened, err = r.store.Loosen(ctx, r.At)
	return err
}

// once looks, plans and seals.
func (r *run) once(ctx context.Context, c hearsay.Caller, suspects []hearsay.RecordID) error {
	r.report.Changes, r.report.Failures = nil, nil
	r.Step(Looking)
	since, err := r.store.Mark(ctx)
	if err != nil {
		return err
	}
	seen, err := r.look(ctx, suspects)
	if err != nil {
		return err
	}
	r.report.Looked = seen.looked
	r.Step(Planning)
	p := planner{ctx: ctx, store: r.store, ceilings: r.store.Ceilings(), at: r.At, seen: seen}
	plan, err := p.plan(len(r.Summarizer) > 0)
	if err != nil {
		return err
	}
	if !r.DryRun && len(r.Summarizer) > 0 {
		r.Step(Summarizing)
		if plan, err = r.summarize(ctx, plan); err != nil {
			return err
		}
	}
	plan = r.fit(plan)
	for _, ch := range plan {
		r.report.Changes = append(r.report.Changes, Change{What: ch.what, Of: ch.Of, Label: ch.Heir.Label})
	}
	if r.DryRun || len(plan) == 0 {
		return nil
	}
	r.Step(Sealing)
	ref, list := newRef(r.At), make([]memory.Consolidation, len(plan))
	for i := range plan {
		list[i] = plan[i].Consolidation
	}
	c.Session = strings.ReplaceAll(ref, ":", "-")
	decisions, err := r.store.Consolidate(ctx, c, ref, since, list)
	if err != nil {
		return err
	}
	r.report.Source = ref
	for i, d := range decisions {
		r.report.Changes[i].ID, r.report.Changes[i].Standing = d.ID, d.Standing
	}
	return nil
}

// fit leaves out what is too much for one transaction.
func (r *run) fit(plan []change) []change {
	r.report.Later = max(0, len(plan)-guard.MaxConsolidations)
	return plan[:len(plan)-r.report.Later]
}

// newRef names a run: by its day, and so that no two have one name.
func newRef(at time.Time) string {
	return "sleep:" + at.UTC().Format(time.DateOnly) + "-" + strings.ToLower(rand.Text()[:10])
}

// change is one change of a plan.
type change struct {
	memory.Consolidation
	what What
}

// key names what a change is made of.
func (c *change) key() string {
	var b strings.Builder
	for _, id := range slices.SortedFunc(slices.Values(c.Of), compareIDs) {
		b.Write(id[:])
	}
	return b.String()
}
