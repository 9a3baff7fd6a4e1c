// Package audit shows the detectors of package detect what a home holds, holds what they
// find where a person asks for that, and writes it in the form that code scanning reads.
//
// The baseline is the log: what was sealed, and which sessions took it in. Nothing else is
// remembered from run to run, so recalling moves no baseline, and who can write files alone
// cannot move one either.
package audit

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/detect"
	"github.com/hearsay-memory/hearsay/internal/memory"
)

// Scope is whose memory is looked at, and what its surroundings were found to be.
type Scope struct {
	Principal string
	Memory    *memory.Store // whose folder is compared with the log; nil: none is
	Guarded   []string      // memory files of agents that changed and nobody was seen writing
	Orphans   []string      // topic files without a line in their index, and the reverse
	Hooks     []detect.Hook
}

// Report is what one look found. It has no word of any memory.
type Report struct {
	At       int64            // UTC ms
	Memories int              // records that were looked at
	Found    []detect.Finding // most authority first
	Take     []detect.Quarantine
	Left     map[detect.Reason]int // memories that findings are about and that would not be held
	whose    string
}

// Look looks at everything and changes nothing but the pictures of the memory, which are
// brought in line with the log before they are compared with it. It is safe for concurrent
// use. The time it takes is near-linear in what there is.
func Look(ctx context.Context, g *guard.Guard, s Scope) (*Report, error) {
	r := reader{guard: g}
	if s.Memory != nil {
		if err := s.Memory.Settle(ctx); err != nil {
			return nil, fmt.Errorf("audit: %w", err)
		}
		folder, err := s.Memory.Vault().Comparison()
		if err != nil {
			return nil, fmt.Errorf("audit: %w", err)
		}
		defer folder.Close()
		r.folder = folder
	}
	if err := r.read(ctx, s.Principal); err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	at := time.Now().UnixMilli()
	found := detect.Find(detect.Input{
		Now: at, Memories: r.all, Vault: r.files(), Guarded: s.Guarded, Orphans: s.Orphans, Hooks: s.Hooks, Seed: seed(g),
	})
	take, left := detect.Plan(found, r.all)
	return &Report{At: at, Memories: len(r.all), Found: found, Take: take, Left: left, whose: s.Principal}, nil
}

// seed is the same for every run over a home, and nobody knows it who does not have its key.
func seed(g *guard.Guard) uint64 {
	key := g.ItemKey("hearsay/audit", guard.Item{Kind: "seed"})
	return binary.BigEndian.Uint64(key[:])
}

// Apply holds the memories of r.Take again and seals the run, in one transaction. What a
// person decided about one of them meanwhile stands.
func (r *Report) Apply(ctx context.Context, g *guard.Guard, c hearsay.Caller) (*event.Audit, error) {
	if c.Principal != r.whose {
		return nil, fmt.Errorf("audit: this is another principal's memory: %w", guard.ErrNotFound)
	}
	a := event.Audit{Found: r.byRule()}
	for _, n := range r.Left {
		a.Left += n
	}
	suspects := make([]guard.Suspicion, len(r.Take))
	for i, q := range r.Take {
		suspects[i] = guard.Suspicion{Record: q.Record, Rule: string(q.Rule)}
	}
	return g.SealAudit(ctx, c, a, suspects)
}

// Suspects returns the memories that findings which are no advice are about: the evidence,
// which nothing should change until a person has looked.
func (r *Report) Suspects() (ids []hearsay.RecordID) {
	seen := make(map[hearsay.RecordID]bool)
	for _, f := range r.Found {
		if f.Advisory {
			continue
		}
		for _, id := range f.Records {
			if !seen[id] {
				seen[id], ids = true, append(ids, id)
			}
		}
	}
	return ids
}

// byRule counts what each rule found.
func (r *Report) byRule() (out []event.Found) {
	for _, d := range detect.Rules() {
		f := event.Found{Rule: string(d.Rule)}
		worst := detect.Note
		for _, found := range r.Found {
			if found.Rule == d.Rule {
				f.Findings++
				f.Count += found.Count
				if found.Level.Rank() > worst.Rank() {
					worst = found.Level
				}
			}
		}
		if f.Findings > 0 {
			f.Level = string(worst)
			out = append(out, f)
		}
	}
	return out
}

// Since leaves the findings in which something happened at or after a time, UTC ms, and
// those that have no time. What would be held is not changed by that.
func (r *Report) Since(t int64) { r.Found = slices.Clip(detect.Since(r.Found, t)) }
