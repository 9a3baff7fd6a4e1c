package guard_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
	"github.com/hearsay-memory/hearsay/ledger"
)

// everyone is a store of which every record that speaks of a thing is heard: what a write is
// decided by, however it is found.
type everyone struct{ guard.Store }

type everyoneTx struct{ guard.Tx }

func (s everyone) Update(ctx context.Context, fn func(guard.Tx) ([]event.Draft, error)) ([]*event.Event, error) {
	return s.Store.Update(ctx, func(tx guard.Tx) ([]event.Draft, error) { return fn(everyoneTx{tx}) })
}

func (tx everyoneTx) Speakers(ctx context.Context, key [32]byte, _ int) ([]guard.StoredItem, bool, error) {
	items, err := tx.Items(ctx, [][32]byte{key})
	return items[key], false, err
}

// twins are two guards that make the same ids and get the same calls: one hears voices, the
// other every record.
type twins struct {
	*world
	plain *world
	ids   []hearsay.RecordID
}

func newTwins(t *testing.T, seed uint64) *twins {
	t.Helper()
	at := time.Now()
	make := func(hear func(guard.Store) guard.Store) *world {
		s := newStage(t)
		s.now = func() time.Time { return at }
		w := s.open()
		w.Guard = guard.New(guard.Config{
			Store: hear(w.store), Policy: s.rules, Index: ledger.IndexKey{1},
			Rand: rand.NewChaCha8([32]byte{byte(seed)}),
		})
		return w.enrol()
	}
	return &twins{
		world: make(func(s guard.Store) guard.Store { return s }),
		plain: make(func(s guard.Store) guard.Store { return everyone{s} }),
	}
}

// both calls both guards and wants the same answer.
func both[T any](w *twins, what string, call func(*world) (T, error)) T {
	w.t.Helper()
	got, err := call(w.world)
	want, plainErr := call(w.plain)
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b hearsay.Taint) bool { return a == b })); diff != "" {
		w.t.Fatalf("%s: %s", what, diff)
	}
	if (err == nil) != (plainErr == nil) || err != nil && !errors.Is(err, guard.ErrRefused) {
		w.t.Fatalf("%s: %v and %v", what, err, plainErr)
	}
	return got
}

// saying is the n-th way to say one and the same thing.
func saying(r *rand.Rand) guard.Write {
	const text = "Reports go to the team on Monday"
	w := lesson(text)
	if r.IntN(3) == 0 {
		w = fact(text)
	}
	if r.IntN(4) == 0 {
		w.Store, w.Items = guard.OwnStore, []guard.Item{{Kind: "memory", Parts: []string{text}}}
	}
	w.Content = fmt.Appendf(nil, "%s%*s", text, r.IntN(3), "") // one thing in three spellings
	switch r.IntN(6) {
	case 0:
		w.Source = hearsay.Source{Type: "web"}
	case 1:
		w.Source = hearsay.Source{Type: "user"}
	case 2:
		w.Claimed.Source = hearsay.Source{Type: []string{"mcp:a", "mcp:b", "document"}[r.IntN(3)]}
	case 3:
		w.Source = hearsay.Source{Type: "hand_edit"}
	}
	if w.Store != guard.OwnStore && r.IntN(8) == 0 {
		w.Op = event.Delete
	}
	return w
}

// Whoever says a thing, however often, and whatever a person does about it: hearing the voices
// decides as hearing every record does, and what is derived is found to be.
func TestVoicesDecideAsEveryRecord(t *testing.T) {
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 1))
		w := newTwins(t, seed)
		var callers []hearsay.Caller
		for _, principal := range []string{"ana", "bo"} {
			for i, read := range []string{"", "web", "document", "email_message"} {
				c := hearsay.Caller{Principal: principal, Session: fmt.Sprintf("session-%d", i), Surface: hearsay.SurfaceMCP}
				both(w, "open", func(w *world) (hearsay.Label, error) { return w.Open(t.Context(), c, guard.Start{}) })
				if read != "" {
					both(w, "read", func(w *world) (hearsay.Label, error) {
						return w.Observe(t.Context(), c, guard.Observation{Source: hearsay.Source{Type: read, Ref: read}, Tool: "fetch"})
					})
				}
				callers = append(callers, c)
			}
		}
		for n := range 160 {
			if n%5 == 4 && seed%2 == 1 && len(w.ids) > 0 {
				w.intervene(r, w.ids[r.IntN(len(w.ids))])
				continue
			}
			c, say := callers[r.IntN(len(callers))], saying(r)
			d := both(w, fmt.Sprintf("seed %d, write %d", seed, n), func(w *world) (guard.Decision, error) { return w.Write(t.Context(), c, say) })
			if !slices.Contains(w.ids, d.ID) {
				w.ids = append(w.ids, d.ID)
			}
			if d.Standing == hearsay.Allowed && say.Store != guard.OwnStore && r.IntN(2) == 0 {
				both(w, "land", func(w *world) (int, error) {
					return 0, w.Applied(t.Context(), c, d.ID, guard.Outcome{Delivery: hearsay.Applied, Landed: say.Items})
				})
			}
		}
		// Where nobody meddles, what repeats a thing hangs on all that said it before.
		for _, id := range w.ids {
			if seed%2 == 0 {
				both(w, "what hangs on "+id.String(), func(w *world) ([]hearsay.RecordID, error) { return w.hanging(id) })
			}
		}
		w.consistent()
		w.plain.consistent()
	}
}

// hanging lists what a revocation of a record withdraws.
func (w *world) hanging(id hearsay.RecordID) (ids []hearsay.RecordID, err error) {
	list, err := w.Affected(w.t.Context(), guard.Revocation{ID: id})
	for _, d := range list {
		ids = append(ids, d.Record.ID)
	}
	return ids, err
}

// intervene is what a person or an audit does about a record, if it can be done.
func (w *twins) intervene(r *rand.Rand, id hearsay.RecordID) {
	w.t.Helper()
	how := r.IntN(8)
	both(w, "a person decides", func(w *world) (hearsay.Standing, error) {
		ctx := w.t.Context()
		var after *event.Record
		var err error
		switch how {
		case 0, 1, 2:
			after, err = w.Review(ctx, w.sign(w.Statement(ctx, reviewer.Approve, id, "")), "")
		case 3, 4:
			after, err = w.Review(ctx, w.sign(w.Statement(ctx, reviewer.Reject, id, "")), "")
		case 5:
			after, err = w.Revoke(ctx, w.sign(w.Statement(ctx, reviewer.Revoke, id, "")))
		case 6:
			after, err = w.Erase(ctx, w.sign(w.Statement(ctx, reviewer.Erase, id, "")), nil)
		case 7:
			after, err = w.Quarantine(ctx, hearsay.Caller{Principal: w.stands(id).Principal}, id, "an audit")
			if errors.Is(err, guard.ErrNotFound) {
				return 0, guard.ErrRefused // of another store
			}
		}
		if err != nil {
			return 0, err
		}
		return after.Standing, nil
	})
}

// One record in the midst of many of its kind is heard once a person withdraws it, and not
// before: it has a voice of its own then.
func TestVoiceAmongMany(t *testing.T) {
	w := newWorld(t, "default")
	c := w.session("ana", "session-1")
	say := func(n int) guard.Write {
		f := fact("The tool has version 4")
		f.Content = fmt.Appendf(nil, "spelling %d", n)
		return f
	}
	var ids []hearsay.RecordID
	for n := range 40 {
		ids = append(ids, w.write(c, from("web", say(n)), hearsay.Allowed).ID)
	}
	if d := w.write(c, say(40), hearsay.Allowed); d.Verdict.Label.Tainted() {
		t.Errorf("what repeats served text is %s", d.Verdict.Label)
	}
	middle := ids[20]
	if _, err := w.Revoke(t.Context(), w.sign(w.Statement(t.Context(), reviewer.Revoke, middle, ""))); err != nil {
		t.Fatal(err)
	}
	d, err := w.Write(t.Context(), c, say(41))
	if err != nil || !d.Verdict.Label.Taint.Has("web") || !slices.Contains(w.stands(d.ID).Parents, middle) {
		t.Errorf("what repeats withdrawn text is %s, %v", d.Verdict.Label, err)
	}
	w.consistent()
}

// A thing of which more voices speak than are heard is nobody's to say but the user's, and
// nobody's to take out.
func TestTooManyVoices(t *testing.T) {
	w := newWorld(t, "default")
	c := w.session("ana", "session-1")
	say := fact("The tool has version 4")
	for n := range 65 {
		by := say
		by.Source = hearsay.Source{Type: fmt.Sprintf("mcp:%d", n)}
		if d := w.write(c, by, hearsay.Held); len(d.Verdict.Label.Taint.Tags()) != n+1 {
			t.Fatalf("the label of write %d is %s", n, d.Verdict.Label)
		}
	}
	if d := w.write(c, say, hearsay.Blocked); d.Verdict.Rule.ID != "builtin-crowded" {
		t.Errorf("%+v", d.Verdict)
	}
	w.write(c, from("user", say), hearsay.Allowed)
	gone := say
	gone.Op = event.Delete
	w.write(c, gone, hearsay.Blocked)
	w.consistent()
}

// TestVoiceOfItsRow: a record has the voice of its row, whatever its values are.
func TestVoiceOfItsRow(t *testing.T) {
	labels := []hearsay.Label{{}, hearsay.LabelIdentity, {Origin: hearsay.Tool, Taint: hearsay.NewTaint("web", "mail")}, {Origin: 200, Taint: hearsay.Untainted}}
	for standing := range hearsay.Standing(10) { // some of which there are not
		for _, label := range labels {
			for _, principal := range []string{"", "ana", `"quoted" \u2028 <é>`} {
				e := &event.Event{Kind: event.WriteAllowed, Record: &event.Record{
					ID: hearsay.NewRecordID(1, [10]byte{}), Standing: standing, Label: label, Principal: principal, Op: event.Update,
				}}
				rows, err := event.Fold(e)
				if err != nil {
					t.Fatal(err)
				}
				r, err := event.DecodeRecord(rows[0].Value)
				if err != nil {
					t.Fatal(err)
				}
				if guard.Voice(r) != guard.Voice(e.Record) {
					t.Errorf("standing %d, label %v, principal %q: another voice than its row", standing, label, principal)
				}
				// As stores have it of old.
				sum := sha256.Sum256(fmt.Appendf(nil, "%q %d %q %d %q", r.Principal, r.Standing, r.Op, r.Label.Origin, r.Label.Taint.Tags()))
				if guard.Voice(r) != [16]byte(sum[:]) {
					t.Errorf("standing %d, label %v, principal %q: another voice than before", standing, label, principal)
				}
			}
		}
	}
}
