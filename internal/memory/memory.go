package memory

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
)

// Memory is one memory with what is known of it. Its text must reach an agent only
// through [Store.Recall] or [Store.Get], which mark it.
type Memory struct {
	Doc
	ID        hearsay.RecordID
	Label     hearsay.Label
	Standing  hearsay.Standing
	Source    hearsay.Source // who said it
	Namespace hearsay.Namespace
	Agent     string
	Session   string
	Project   string // canonical real path; empty: none
	Created   int64  // UTC ms
	Claims    hearsay.Claims
	Weight    float64 // of the rule that let it in
	Parents   []hearsay.RecordID
	Replaces  []hearsay.RecordID
	Op        event.Op
	Pending   bool // low in trust, and no person has approved it; see the policy's recall.quarantine
}

// item names a memory for the guard: the same text is the same thing, whoever says it.
func (d *Doc) item() guard.Item { return guard.Item{Kind: "memory", Parts: []string{d.Title, d.Text}} }

// read loads one memory of the principal for the engine itself, checked against its
// commitment.
func (s *Store) read(ctx context.Context, id hearsay.RecordID) (*Memory, error) {
	shown, err := s.guard.Show(ctx, id)
	if err != nil {
		return nil, err
	}
	if shown.Record.Store != guard.OwnStore || shown.Record.Principal != s.principal {
		return nil, fmt.Errorf("record %s is no memory of %q: %w", id, s.principal, guard.ErrNotFound)
	}
	return memoryOf(shown)
}

// readBatch is how many memories [Store.readAll] has at hand at most.
const readBatch = 64

// readAll reads memories as [Store.read] does, in the order of ids, several at once: a
// home's store takes readers side by side. An error is of the one memory, and the next
// follows.
func (s *Store) readAll(ctx context.Context, ids []hearsay.RecordID) iter.Seq2[*Memory, error] {
	return func(yield func(*Memory, error) bool) {
		var list [readBatch]struct {
			m   *Memory
			err error
		}
		for some := range slices.Chunk(ids, readBatch) {
			var next atomic.Int64
			var group sync.WaitGroup
			for range min(runtime.GOMAXPROCS(0), len(some)) {
				group.Go(func() {
					for i := next.Add(1) - 1; i < int64(len(some)); i = next.Add(1) - 1 {
						list[i].m, list[i].err = s.read(ctx, some[i])
					}
				})
			}
			group.Wait()
			for i := range some {
				if !yield(list[i].m, list[i].err) {
					return
				}
			}
		}
	}
}

// memoryOf puts a record and its words together. Erased ones have none.
func memoryOf(shown *guard.Shown) (*Memory, error) {
	r := shown.Record
	m := &Memory{
		ID: r.ID, Label: r.Label, Standing: r.Standing, Source: hearsay.Source{Type: r.Source, Ref: shown.Side.Ref, Actor: shown.Side.Actor},
		Namespace: r.Namespace, Agent: r.Agent, Session: r.Session, Project: shown.Side.Project, Created: r.Created,
		Claims: r.Claims, Weight: r.Weight, Parents: r.Parents, Replaces: r.Replaces, Op: r.Op,
	}
	if shown.Erased || r.Op == event.Delete {
		return m, nil
	}
	var err error
	m.Doc, err = DecodeDoc(shown.Side.Content)
	if err != nil {
		return nil, fmt.Errorf("record %s: %w: %w", r.ID, guard.ErrTampered, err)
	}
	return m, nil
}

// served reports whether an agent may be shown the memory as far as its standing goes.
func (m *Memory) served() bool { return m.Standing.Visible() && m.Op != event.Delete }
