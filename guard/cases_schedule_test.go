package guard_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
)

// line is one session of a schedule, with what its test knows of it.
type line struct {
	hearsay.Caller
	tainted atomic.Bool // an observation that taints it has returned
}

// TestNoInterleavingEscapes lets several goroutines of two processes observe, write,
// recall, resume and start sessions as they come. Whatever the order, a write that
// begins after an observation of its session has returned is held, and in the order of
// the log no write stands above what its session had taken in.
func TestNoInterleavingEscapes(t *testing.T) {
	schedules := 12
	if testing.Short() {
		schedules = 3
	}
	for seed := range schedules {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			worlds := []*world{s.open(), s.open()}
			lines := make([]*line, 4)
			for i := range lines {
				lines[i] = &line{Caller: worlds[0].session([]string{"ana", "ana", "ana", "ben"}[i], fmt.Sprintf("session-%d", i))}
			}
			var wg sync.WaitGroup
			for g := range 6 {
				wg.Go(func() {
					r := rand.New(rand.NewPCG(uint64(seed), uint64(g)))
					for n := range 14 {
						step(t, worlds[r.IntN(2)], r, lines, fmt.Sprintf("%d-%d-%d", seed, g, n))
					}
				})
			}
			wg.Wait()
			for _, l := range lines {
				if got := worlds[1].label(l.Caller); l.tainted.Load() && !got.Tainted() {
					t.Errorf("%s ends as %s", l.Session, got)
				}
			}
			sinking(t, worlds[0])
			worlds[1].consistent()
		})
	}
}

// step does one random thing.
func step(t *testing.T, w *world, r *rand.Rand, lines []*line, name string) {
	l := lines[r.IntN(len(lines))]
	switch r.IntN(8) {
	case 0:
		o := guard.Observation{Source: hearsay.Source{Type: []string{"web", "document", "mcp:mail"}[r.IntN(3)], Ref: fmt.Sprint("ref-", r.IntN(3))}}
		if r.IntN(2) == 0 {
			o.Texts = []string{"page " + name}
		}
		label, err := w.Observe(t.Context(), l.Caller, o)
		if err != nil {
			t.Errorf("observe: %v", err)
			return
		}
		if !label.Tainted() {
			t.Errorf("after a page %s is %s", l.Session, label)
		}
		l.tainted.Store(true)
	case 1: // what taints nothing, and what is no taint
		for _, kind := range []string{"workspace_file", "dependency"} {
			if _, err := w.Observe(t.Context(), l.Caller, guard.Observation{Source: hearsay.Source{Type: kind, Ref: name}, Texts: []string{"text " + name}}); err != nil {
				t.Errorf("observe: %v", err)
			}
		}
	case 2:
		if _, err := w.Open(t.Context(), l.Caller, guard.Start{Resumed: r.IntN(2) == 0}); err != nil {
			t.Errorf("open: %v", err)
		}
	case 3:
		before := l.tainted.Load()
		c := hearsay.Caller{Principal: l.Principal, Session: "child-" + name, Surface: l.Surface}
		label, err := w.Open(t.Context(), c, guard.Start{Inherit: []guard.SessionKey{{Principal: l.Principal, ID: l.Session}}})
		if err != nil || before && !label.Tainted() {
			t.Errorf("a child of a tainted session starts as %s, %v", label, err)
		}
	case 4:
		if err := w.Said(t.Context(), l.Caller, "I said "+name); err != nil {
			t.Errorf("said: %v", err)
		}
	default:
		before := l.tainted.Load()
		d, err := w.Write(t.Context(), l.Caller, lesson("lesson "+name))
		if err != nil {
			t.Errorf("write: %v", err)
			return
		}
		if before && d.Standing != hearsay.Held {
			t.Errorf("%s was %s after its session had taken in a page: %+v", name, d.Standing, d.Verdict)
		}
		if d.Standing == hearsay.Allowed {
			o := guard.Outcome{Delivery: hearsay.Applied, Landed: []guard.Item{observation("lesson " + name)}}
			if err := w.Applied(t.Context(), l.Caller, d.ID, o); err != nil {
				t.Errorf("applied: %v", err)
			}
		}
	}
}

// sinking reads the log in its order: the label of a session never rises, and nothing
// that it writes stands above it.
func sinking(t *testing.T, w *world) {
	t.Helper()
	at := make(map[guard.SessionKey]hearsay.Label)
	for entry, err := range w.store.Log(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		e, err := event.Decode(entry.Body)
		if err != nil {
			t.Fatal(err)
		}
		if s := e.Session; s != nil {
			key := guard.SessionKey{Principal: s.Principal, ID: s.ID}
			if before, ok := at[key]; ok && !s.Label.Below(before) {
				t.Errorf("entry %d: session %s rose from %s to %s", e.Seq, s.ID, before, s.Label)
			}
			at[key] = s.Label
		}
		if r := e.Record; r != nil && (e.Kind == event.WriteAllowed || e.Kind == event.Hold) {
			if s, ok := at[guard.SessionKey{Principal: r.Principal, ID: r.Session}]; ok && !r.Label.Below(s) && !r.Attributed {
				t.Errorf("entry %d: %s is %s in a session that is %s", e.Seq, r.ID, r.Label, s)
			}
		}
	}
}

// randomLabel is any label at all.
func randomLabel(r *rand.Rand) hearsay.Label {
	tags := []string{"web", "document", "unknown", "mcp:mail", "github_issue", "email_message"}
	r.Shuffle(len(tags), func(i, j int) { tags[i], tags[j] = tags[j], tags[i] })
	l := hearsay.Label{Origin: hearsay.Origin(r.IntN(int(hearsay.User) + 1)), Taint: hearsay.Untainted}
	if n := r.IntN(4); n > 0 {
		l.Taint = hearsay.NewTaint(tags[:n]...)
	}
	return l
}

// TestMergeOfSessionLabels: in whatever order, grouping and number labels are merged into
// a session, in one transaction or many, by one process or two, the label is their
// join, and no merge raises it.
func TestMergeOfSessionLabels(t *testing.T) {
	s := newStage(t)
	worlds := []*world{s.open(), s.open()}
	r := rand.New(rand.NewPCG(1, 2))
	merge := func(w *world, key guard.SessionKey, labels ...hearsay.Label) (got hearsay.Label) {
		t.Helper()
		_, err := w.store.Update(t.Context(), func(tx guard.Tx) ([]event.Draft, error) {
			for _, l := range labels {
				before, err := tx.Session(t.Context(), key, tx.Now())
				if err != nil && !errors.Is(err, guard.ErrNotFound) {
					return nil, err
				}
				after, err2 := tx.MergeSession(guard.Session{Key: key, Label: l, Started: tx.Now(), Used: tx.Now(), Expires: tx.Now() + 1e6})
				if err2 != nil {
					return nil, err2
				}
				if err == nil && !after.Label.Below(before.Label) || !after.Label.Below(l) {
					t.Errorf("merging %s into %s gave %s", l, before.Label, after.Label)
				}
				got = after.Label
			}
			return nil, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	for n := range 25 {
		labels := make([]hearsay.Label, 1+r.IntN(6))
		want := hearsay.LabelIdentity
		for i := range labels {
			labels[i] = randomLabel(r)
			want = want.Join(labels[i])
		}
		for way := range 4 {
			key := guard.SessionKey{Principal: "ana", ID: fmt.Sprintf("merge-%d-%d", n, way)}
			r.Shuffle(len(labels), func(i, j int) { labels[i], labels[j] = labels[j], labels[i] })
			var got hearsay.Label
			switch way {
			case 0:
				got = merge(worlds[0], key, labels...)
			case 1: // each twice
				got = merge(worlds[0], key, append(labels, labels...)...)
			case 2: // one by one, by both
				for i, l := range labels {
					got = merge(worlds[i%2], key, l)
				}
			case 3: // at once
				var wg sync.WaitGroup
				for i, l := range labels {
					wg.Go(func() { merge(worlds[i%2], key, l) })
				}
				wg.Wait()
				got = merge(worlds[1], key, hearsay.LabelIdentity)
			}
			if got != want {
				t.Errorf("%v in way %d gave %s, want %s", labels, way, got, want)
			}
			if other := worlds[1].label(hearsay.Caller{Principal: "ana", Session: key.ID}); other != want {
				t.Errorf("the other process sees %s, want %s", other, want)
			}
		}
	}
}

// TestManyProcessesOnOneSession: 64 calls at once in four processes, on one session of
// which one reads a page. What begins after that read is held; the same write, asked 64
// times, is one record.
func TestManyProcessesOnOneSession(t *testing.T) {
	s := newStage(t)
	worlds := []*world{s.open(), s.open(), s.open(), s.open()}
	c := worlds[0].session("ana", "session-1")
	var read atomic.Bool
	var early, late atomic.Int64
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			w := worlds[i%len(worlds)]
			if i == 20 {
				if _, err := w.Observe(t.Context(), c, guard.Observation{Source: hearsay.Source{Type: "web", Ref: "https://a.example.test"}}); err != nil {
					t.Errorf("observe: %v", err)
				}
				read.Store(true)
				return
			}
			before := read.Load()
			d, err := w.Write(t.Context(), c, lesson(fmt.Sprint("lesson ", i)))
			switch {
			case err != nil:
				t.Errorf("write: %v", err)
			case before && d.Standing != hearsay.Held:
				t.Errorf("write %d was %s after the read", i, d.Standing)
			case d.Standing == hearsay.Held:
				late.Add(1)
			default:
				early.Add(1)
			}
		})
	}
	wg.Wait()
	if early.Load()+late.Load() != 63 {
		t.Errorf("%d and %d of 63 writes were decided", early.Load(), late.Load())
	}
	ids := make([]hearsay.RecordID, 64)
	for i := range ids {
		wg.Go(func() {
			d, err := worlds[i%len(worlds)].Write(t.Context(), c, lesson("the same"))
			if err != nil || d.Standing != hearsay.Held {
				t.Errorf("%s, %v", d.Standing, err)
			}
			ids[i] = d.ID
		})
	}
	wg.Wait()
	for _, id := range ids {
		if id != ids[0] {
			t.Fatal("the same write is several records")
		}
	}
	sinking(t, worlds[0])
	worlds[3].consistent()
}
