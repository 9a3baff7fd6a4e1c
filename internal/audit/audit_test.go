package audit_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/audit"
	"github.com/hearsay-memory/hearsay/internal/detect"
	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
)

var cli = hearsay.Caller{Principal: "ana", Surface: hearsay.SurfaceCLI}

// flood writes n facts of pages that hold together by their tags, and returns their ids.
func (w *world) flood(n int, tags ...string) (ids []hearsay.RecordID) {
	w.t.Helper()
	c := w.session("session-flood")
	for i := range n {
		id, standing := w.remember(c, said("web", fmt.Sprintf("https://p%d.example.invalid/", i), babble(i), tags...))
		if standing != hearsay.Allowed {
			w.t.Fatalf("a fact of the web is %s", standing)
		}
		ids = append(ids, id)
	}
	return ids
}

// babble is a text that shares nothing with that of another number.
func babble(n int) string {
	sum := sha256.Sum256([]byte{byte(n)})
	return hex.EncodeToString(sum[:])
}

func TestLookAndApply(t *testing.T) {
	w := newWorld(t)
	defer w.close()
	own := w.say(said("agent", "", "Deploys run from CI alone", "a", "b")).ID
	note, _ := w.remember(w.session("session-work"), said("agent", "", "The parser lives in src/p.go", "a", "b"))
	ids := w.flood(25, "a", "b")
	before, err := w.store.Head(t.Context())
	check(t, err)
	r := w.look()
	after, err := w.store.Head(t.Context())
	check(t, err)
	if before.Frontier.Size() != after.Frontier.Size() {
		t.Error("looking sealed something")
	}
	if r.Memories != 27 || !slices.Equal(rules(r, ids[0]), []detect.Rule{detect.RuleBurst, detect.RuleTags}) || rules(r, own) != nil || rules(r, note) != nil {
		t.Fatalf("found %+v", r)
	}
	if diff := cmp.Diff(r, w.look(), cmp.AllowUnexported(audit.Report{}), cmp.FilterPath(func(p cmp.Path) bool { return p.String() == "At" }, cmp.Ignore())); diff != "" {
		t.Errorf("looked at twice:\n%s", diff)
	}
	run, err := r.Apply(t.Context(), w.guard, cli)
	check(t, err)
	if len(run.Held) != detect.MaxApplied || run.Left != 5 || !slices.Equal(run.Found, []event.Found{{Rule: "HS001-burst", Level: "warning", Findings: 1, Count: 25}, {Rule: "HS002-tag-clique", Level: "warning", Findings: 1, Count: 25}}) {
		t.Errorf("the run is %+v", run)
	}
	last, err := w.guard.LastAudit(t.Context(), "ana")
	check(t, err)
	if diff := cmp.Diff(run, last); diff != "" {
		t.Errorf("sealed otherwise than it was said:\n%s", diff)
	}
	if run, err = w.look().Apply(t.Context(), w.guard, cli); err != nil || len(run.Held) != 5 || run.Left != 20 {
		t.Errorf("the second run is %+v, %v", run, err)
	}
	shown, err := w.guard.Show(t.Context(), own)
	check(t, err)
	if shown.Record.Standing != hearsay.Allowed {
		t.Errorf("what ana said is %s", shown.Record.Standing)
	}
}

// A report can be old when it is applied: what a person decided meanwhile stands.
func TestApplyKeepsWhatWasDecidedMeanwhile(t *testing.T) {
	w := newWorld(t)
	defer w.close()
	ids := w.flood(6)
	first := w.look()
	_, err := first.Apply(t.Context(), w.guard, cli)
	check(t, err)
	w.decide(reviewer.Approve, ids[0])
	w.decide(reviewer.Reject, ids[1])
	run, err := first.Apply(t.Context(), w.guard, cli)
	if err != nil || len(run.Held) != 0 || run.Left != 6 {
		t.Errorf("the old report held %+v, %v", run, err)
	}
	for id, want := range map[hearsay.RecordID]hearsay.Standing{ids[0]: hearsay.Released, ids[1]: hearsay.Rejected} {
		if shown, err := w.guard.Show(t.Context(), id); err != nil || shown.Record.Standing != want {
			t.Errorf("%s is %s, want %s (%v)", id, shown.Record.Standing, want, err)
		}
	}
}

func TestRecallMovesNoBaseline(t *testing.T) {
	w := newWorld(t)
	defer w.close()
	w.say(said("agent", "", "Deploys run from CI alone"))
	w.remember(w.session("session-work"), said("agent", "", "Deploys of the docs take four minutes"))
	before := w.look()
	for i := range 40 {
		_, err := w.memory.Recall(t.Context(), w.session(fmt.Sprint("session-", i)), memory.Ask{Query: "deploys"})
		check(t, err)
	}
	if after := w.look(); len(before.Found) != 0 || len(after.Found) != 0 {
		t.Errorf("found %v, and after recalls %v", before.Found, after.Found)
	}
}

// What nobody looked at and session after session takes in is found, tainted or not: once
// a session counts.
func TestReinforcement(t *testing.T) {
	w := newWorld(t)
	defer w.close()
	c := w.session("session-work")
	page, _ := w.remember(c, said("web", "https://page.example.invalid/", "Deploys are faster from a laptop"))
	pasted, _ := w.remember(w.session("session-paste"), said("hand_edit", "notes", "Deploys are run by whoever is awake"))
	ask := func(session string) {
		_, err := w.memory.Recall(t.Context(), w.session(session), memory.Ask{Query: "deploys"})
		check(t, err)
	}
	for range 9 {
		ask("session-same")
	}
	for i := range detect.ReinforcedRecalls - 2 {
		ask(fmt.Sprint("session-", i))
	}
	if r := w.look(); len(r.Found) != 0 {
		t.Errorf("found after too few: %+v", r.Found)
	}
	ask("session-last")
	r := w.look()
	for _, id := range []hearsay.RecordID{page, pasted} {
		if !slices.Equal(rules(r, id), []detect.Rule{detect.RuleReinforced}) {
			t.Errorf("%s is found by %v", id, rules(r, id))
		}
	}
	w.decide(reviewer.Revoke, pasted)
	if rules(w.look(), pasted) != nil {
		t.Error("a withdrawn memory is found")
	}
}

func TestFilesAreCompared(t *testing.T) {
	w := newWorld(t)
	defer w.close()
	n := said("agent", "", "Ask bo before every release")
	n.Claims.Pin = true
	pinned, noted := w.say(n).ID, hearsay.RecordID{}
	noted, _ = w.remember(w.session("session-work"), said("agent", "", "The parser lives in src/p.go"))
	page := w.flood(1)[0]
	if r := w.look(); len(r.Found) != 0 {
		t.Fatalf("found %+v", r.Found)
	}
	dir := w.memory.Vault().Dir
	file := func(id hearsay.RecordID) string {
		m, err := filepath.Glob(filepath.Join(dir, "learning", "*"+id.String()[24:]+".md"))
		if err != nil || len(m) != 1 {
			t.Fatalf("files of %s: %v, %v", id, m, err)
		}
		return m[0]
	}
	check(t, os.WriteFile(file(pinned), []byte("Ask nobody"), 0o600))
	check(t, os.Remove(file(noted)))
	gone := file(page)
	check(t, os.Remove(gone))
	check(t, os.Symlink(file(pinned), gone+".link"))
	// A link in the place of a file is a change, whatever it leads to.
	linked := w.say(said("agent", "", "Invoices go to accounts")).ID
	at := file(linked)
	check(t, os.Rename(at, filepath.Join(dir, "moved.md")))
	check(t, os.Symlink("../moved.md", at))
	check(t, os.Mkdir(filepath.Join(dir, "elsewhere"), 0o700))
	check(t, os.WriteFile(filepath.Join(dir, "elsewhere", "x.md"), nil, 0o600))
	var got []string
	for _, f := range w.look().Found {
		got = append(got, fmt.Sprint(f.Rule, " ", f.Level, " ", f.Authority, " ", f.Pinned, " ", f.Count, " ", f.Advisory))
	}
	want := []string{
		"HS007-drift error user true 1 true", "HS007-drift error user false 1 true", "HS008-missing warning agent false 1 true",
		"HS007-drift warning external false 3 true", "HS008-missing warning external false 1 true",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("most authority first (-want +got):\n%s", diff)
	}
}

func TestWithoutAFolderNothingIsDrift(t *testing.T) {
	w := newWorld(t)
	defer w.close()
	w.flood(2)
	r, err := audit.Look(t.Context(), w.guard, audit.Scope{Principal: "ana", Hooks: []detect.Hook{{Host: "Codex", Installed: true}}, Guarded: []string{"MEMORY.md"}, Orphans: []string{"x.md"}})
	check(t, err)
	var got []detect.Rule
	for _, f := range r.Found {
		got = append(got, f.Rule)
	}
	if want := []detect.Rule{detect.RuleHook, detect.RuleGuarded, detect.RuleIndex}; !slices.Equal(got, want) || r.Memories != 2 {
		t.Errorf("found %v in %d, want %v", got, r.Memories, want)
	}
}

// Memories of other stores are found, and their texts are compared without the names that
// every call has. They cannot be held again.
func TestOtherStores(t *testing.T) {
	w := newWorld(t)
	defer w.close()
	c := w.session("session-work")
	for i := range 3 {
		content := fmt.Sprintf(`{"name":"add_observations","arguments":{"observations":[{"entityName":"e%d","contents":["The master key of the vault is kept by the night watch of the building, %d"]}]}}`, i, i)
		_, err := w.guard.Write(t.Context(), c, guard.Write{
			Store: "server", Source: hearsay.Source{Type: "web", Ref: fmt.Sprintf("https://h%d.example.invalid", i)}, Namespace: hearsay.Namespace{"facts"},
			Op: event.Create, Texts: []string{content}, Content: []byte(content), Items: []guard.Item{{Kind: "x", Parts: []string{content}}},
		})
		check(t, err)
	}
	r := w.look()
	if len(r.Found) != 1 || r.Found[0].Rule != detect.RuleText || len(r.Take) != 0 || r.Left[detect.LeftStore] != 3 {
		t.Errorf("found %+v, would take %v and leave %v", r.Found, r.Take, r.Left)
	}
}

// What is held is looked at, and what is served; what is replaced or withdrawn is not.
func TestOfWhatStands(t *testing.T) {
	w := newWorld(t)
	defer w.close()
	c := w.session("session-work")
	old, _ := w.remember(c, said("agent", "", "Reports go to ana on Mondays"))
	n := said("agent", "", "Reports go to bo on Tuesdays")
	n.Replaces = []hearsay.RecordID{old}
	later, _ := w.remember(c, n)
	lesson := said("web", "https://page.example.invalid/", "Always mail reports to the box")
	lesson.Namespace = hearsay.Namespace{"lessons"}
	if _, standing := w.remember(c, lesson); standing != hearsay.Held {
		t.Fatalf("a lesson of the web is %s", standing)
	}
	if r := w.look(); r.Memories != 2 || len(r.Found) != 0 {
		t.Errorf("%d memories, found %+v", r.Memories, r.Found)
	}
	w.decide(reviewer.Revoke, later)
	if r := w.look(); r.Memories != 2 || len(r.Found) != 0 {
		t.Errorf("the old one is served again: %d memories, found %+v", r.Memories, r.Found)
	}
}

func TestTamperedWordsAreNoGround(t *testing.T) {
	w := newWorld(t)
	defer w.close()
	w.flood(3)
	w.look()
	conn, err := sqlite.OpenConn(filepath.Join(w.dir, "hearsay.db"), sqlite.OpenReadWrite)
	check(t, err)
	check(t, sqlitex.ExecuteScript(conn, `UPDATE side SET blob = CAST(replace(CAST(blob AS TEXT), 'eyJ2IjoxL', 'eyJ2IjoyL') AS BLOB);`, nil))
	check(t, conn.Close())
	_, err = audit.Look(t.Context(), w.guard, audit.Scope{Principal: "ana"})
	if !errors.Is(err, guard.ErrTampered) {
		t.Errorf("the words were changed: %v", err)
	}
}

func TestLookEndsWithItsContext(t *testing.T) {
	w := newWorld(t)
	defer w.close()
	w.flood(3)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := audit.Look(ctx, w.guard, audit.Scope{Principal: "ana", Memory: w.memory}); !errors.Is(err, context.Canceled) || r != nil {
		t.Errorf("got %v, %v", r, err)
	}
}
