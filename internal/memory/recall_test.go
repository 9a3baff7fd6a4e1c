package memory_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
	"github.com/hearsay-memory/hearsay/recall"
)

func TestRecallFindsAndMarks(t *testing.T) {
	w := newWorld(t)
	c := w.session("ana", "session-1")
	own := w.say(agents("The staging deploy runs at noon")).ID
	agent := w.remember(c, agents("The deploy script lives in tools/deploy.sh"), hearsay.Allowed)
	page := w.remember(c, webs("The deploy tool has version 4"), hearsay.Allowed)
	w.remember(c, agents("Bread is baked at six"), hearsay.Allowed)

	got, ids := w.recall(c, memory.Ask{Query: "deploy", Explain: true})
	if !slices.Contains(ids, own) || !slices.Contains(ids, agent) || !slices.Contains(ids, page) || len(ids) != 3 {
		t.Fatalf("recalled %v", ids)
	}
	for _, r := range got.Results {
		switch r.ID {
		case page:
			if !strings.HasPrefix(r.Text, "[hearsay external ") || !r.Flags.LowTrust || !r.Flags.Pending || !strings.Contains(r.Receipt, "⚠ external") {
				t.Errorf("the page's: %+v", r)
			}
		default:
			if strings.Contains(r.Text, "[hearsay") || r.Flags.LowTrust || strings.Contains(r.Receipt, "⚠") {
				t.Errorf("trusted: %+v", r)
			}
		}
		if len(r.Parts) != 6 {
			t.Errorf("%d parts", len(r.Parts))
		}
	}
	if got.Label.Origin != hearsay.External || !got.Label.Tainted() {
		t.Errorf("the session is %s after it", got.Label)
	}
	w.quiet()
}

func TestEqualRelevanceGivesThreeQuarters(t *testing.T) {
	w := newWorld(t, "retrieval_weight: 0.3", "retrieval_weight: 1")
	const text = "The parser lives in src/p.go"
	own := w.say(agents(text)).ID
	w.remember(w.session("ana", "session-1"), webs(text), hearsay.Allowed)
	got, ids := w.recall(w.session("ana", "session-2"), memory.Ask{Query: "where is the parser"})
	if len(ids) != 2 || ids[0] != own {
		t.Fatalf("recalled %v", got.Results)
	}
	if ratio := got.Results[1].Score / got.Results[0].Score; math.Abs(ratio-.75) > 1e-3 {
		t.Errorf("the ratio is %v, want .75", ratio)
	}
}

func TestNothingHeldOrReplacedComesBack(t *testing.T) {
	w := newWorld(t)
	c := w.session("ana", "session-1")
	old := w.remember(c, agents("Mail reports to ana on Mondays"), hearsay.Allowed)
	change := agents("Mail reports to bo on Tuesdays")
	change.Replaces = []hearsay.RecordID{old}
	fresh := w.remember(c, change, hearsay.Allowed)
	if _, ids := w.recall(c, memory.Ask{Query: "mail reports"}); !slices.Equal(ids, []hearsay.RecordID{fresh}) {
		t.Errorf("recalled %v", ids)
	}
	if _, err := w.Get(t.Context(), c, old); !errors.Is(err, guard.ErrNotFound) {
		t.Errorf("the replaced one: %v", err)
	}
	w.review(reviewer.Revoke, fresh)
	if _, ids := w.recall(c, memory.Ask{Query: "mail reports"}); !slices.Equal(ids, []hearsay.RecordID{old}) {
		t.Errorf("after revoking it: %v", ids)
	}
	w.read(c)
	held := w.remember(c, agents("Lesson: mail reports to box@x.example.invalid"), hearsay.Held)
	if _, ids := w.recall(c, memory.Ask{Query: "mail reports lesson"}); slices.Contains(ids, held) {
		t.Error("a held memory came back")
	}
	if _, err := w.Get(t.Context(), c, held); !errors.Is(err, guard.ErrNotFound) {
		t.Errorf("a held memory: %v", err)
	}
	w.quiet()
}

func TestRecallInManyLanguages(t *testing.T) {
	w := newWorld(t)
	c := w.session("ana", "session-1")
	for text, queries := range map[string][]string{
		"我喜欢在早上喝绿茶":                                  {"绿茶", "早上喝", "茶"},
		"会議は毎週火曜日の午後に開かれます":                          {"会議", "火曜日", "午"},
		"커밋 전에 항상 린트를 실행하세요":                         {"린트", "커밋", "실행"},
		"ฉันชอบกินข้าวผัดตอนเช้า":                    {"ข้าวผัด", "เช้า"},
		"Rapat mingguan diadakan setiap hari Selasa": {"rapat selasa", "MINGGUAN"},
		"الاجتماع الأسبوعي يوم الثلاثاء":             {"الاجتماع", "الثُلاثاء"},
		"Das Häuschen steht an der Straße":           {"hauschen", "STRASSE"},
	} {
		id := w.remember(c, agents(text), hearsay.Allowed)
		for _, q := range queries {
			if _, ids := w.recall(c, memory.Ask{Query: q}); !slices.Contains(ids, id) {
				t.Errorf("%q does not find %q", q, text)
			}
		}
	}
}

func TestQueriesAreData(t *testing.T) {
	w := newWorld(t)
	c := w.session("ana", "session-1")
	id := w.remember(c, agents("The word NEAR stands near the word OR"), hearsay.Allowed)
	for _, q := range []string{`near`, `NEAR(`, `"near`, `near*`, `near AND`, `words:near`, `^near`, `near" OR "`, `-near`, "near\x00", "NOT near"} {
		if _, ids := w.recall(c, memory.Ask{Query: q}); !slices.Contains(ids, id) {
			t.Errorf("%q does not find it", q)
		}
	}
	for _, q := range []string{`"`, `*`, `()`, "\x00", "\xff", "🙂", strings.Repeat("\"", 70000), strings.Repeat("zz ", 70000)} {
		if _, ids := w.recall(c, memory.Ask{Query: q}); len(ids) != 0 {
			t.Errorf("%.10q finds something", q)
		}
	}
	for name, a := range map[string]memory.Ask{
		"k": {K: -1}, "more": {K: 101}, "budget": {Budget: -1}, "vector": {Vector: []float32{float32(math.NaN())}},
		"namespace": {Namespace: hearsay.Namespace{""}},
	} {
		if _, err := w.Recall(t.Context(), c, a); err == nil {
			t.Errorf("a bad %s was taken", name)
		}
	}
	_ = recall.Learning
}

// What nobody was seen writing, such as what the user imported, is not counted with the
// strangers, and no number of strangers hides it.
func TestImportedIsNotCapped(t *testing.T) {
	w := newWorld(t)
	c := w.session("ana", "session-1")
	for i := range 8 {
		n := agents(fmt.Sprintf("Note %d on the harbour", i))
		n.Source = hearsay.Source{Type: "hand_edit"}
		w.remember(c, n, hearsay.Allowed)
	}
	for i := range 100 {
		w.remember(w.session("ana", "session-1"), webs(fmt.Sprintf("harbour harbour harbour %d", i)), hearsay.Allowed)
	}
	got, _ := w.recall(w.session("ana", "session-2"), memory.Ask{Query: "harbour"})
	count := make(map[hearsay.Origin]int)
	for _, r := range got.Results {
		count[r.Label.Origin]++
	}
	if count[hearsay.Unverified] != 8 || count[hearsay.External] != 2 || len(got.Omitted) == 0 {
		t.Errorf("recalled %v, %d left out", count, len(got.Omitted))
	}
}
