package memory_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/guardtest"
	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
	"github.com/hearsay-memory/hearsay/recall"
)

// copied opens a copy of a home, which has to be closed meanwhile.
func (w *world) copied() *world {
	w.t.Helper()
	c := *w
	c.dir = w.t.TempDir()
	if err := os.CopyFS(c.dir, os.DirFS(w.dir)); err != nil {
		w.t.Fatal(err)
	}
	c.open()
	w.t.Cleanup(c.close)
	return &c
}

var (
	someTags  = []string{"harbour", "deploy", "ana", "night", "oslo", "key"}
	someWords = strings.Fields("harbour deploy ana night oslo key backup parser port noon tuesday vault bread mail report blue gate")
)

func randomText(r *rand.Rand) string {
	list := make([]string, 3+r.IntN(12))
	for i := range list {
		list[i] = someWords[r.IntN(len(someWords))]
	}
	return strings.Join(list, " ")
}

func randomTags(r *rand.Rand) (tags []string) {
	for _, t := range someTags {
		if r.IntN(3) == 0 {
			tags = append(tags, t)
		}
	}
	return tags
}

// plant adds untrusted memories, with anything in what is theirs to fill.
func (w *world) plant(r *rand.Rand, n int, ids []hearsay.RecordID) {
	w.t.Helper()
	c := w.session("ana", "session-stranger")
	for i := range n {
		m := webs(randomText(r))
		if r.IntN(3) == 0 {
			m.Source, m.Namespace = hearsay.Source{Type: "hand_edit"}, nil
		}
		m.Kind, m.Tags = recall.Kind(r.IntN(9)), randomTags(r)
		m.Claims = hearsay.Claims{Salience: 1, Confidence: 1, Pin: true, Stable: true}
		for range r.IntN(4) {
			if id := ids[r.IntN(len(ids))]; !slices.Contains(m.Links, id) {
				m.Links = append(m.Links, id)
			}
		}
		switch r.IntN(20) {
		case 2:
			m.Text += " poison" // see toy
		case 0:
			m.Text = strings.Repeat(m.Text+" ", 200)
		case 1:
			m.Replaces = []hearsay.RecordID{ids[r.IntN(len(ids))]} // held: it is not theirs to take away
		}
		d, err := w.RememberAside(w.t.Context(), c, m)
		if err != nil {
			w.t.Fatal(err)
		}
		if i%3 == 0 && d.Standing.Visible() {
			ids = append(ids, d.ID)
		}
	}
	if err := w.Settle(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

// trustedOf returns what an answer shows of trusted memories, in its order, as bytes.
func trustedOf(a memory.Answer) string {
	var b strings.Builder
	for _, r := range a.Results {
		if r.Label.Trusted() {
			fmt.Fprintf(&b, "%s %q %q %v %v %v %v\n", r.ID, r.Text, r.Receipt, r.Flags, r.Score, r.Parts, r.Tags)
		}
	}
	return b.String()
}

// Whatever untrusted memories, tags, links and cliques there are, and whatever is asked:
// the trusted results, their order and their numbers are the same, byte for byte, also
// after what was recalled was learnt from, with vectors and without, and where strangers'
// texts break the embedder.
func TestSelectionIntegrityEndToEnd(t *testing.T) {
	seeds := uint64(6)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds + (seeds+1)/2 {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 11))
			w := newWorld(t)
			if seed >= seeds {
				w.reopenWith(&toy{name: "toy", dim: 128})
			}
			c := w.session("ana", "session-1")
			var ids []hearsay.RecordID
			for i := range 40 {
				n := agents(randomText(r))
				n.Kind, n.Tags = recall.Kind(r.IntN(9)), randomTags(r)
				for range min(r.IntN(3), len(ids)) {
					if id := ids[r.IntN(len(ids))]; !slices.Contains(n.Links, id) {
						n.Links = append(n.Links, id)
					}
				}
				if i%3 == 0 {
					ids = append(ids, w.say(n).ID)
				} else {
					ids = append(ids, w.remember(c, n, hearsay.Allowed))
				}
				time.Sleep(time.Hour)
			}
			w.shut()
			clean, bent := w.copied(), w.copied()
			bent.plant(r, 60, ids)
			for range 60 {
				ask := memory.Ask{Query: randomText(r), K: 1 + r.IntN(8), Explain: true}
				switch r.IntN(6) {
				case 0:
					ask.Tags = randomTags(r)
				case 1:
					ask.Kinds = []recall.Kind{recall.Kind(r.IntN(9))}
				case 2:
					ask.Context = randomTags(r)
				case 3:
					ask.Budget = 100 + r.IntN(900)
				case 4:
					ask.Query = ""
				}
				// Each asks in a session of its own: what one took in is not the question.
				want, err := clean.Recall(t.Context(), clean.session("ana", "session-ask"), ask)
				if err != nil {
					t.Fatal(err)
				}
				got, err := bent.Recall(t.Context(), bent.session("ana", "session-ask"), ask)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(trustedOf(want), trustedOf(got)); diff != "" {
					t.Fatalf("seed %d, %+v: without and with untrusted memories:\n%s", seed, ask, diff)
				}
				time.Sleep(time.Duration(r.IntN(40)) * time.Hour)
			}
		})
	}
}

// Ten thousand strangers that have every tag and word of what is asked and name it and each
// other change nothing.
func TestCliqueOfTenThousandEndToEnd(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 10,000 memories")
	}
	synctest.Test(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 11))
		w := newToyWorld(t)
		var ids []hearsay.RecordID
		for range 20 {
			n := agents(randomText(r))
			n.Tags = randomTags(r)
			ids = append(ids, w.say(n).ID)
		}
		w.shut()
		clean, bent := w.copied(), w.copied()
		c := bent.session("ana", "session-stranger")
		var all sync.WaitGroup
		for part := range 50 {
			all.Go(func() {
				for i := range 200 {
					text := strings.Join(someWords, " ")
					if part > 0 { // the others say the same to the byte
						text = fmt.Sprintf("%s %d", text, 200*part+i)
					}
					n := webs(text)
					n.Tags, n.Links = someTags, ids
					if _, err := bent.RememberAside(t.Context(), c, n); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		all.Wait()
		for _, w := range []*world{clean, bent} {
			if _, err := w.Embed(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		for range 20 {
			ask := memory.Ask{Query: randomText(r), Context: someTags, Explain: true}
			want, _ := clean.recall(clean.session("ana", "session-ask"), ask)
			got, _ := bent.recall(bent.session("ana", "session-ask"), ask)
			if diff := cmp.Diff(trustedOf(want), trustedOf(got)); diff != "" {
				t.Fatalf("%+v: without and with the clique:\n%s", ask, diff)
			}
			if n := len(got.Results) - len(want.Results); n > 2 {
				t.Fatalf("%d of the clique are shown", n)
			}
		}
	})
}

// At equal relevance a stranger's memory has exactly three quarters of the user's score.
func TestExactlyThreeQuarters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "retrieval_weight: 0.3", "retrieval_weight: 1")
		const text = "The parser lives in src/p.go"
		own := w.say(agents(text)).ID
		page := w.remember(w.session("ana", "session-1"), webs(text), hearsay.Allowed)
		for _, q := range []string{"where is the parser", "parser", "src"} {
			got, ids := w.recall(w.session("ana", "session-2"), memory.Ask{Query: q})
			if !slices.Equal(ids, []hearsay.RecordID{own, page}) {
				t.Fatalf("recalled %v", ids)
			}
			if ours, theirs := got.Results[0].Score, got.Results[1].Score; theirs != ours*.75 {
				t.Errorf("%q: %v and %v: the ratio is %v", q, ours, theirs, theirs/ours)
			}
		}
	})
}

// Five strangers that say the same, share tags and name each other do not pass the user's
// memory of the same relevance, on any day, however often they are recalled.
func TestFiveNodeCliqueCannotPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "retrieval_weight: 0.3", "retrieval_weight: 1", "max_untrusted_per_query: 2", "max_untrusted_per_query: 10")
		const text = "Invoices go to the ledger in Oslo"
		own := w.say(agents(text)).ID
		time.Sleep(20 * 24 * time.Hour)
		var clique []hearsay.RecordID
		for range 5 {
			n := webs(text)
			n.Kind, n.Tags, n.Links = recall.Insight, []string{"invoice", "ledger", "oslo"}, append([]hearsay.RecordID{own}, clique...)
			n.Claims = hearsay.Claims{Salience: 1, Confidence: 1}
			clique = append(clique, w.remember(w.session("ana", "session-1"), n, hearsay.Allowed))
		}
		for range 30 {
			for _, q := range []string{"invoices", "where do invoices go", "ledger oslo invoice"} {
				_, ids := w.recall(w.session("ana", "session-2"), memory.Ask{Query: q, Context: []string{"invoice", "ledger", "oslo"}})
				if len(ids) != 6 || ids[0] != own {
					t.Fatalf("%q: the user's is not the first of %v", q, ids)
				}
			}
			time.Sleep(24 * time.Hour)
		}
	})
}

// Approving takes the pending flag away, and changes nothing else.
func TestApprovalDoesNotPromote(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.say(agents("Lessons of the harbour are kept by ana"))
		c := w.session("ana", "session-1")
		w.read(c)
		held := w.remember(c, agents("Lesson: the harbour opens at six"), hearsay.Held)
		fact := w.remember(w.session("ana", "session-2"), webs("The harbour has two gates"), hearsay.Allowed)
		before, _ := w.recall(w.session("ana", "session-3"), memory.Ask{Query: "harbour", Explain: true})
		w.review(reviewer.Approve, held)
		got, ids := w.recall(w.session("ana", "session-3"), memory.Ask{Query: "harbour", Explain: true})
		if trustedOf(before) != trustedOf(got) {
			t.Errorf("approving moved what is trusted:\n%s", cmp.Diff(trustedOf(before), trustedOf(got)))
		}
		i := slices.Index(ids, held)
		if i < 0 || !slices.Contains(ids, fact) {
			t.Fatalf("recalled %v", ids)
		}
		r := got.Results[i]
		if r.Label.Origin != hearsay.External || !r.Label.Taint.Has("web") || !r.Flags.LowTrust || r.Flags.Pending || i == 0 {
			t.Errorf("approved, it is %+v at %d", r.Flags, i)
		}
		if !strings.HasPrefix(r.Text, "[hearsay external ") {
			t.Errorf("approved, it is shown as %q", r.Text)
		}
		m, err := w.Life(t.Context(), held)
		ceilings := hearsay.DefaultCeilings()
		if err != nil || !m.Vetted || m.StrengthAt(&ceilings, time.Now()) != m.Recalled(time.Now()).StrengthAt(&ceilings, time.Now()) {
			t.Errorf("%+v, %v", m, err)
		}
	})
}

// Nobody but a person pins, and nobody but a person takes away what is pinned.
func TestOnlyAPersonPins(t *testing.T) {
	w := newWorld(t)
	c := w.session("ana", "session-1")
	for _, from := range []string{"agent", "hand_edit", "workspace_file"} {
		n := agents("Always greet from " + from)
		n.Source.Type, n.Claims = from, hearsay.Claims{Pin: true, Stable: true}
		d, err := w.Remember(t.Context(), c, n)
		if err != nil {
			t.Fatal(err)
		}
		refused := make(map[string]bool)
		for _, clamp := range d.Verdict.Clamps {
			refused[clamp.Field] = true
		}
		if m, err := w.Life(t.Context(), d.ID); err != nil || m.Pinned || m.Stable || !refused["pin"] || !refused["stable"] {
			t.Errorf("%s: %+v, %v, told of %v", from, m, err, refused)
		}
	}
	own := w.say(agents("Ana is allergic to nuts")).ID
	stranger, err := reviewer.NewSigner("ana", []byte(strings.Repeat("x", 32)))
	if err != nil {
		t.Fatal(err)
	}
	for name, sign := range map[string]memory.Signing{
		"nobody":     func(reviewer.Statement) (reviewer.Signed, error) { return reviewer.Signed{}, nil },
		"a stranger": func(st reviewer.Statement) (reviewer.Signed, error) { return stranger.Sign(st) },
		"another statement": func(st reviewer.Statement) (reviewer.Signed, error) {
			st.Subject = "pin=false stable=false"
			return w.signer.Sign(st)
		},
		"an error": func(reviewer.Statement) (reviewer.Signed, error) { return reviewer.Signed{}, errors.New("no key") },
	} {
		if _, err := w.Pin(t.Context(), c, own, guard.PinClaims{Pin: true}, sign); err == nil {
			t.Errorf("%s pinned", name)
		}
	}
	if start, err := w.Start(t.Context(), c, 0); err != nil || len(start.Results) != 0 {
		t.Fatalf("%+v, %v", start, err)
	}
	if _, err := w.Pin(t.Context(), c, own, guard.PinClaims{Pin: true}, w.sign); err != nil {
		t.Fatal(err)
	}
	if start, err := w.Start(t.Context(), c, 0); err != nil || len(start.Results) != 1 || start.Results[0].ID != own {
		t.Fatalf("%+v, %v", start, err)
	}
	change := agents("Ana eats everything")
	change.Replaces = []hearsay.RecordID{own}
	w.remember(c, change, hearsay.Held)
	d, err := w.Forget(t.Context(), c, memory.Forgetting{IDs: []hearsay.RecordID{own}, Source: hearsay.Source{Type: "agent"}})
	if err != nil || d.Standing != hearsay.Held {
		t.Errorf("an agent forgot what is pinned: %+v, %v", d, err)
	}
	if _, err := w.guard.Quarantine(t.Context(), c, own, "audit"); !errors.Is(err, guard.ErrRefused) {
		t.Errorf("an audit held what is pinned: %v", err)
	}
	// What a person pins of an agent's is adopted: a record of the user's own.
	theirs := w.remember(c, agents("The gate code changes monthly"), hearsay.Allowed)
	r, err := w.Pin(t.Context(), c, theirs, guard.PinClaims{Pin: true, Stable: true}, w.sign)
	if err != nil || r.ID == theirs || r.Label != hearsay.LabelIdentity || !r.Claims.Pin || r.Op != event.Update {
		t.Errorf("%+v, %v", r, err)
	}
}

// shut closes the home for good; its copies go on.
func (w *world) shut() {
	w.close()
	w.Store, w.store = nil, nil
}

// The index and the folder are made again from the log whenever they are lost, broken,
// stale or somebody else's, and nobody's word is taken from them.
func TestIndexIsAPicture(t *testing.T) {
	w := newWorld(t)
	c := w.session("ana", "session-1")
	own := w.say(agents("The harbour opens at six")).ID
	index := filepath.Join(w.folder("ana"), "index.db")
	again := func(name string, spoil func()) {
		t.Helper()
		w.close()
		spoil()
		w.open()
		_, ids := w.recall(w.session("ana", "session-1"), memory.Ask{Query: "harbour"})
		if !slices.Contains(ids, own) {
			t.Errorf("%s: recalled %v", name, ids)
		}
	}
	write := func(data []byte) {
		for _, end := range []string{"-wal", "-shm"} {
			_ = os.Remove(index + end)
		}
		if err := os.WriteFile(index, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w.close()
	old, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	w.open()
	page := w.remember(c, webs("The harbour has a stranger's gate"), hearsay.Allowed)
	again("lost", func() {
		if err := os.RemoveAll(w.folder("ana")); err != nil {
			t.Fatal(err)
		}
	})
	again("no database", func() { write([]byte(strings.Repeat("no database ", 1000))) })
	again("empty", func() { write(nil) })
	again("cut", func() { write(old[:len(old)/2]) })
	again("stale", func() { write(old) })
	if _, ids := w.recall(c, memory.Ask{Query: "harbour"}); !slices.Contains(ids, page) {
		t.Errorf("a stale index was believed: %v", ids)
	}
	for name, sql := range map[string]string{
		"promoted": "UPDATE rest SET doc = 77; INSERT INTO trusted SELECT * FROM rest; INSERT INTO trusted_text(trusted_text) VALUES('rebuild'); UPDATE trusted SET origin = 5, taint = '';" +
			"INSERT OR REPLACE INTO trusted_word VALUES('harbour', 2); DELETE FROM rest",
		"no table":   "DROP TABLE rest_text",
		"no words":   "DELETE FROM trusted_word; DROP TABLE trusted_word",
		"bad number": "UPDATE trusted SET weight = 7",
		"bad kind":   "UPDATE trusted SET kind = 99",
	} {
		if err := w.SpoilIndex(sql); err != nil {
			t.Fatal(name, err)
		}
		got, ids := w.recall(w.session("ana", "session-1"), memory.Ask{Query: "harbour"})
		i := slices.Index(ids, page)
		if !slices.Contains(ids, own) || i < 0 || got.Results[i].Label.Origin != hearsay.External || !got.Results[i].Flags.LowTrust {
			t.Errorf("%s: recalled %+v", name, got.Results)
		}
	}
	// Another principal's index in the place of ana's.
	bo := w.memoryOf("bo")
	if err := bo.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := bo.Close(); err != nil {
		t.Fatal(err)
	}
	theirs, err := os.ReadFile(filepath.Join(w.folder("bo"), "index.db"))
	if err != nil {
		t.Fatal(err)
	}
	again("another's", func() { write(theirs) })
}

// What is said again is confirmed by whom that is for: the user's word makes it stronger, an
// agent's starts its days anew, a stranger's does nothing, and nothing confirms a stranger's.
func TestSaidAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		const text = "The harbour opens at six"
		agent := w.remember(w.session("ana", "session-1"), agents(text), hearsay.Allowed)
		user := w.say(agents(text)).ID
		page := w.remember(w.session("ana", "session-2"), webs(text), hearsay.Allowed)
		ids := []hearsay.RecordID{user, agent, page}
		lives := func() (list []recall.Memory) {
			for _, id := range ids {
				m, err := w.Life(t.Context(), id)
				if err != nil {
					t.Fatal(err)
				}
				list = append(list, m)
			}
			return list
		}
		said := func(strength []float64, anew []bool, say func()) {
			t.Helper()
			time.Sleep(24 * time.Hour)
			before := lives()
			say()
			for i, m := range lives() {
				if diff := m.Strength - strength[i]; diff > 1e-9 || diff < -1e-9 || anew[i] != m.Used.After(before[i].Used) {
					t.Errorf("%s: strength %v, used %v, before %v", m.Label, m.Strength, m.Used, before[i].Used)
				}
			}
		}
		said([]float64{.7, .7, .7}, []bool{false, false, false}, func() { w.remember(w.session("ana", "session-3"), webs(text), hearsay.Allowed) })
		said([]float64{.7, .7, .7}, []bool{true, true, false}, func() { w.remember(w.session("ana", "session-4"), agents(text), hearsay.Allowed) })
		said([]float64{.775, .7, .7}, []bool{true, true, false}, func() { w.say(agents(text)) })
	})
}

// The policy of the moment decides what becomes of memories of low trust that nobody has
// approved, and not the one under which they were let in; approving lifts just that.
func TestQuarantineModes(t *testing.T) {
	w := newWorld(t)
	own := w.say(agents("The harbour opens at six")).ID
	page := w.remember(w.session("ana", "session-1"), webs("The harbour has two gates"), hearsay.Allowed)
	c := w.session("ana", "session-2")
	w.read(c)
	vetted := w.remember(c, agents("Lesson: the harbour is closed on Sundays"), hearsay.Held)
	w.review(reviewer.Approve, vetted)
	for mode, want := range map[string]struct {
		ids      int
		pending  bool
		withheld int
	}{"off": {3, false, 0}, "flag": {3, true, 0}, "enforce": {2, false, 1}} {
		w.close()
		w.rules = guardtest.Policy(t, "default", "quarantine: flag", "quarantine: "+mode)
		w.open()
		got, ids := w.recall(w.session("ana", "session-ask-"+mode), memory.Ask{Query: "harbour"})
		if len(ids) != want.ids || ids[0] != own || !slices.Contains(ids, vetted) || got.Withheld != want.withheld {
			t.Errorf("%s: recalled %v, %d withheld", mode, ids, got.Withheld)
		}
		for _, r := range got.Results {
			if r.Flags.Pending != (r.ID == page && want.pending) {
				t.Errorf("%s: %s is %+v", mode, r.ID, r.Flags)
			}
		}
		if _, err := w.Get(t.Context(), w.session("ana", "session-get-"+mode), page); (err == nil) != (mode != "enforce") {
			t.Errorf("%s: the page's: %v", mode, err)
		}
	}
}
