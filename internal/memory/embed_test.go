package memory_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/guardtest"
	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
	"github.com/hearsay-memory/hearsay/recall"
)

// What says the same in other words is found, of whom it is by its own rules, and nothing
// that has nothing to do with the question.
func TestVectorsFindOtherWords(t *testing.T) {
	w := newToyWorld(t)
	c := w.session("ana", "session-1")
	own := w.say(agents("ana parks her automobile underground")).ID
	page := w.remember(c, webs("vehicle taxes rise"), hearsay.Allowed)
	w.remember(w.session("ana", "session-2"), agents("bread is baked at six"), hearsay.Allowed)
	got, ids := w.recall(w.session("ana", "session-3"), memory.Ask{Query: "car", Explain: true})
	if !slices.Equal(ids, []hearsay.RecordID{own, page}) {
		t.Fatalf("recalled %v, want %v and %v", ids, own, page)
	}
	for _, r := range got.Results {
		if i := slices.IndexFunc(r.Parts, func(p recall.Part) bool { return p.Term == "relevance" && p.Value > 0 && p.Value < 1 }); i < 0 {
			t.Errorf("%s: %+v", r.ID, r.Parts)
		}
	}
	// Found by both is better than by one.
	both, _ := w.recall(w.session("ana", "session-4"), memory.Ask{Query: "automobile"})
	if both.Results[0].ID != own || both.Results[0].Score <= got.Results[0].Score {
		t.Errorf("by words and vectors: %+v", both.Results)
	}
	// A vector that is given is taken in the place of the query's.
	if _, ids := w.recall(w.session("ana", "session-5"), memory.Ask{Vector: w.toy.vector("car")}); !slices.Equal(ids, []hearsay.RecordID{own, page}) {
		t.Errorf("by a vector: %v", ids)
	}
	if _, err := w.Recall(t.Context(), c, memory.Ask{Query: "car", Vector: []float32{1, 2}}); err == nil || !strings.Contains(err.Error(), "2 numbers: want 128") {
		t.Errorf("a vector of another length: %v", err)
	}
	w.quiet()

	w.reopenWith(nil)
	if _, ids := w.recall(w.session("ana", "session-6"), memory.Ask{Query: "car"}); len(ids) != 0 {
		t.Errorf("without an embedder: %v", ids)
	}
	fresh := w.remember(w.session("ana", "session-7"), agents("the physician comes on monday"), hearsay.Allowed)
	w.reopenWith(&toy{name: "toy", dim: 128})
	if _, ids := w.recall(w.session("ana", "session-8"), memory.Ask{Query: "doctor"}); !slices.Equal(ids, []hearsay.RecordID{fresh}) {
		t.Errorf("what was written meanwhile: %v", ids)
	}
	if seen := w.toy.took(); !slices.Equal(seen, []string{"doctor", "the physician comes on monday"}) {
		t.Errorf("it was shown %q", seen)
	}
	w.quiet()
}

// Nothing that is held, withdrawn, replaced or erased, or that the policy of the moment keeps
// back, is shown to an embedder, nor anybody else's.
func TestEmbedderSeesOnlyWhatIsServed(t *testing.T) {
	w := newWorld(t, "quarantine: flag", "quarantine: enforce")
	c := w.session("ana", "session-1")
	caller := hearsay.Caller{Principal: "ana", Surface: hearsay.SurfaceCLI}
	w.say(agents("plain words"))
	old := w.remember(c, agents("replaced words"), hearsay.Allowed)
	change := agents("newer words")
	change.Replaces = []hearsay.RecordID{old}
	w.remember(c, change, hearsay.Allowed)
	w.review(reviewer.Revoke, w.remember(c, agents("revoked words"), hearsay.Allowed))
	if _, err := w.Drop(t.Context(), caller, memory.Forgetting{IDs: []hearsay.RecordID{w.say(agents("forgotten words")).ID}}, w.sign); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Erase(t.Context(), caller, []hearsay.RecordID{w.say(agents("erased words")).ID}, w.sign); err != nil {
		t.Fatal(err)
	}
	bo := w.memoryOf("bo")
	defer bo.Close()
	if _, err := bo.Remember(t.Context(), w.session("bo", "session-bo"), agents("foreign words")); err != nil {
		t.Fatal(err)
	}
	w.remember(c, webs("pending words"), hearsay.Allowed)
	w.read(c)
	held := w.remember(c, agents("held words"), hearsay.Held)
	refused := w.remember(c, agents("refused words"), hearsay.Held)
	w.review(reviewer.Reject, refused)

	w.reopenWith(&toy{name: "toy", dim: 128})
	all := func() []string {
		if _, err := w.Embed(t.Context()); err != nil {
			t.Fatal(err)
		}
		return slices.DeleteFunc(w.toy.took(), func(s string) bool { return !strings.HasSuffix(s, "words") })
	}
	seen := all()
	slices.Sort(seen)
	if !slices.Equal(seen, []string{"newer words", "plain words"}) {
		t.Errorf("it was shown %q", seen)
	}
	w.review(reviewer.Approve, held)
	if seen := all(); !slices.Equal(seen, []string{"held words"}) {
		t.Errorf("after approving: %q", seen)
	}
	w.rules = guardtest.Policy(t, "default")
	w.reopenWith(w.toy)
	if seen := all(); len(seen) != 0 {
		t.Errorf("within the hour: %q", seen)
	}
	w.quiet()
}

// What a person erased is in no file of the folder any more, as a vector neither.
func TestErasedVectorsAreGone(t *testing.T) {
	w := newToyWorld(t)
	caller := hearsay.Caller{Principal: "ana", Surface: hearsay.SurfaceCLI}
	const text = "the safe opens with eleven turns"
	var ids []hearsay.RecordID
	for i := range 30 {
		w.say(agents(fmt.Sprintf("number %d of the notes", i)))
		if i == 12 {
			ids = append(ids, w.say(agents(text)).ID)
		}
	}
	v := w.toy.vector(text)
	if err := recall.Normalize(v); err != nil {
		t.Fatal(err)
	}
	var raw []byte
	for _, x := range v {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
	}
	lies := func() (n int) {
		if err := filepath.WalkDir(w.folder("ana"), func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(name)
			for part := range slices.Chunk(raw, 64) {
				n += bytes.Count(data, part)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if lies() == 0 {
		t.Fatal("the vector is not there")
	}
	if _, ids := w.recall(w.session("ana", "session-1"), memory.Ask{Query: "eleven turns"}); len(ids) == 0 {
		t.Fatal("it is not found")
	}
	if _, err := w.Erase(t.Context(), caller, ids, w.sign); err != nil {
		t.Fatal(err)
	}
	if n := lies(); n != 0 {
		t.Errorf("%d pieces of the vector are left", n)
	}
	if _, got := w.recall(w.session("ana", "session-2"), memory.Ask{Query: "eleven turns"}); slices.Contains(got, ids[0]) {
		t.Error("it is found")
	}
	w.quiet()
}

// Vectors that somebody changed in the index promote nobody and break nothing.
func TestSpoiltVectors(t *testing.T) {
	w := newToyWorld(t)
	own := w.say(agents("the automobile")).ID
	page := w.remember(w.session("ana", "session-1"), webs("the vehicle"), hearsay.Allowed)
	for name, sql := range map[string]string{
		"short":      "UPDATE trusted_vector SET v = x'00', seq = seq + 1",
		"no numbers": "UPDATE trusted_vector SET v = CAST(replace(hex(zeroblob(256)), '00', '~~') AS BLOB), seq = seq + 1",
		"huge":       "UPDATE trusted_vector SET v = CAST(replace(hex(zeroblob(128)), '00', 'zzzz') AS BLOB), seq = seq + 1",
		"not there":  "UPDATE trusted_vector SET doc = 77, seq = seq + 1",
		"a page's":   "DELETE FROM trusted_vector; INSERT INTO trusted_vector SELECT doc + 9, 99, v FROM strangers_vector",
		"a model's":  "UPDATE embedder SET dim = 7, floor = 9",
		"no floor":   "UPDATE embedder SET floor = 'x', dim = -4",
	} {
		if err := w.SpoilIndex(sql); err != nil {
			t.Fatal(name, err)
		}
		got, ids := w.recall(w.session("ana", "session-"+name), memory.Ask{Query: "automobile vehicle"})
		i := slices.Index(ids, page)
		if !slices.Contains(ids, own) || i < 0 || got.Results[i].Label.Origin != hearsay.External || ids[0] != own {
			t.Errorf("%s: recalled %+v", name, got.Results)
		}
	}
}

// Only what passes the filter counts, however many nearer ones do not.
func TestVectorsAndFilters(t *testing.T) {
	w := newWorld(t)
	c := w.session("ana", "session-1")
	for i := range 400 {
		if _, err := w.RememberAside(t.Context(), c, in(agents(fmt.Sprintf("automobile %d", i)), "many")); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	far := in(agents("one blue vehicle stands far beyond"), "few")
	far.Tags = []string{"blue"}
	id := w.remember(c, far, hearsay.Allowed)
	w.reopenWith(&toy{name: "toy", dim: 128})
	if n, err := w.Embed(t.Context()); n != 401 || err != nil {
		t.Fatal(n, err)
	}
	for name, ask := range map[string]memory.Ask{
		"namespace": {Namespace: hearsay.Namespace{"few"}},
		"tag":       {Tags: []string{"blue"}},
		"both":      {Tags: []string{"blue"}, Namespace: hearsay.Namespace{"few"}},
	} {
		ask.Query = "car"
		if _, ids := w.recall(c, ask); !slices.Equal(ids, []hearsay.RecordID{id}) {
			t.Errorf("%s: %v", name, ids)
		}
	}
	if _, ids := w.recall(c, memory.Ask{Query: "car", Tags: []string{"blue"}, Namespace: hearsay.Namespace{"many"}}); len(ids) != 0 {
		t.Errorf("recalled %v", ids)
	}
	if _, ids := w.recall(c, memory.Ask{Query: "car", K: 100}); len(ids) != 100 || slices.Contains(ids, id) {
		t.Errorf("%d are recalled", len(ids))
	}
	w.quiet()
}

// A store that lives long answers as one that was just opened, whatever was written, taken
// away and brought back meanwhile, also by another process.
func TestVectorsFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newToyWorld(t)
		r := rand.New(rand.NewPCG(5, 5))
		other := w.memoryOf("ana")
		defer other.Close()
		caller := hearsay.Caller{Principal: "ana", Surface: hearsay.SurfaceCLI}
		var ids []hearsay.RecordID
		for round := range 60 {
			s := []*memory.Store{w.Store, other}[r.IntN(2)]
			switch {
			case len(ids) > 5 && r.IntN(4) == 0:
				i := r.IntN(len(ids))
				if _, err := s.Erase(t.Context(), caller, ids[i:i+1], w.sign); err != nil {
					t.Fatal(err)
				}
				ids = slices.Delete(ids, i, i+1)
			case len(ids) > 5 && r.IntN(4) == 0:
				i := r.IntN(len(ids))
				w.review(reviewer.Revoke, ids[i])
				ids = slices.Delete(ids, i, i+1)
			default:
				e, err := s.Say(t.Context(), caller, agents(randomText(r)), w.sign)
				if err != nil {
					t.Fatal(err)
				}
				ids = append(ids, e.ID)
			}
			if round%5 > 0 {
				continue
			}
			fresh := w.memoryOf("ana")
			ask := memory.Ask{Query: "quay " + randomText(r), Explain: true, K: 20}
			want, err := fresh.Recall(t.Context(), w.session("ana", "session-ask"), ask)
			if err != nil {
				t.Fatal(err)
			}
			for name, s := range map[string]*memory.Store{"the first": w.Store, "another process's": other} {
				got, err := s.Recall(t.Context(), w.session("ana", "session-ask"), ask)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(trustedOf(want), trustedOf(got)); diff != "" {
					t.Fatalf("%s, round %d: fresh and old:\n%s", name, round, diff)
				}
			}
			if err := fresh.Close(); err != nil {
				t.Fatal(err)
			}
		}
		w.quiet()
	})
}

// Many at once, while vectors are made.
func TestVectorsAtOnce(t *testing.T) {
	w := newToyWorld(t)
	var all sync.WaitGroup
	for i := range 4 {
		c := w.session("ana", fmt.Sprint("session-", i))
		all.Go(func() {
			for j := range 10 {
				n := agents(fmt.Sprintf("automobile %d of %d", j, i))
				if i%2 == 0 {
					n = webs(n.Text)
				}
				if _, err := w.Remember(t.Context(), c, n); err != nil {
					t.Error(err)
				}
				if _, err := w.Recall(t.Context(), c, memory.Ask{Query: "car"}); err != nil {
					t.Error(err)
				}
				if _, err := w.Embed(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if _, err := w.Embed(t.Context()); err != nil {
		t.Fatal(err)
	}
	a, err := w.Vectors("trusted")
	b, err2 := w.Vectors("strangers")
	st, err3 := w.Status(t.Context(), w.session("ana", "session-1"))
	if a == 0 || b == 0 || a+b != st.Memories || errors.Join(err, err2, err3) != nil {
		t.Errorf("%d and %d vectors of %+v, %v, %v, %v", a, b, st, err, err2, err3)
	}
}

// Where another embedder takes over, each part is asked for what is its own alone, so that
// strangers, however many, keep nobody else waiting.
func TestVectorsMadeAnewStayApart(t *testing.T) {
	w := newWorld(t)
	c := w.session("ana", "session-1")
	for i := range 5 {
		w.remember(c, webs(fmt.Sprintf("the car of shop %d is red", i)), hearsay.Allowed)
	}
	n := agents("the car of Bo is green")
	n.Source = hearsay.Source{Type: "hand_edit"}
	w.remember(c, n, hearsay.Allowed)
	for _, name := range []string{"toy", "other"} {
		w.reopenWith(&toy{name: name, dim: 128})
		if n, err := w.Embed(t.Context()); err != nil || n != 6 {
			t.Errorf("%s: looked at %d, %v", name, n, err)
		}
		for part, want := range map[string]int{"trusted": 0, "others": 1, "strangers": 5} {
			if n, err := w.Vectors(part); err != nil || n != want {
				t.Errorf("%s: %d vectors of %s, want %d, %v", name, n, part, want, err)
			}
			if n, err := w.Bare(part); err != nil || n != 0 {
				t.Errorf("%s: %d of %s wait for one, %v", name, n, part, err)
			}
		}
	}
}
