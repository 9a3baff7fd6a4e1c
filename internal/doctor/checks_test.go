package doctor

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hearsay-memory/hearsay/internal/hosts/install"
	"github.com/hearsay-memory/hearsay/internal/hosts/setup"
	"github.com/hearsay-memory/hearsay/ledger"
	"github.com/hearsay-memory/hearsay/policy"
)

// one wants a check to find one thing: its state, and words of what was found.
func one(t *testing.T, name string, want State, says string, look func(*examination)) {
	t.Helper()
	x := &examination{}
	look(x)
	if len(x.all) != 1 || x.all[0].State != want || !strings.Contains(x.all[0].Found, says) {
		t.Errorf("%s: %+v, want %s, %q", name, x.all, want, says)
	}
	for _, d := range x.all {
		if d.State == Fail && d.Do == "" {
			t.Errorf("%s fails, and nothing is said to do about it", name)
		}
	}
}

func TestWaiting(t *testing.T) {
	now := time.UnixMilli(1_800_000_000_000)
	before := func(d time.Duration) int64 { return now.Add(-d).UnixMilli() }
	one(t, "nothing", OK, "nothing waits", func(x *examination) { x.waits(0, 0, now) })
	one(t, "a week", OK, "2 wait for you, the oldest from 7d ago", func(x *examination) { x.waits(2, before(heldTooLong), now) })
	one(t, "longer", Warn, "2 wait for you", func(x *examination) { x.waits(2, before(heldTooLong+time.Second), now) })
	one(t, "none", OK, "none are under way", func(x *examination) { x.underWay(0, 0) })
	one(t, "some", OK, "3 are carried out", func(x *examination) { x.underWay(3, 0) })
	one(t, "unseen", Warn, "nobody saw 1 land", func(x *examination) { x.underWay(3, 1) })
}

func TestWitness(t *testing.T) {
	var tree ledger.Frontier
	tree.Append(ledger.LeafHash([]byte("one")))
	at := func(size int64, root ledger.Hash) ledger.Checkpoint { return ledger.Checkpoint{Size: size, Root: root} }
	for _, tc := range []struct {
		name string
		copy ledger.Checkpoint
		err  error
		want State
		says string
	}{
		{"agrees", at(1, tree.Root()), nil, OK, "agrees at 1 entries"},
		{"behind", at(0, ledger.Hash{}), nil, OK, "is 1 entries behind"},
		{"cut", at(2, ledger.Hash{}), nil, Fail, "has seen 2 entries, and the store has 1"},
		{"another history", at(1, ledger.Hash{1}), nil, Fail, "another history of 1 entries"},
		{"not believed", at(1, tree.Root()), errors.New("no signature"), Fail, "no signature"},
	} {
		one(t, tc.name, tc.want, tc.says, func(x *examination) { x.witness("/out", tc.copy, tc.err, tree) })
	}
}

func TestPolicy(t *testing.T) {
	parse := func(text string) *policy.Policy {
		t.Helper()
		p, err := policy.Parse("policy.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for _, tc := range []struct {
		name, note   string
		p            *policy.Policy
		policy, mode State
	}{
		{"plain", "", parse("version: 1\nmode: enforce\n"), OK, OK},
		{"no mode", "", parse("version: 1\n"), OK, OK},
		{"edited", "it was edited", parse("version: 1\nmode: enforce\n"), Warn, OK},
		{"warns", "", parse("version: 1\nmode: warn\n"), OK, Warn},
		{"off", "", parse("version: 1\nmode: \"off\"\n"), OK, Warn},
	} {
		x := &examination{}
		x.policy(tc.p, tc.note)
		if len(x.all) != 2 || x.all[0].State != tc.policy || x.all[1].State != tc.mode {
			t.Errorf("%s: %+v", tc.name, x.all)
		}
	}
	x := &examination{}
	x.policy(nil, "none is signed: run it") // the note says what to do
	if len(x.all) != 1 || x.all[0].State != Fail || x.all[0].Found != "none is signed: run it" {
		t.Errorf("no policy: %+v", x.all)
	}
}

func TestMemoryFiles(t *testing.T) {
	one(t, "none", OK, "no memory files", func(x *examination) { x.memory(&seenFiles{}) })
	one(t, "known", OK, "1 guarded file, 4 lines, each of known origin", func(x *examination) { x.memory(&seenFiles{files: 1, lines: 4}) })
	one(t, "low", Warn, "nobody was seen writing 2 of the lines", func(x *examination) { x.memory(&seenFiles{files: 1, lines: 4, low: 2}) })
	for name, seen := range map[string]seenFiles{
		"drifted": {drifted: []string{"a.md"}}, "gone": {gone: []string{"a.md"}}, "unread": {unread: []string{"a.md is not looked at"}},
		"unlisted": {unlisted: []string{"a.md"}}, "without a file": {withoutFile: []string{"a.md"}},
	} {
		x := &examination{}
		x.memory(&seen)
		warned := 0
		for _, d := range x.all {
			if d.State == Warn && strings.Contains(d.Found, "a.md") && d.Do != "" {
				warned++
			}
		}
		if warned != 1 {
			t.Errorf("%s: %+v", name, x.all)
		}
	}
}

// TestFailing: for each host it is said what happens where its hook fails; a version that is
// not known, or too old to obey what is installed, is never fine.
func TestFailing(t *testing.T) {
	for _, name := range install.Names() {
		h, _ := install.Find(name)
		for _, v := range []versionNumber{{}, {0, 0, 1}, {9999, 0, 0}} {
			e := &hostExam{examination: &examination{}, host: h, product: setup.Product(name)}
			e.failingAt(v)
			if len(e.all) == 0 || e.all[0].Check != "failing" {
				t.Fatalf("%s %s: %+v", name, v, e.all)
			}
			states := make(map[string]State)
			for _, d := range e.all {
				states[d.Check] = d.State
			}
			must := map[string]string{"claude": "failing", "copilot": "agents"}[name]
			if old := v != (versionNumber{9999, 0, 0}); must != "" && (states[must] == OK) == old {
				t.Errorf("%s %s: %s is %s", name, v, must, states[must])
			}
			if name == "cursor" && (states["failing"] == OK) != v.known() {
				t.Errorf("cursor %s: %s", v, states["failing"])
			}
		}
	}
	h, _ := install.Find("codex")
	e := &hostExam{examination: &examination{}, host: h, product: "Codex"}
	e.states[install.User].Hooks = []install.Hook{{Gate: true}}
	e.failingAt(versionNumber{9, 9, 9})
	if e.all[0].State != Warn || !strings.Contains(e.all[0].Do, "hearsay init --host codex") {
		t.Errorf("a gate that does not block: %+v", e.all)
	}
}
