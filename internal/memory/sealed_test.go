package memory_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sqlite3 "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
	"github.com/hearsay-memory/hearsay/recall"
)

// putBack puts an old copy of the index back, which says that it has come as far as the log.
func (w *world) putBack(old []byte) {
	w.t.Helper()
	name := filepath.Join(w.folder("ana"), "index.db")
	if err := w.Store.Close(); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Rename(name, name+".new"); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(name, old, 0o600); err != nil {
		w.t.Fatal(err)
	}
	conn, err := sqlite3.OpenConn(name, sqlite3.OpenReadWrite)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, sql := range []string{"ATTACH '" + name + ".new' AS new", "UPDATE main.cursor SET (seq, leaf, head) = (SELECT seq, leaf, head FROM new.cursor)"} {
		if err := sqlitex.ExecuteTransient(conn, sql, nil); err != nil {
			w.t.Fatal(err)
		}
	}
	if err := conn.Close(); err != nil {
		w.t.Fatal(err)
	}
	w.Store = w.memoryOf("ana")
}

// oldIndex closes the index, and returns what is in its file.
func (w *world) oldIndex() []byte {
	w.t.Helper()
	if err := w.Store.Close(); err != nil {
		w.t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(w.folder("ana"), "index.db"))
	if err != nil {
		w.t.Fatal(err)
	}
	w.Store = w.memoryOf("ana")
	return data
}

// told is all that the memory tells of what it has, by every door, in the order of its ids:
// what was recalled before moves the order.
func (w *world) told(c hearsay.Caller, query string) map[string][]hearsay.RecordID {
	w.t.Helper()
	out := make(map[string][]hearsay.RecordID)
	_, out["recalled"] = w.recall(c, memory.Ask{Query: query, K: 50})
	_, out["newest"] = w.recall(c, memory.Ask{K: 50})
	list, err := w.List(w.t.Context(), c, memory.Filter{})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, r := range list {
		out["listed"] = append(out["listed"], r.ID)
	}
	start, err := w.Start(w.t.Context(), c, 0)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, r := range start.Results {
		out["started"] = append(out["started"], r.ID)
	}
	for m, err := range w.All(w.t.Context()) {
		if err != nil {
			w.t.Fatal(err)
		}
		out["exported"] = append(out["exported"], m.ID)
	}
	for _, ids := range out {
		slices.SortFunc(ids, func(a, b hearsay.RecordID) int { return bytes.Compare(a[:], b[:]) })
	}
	return out
}

// An old copy of the index brings nothing back that is out of service since, however it went.
func TestOldIndexBringsNothingBack(t *testing.T) {
	person := hearsay.Caller{Principal: "ana", Surface: hearsay.SurfaceCLI}
	for how, out := range map[string]func(w *world, c hearsay.Caller, id hearsay.RecordID){
		"forgotten": func(w *world, c hearsay.Caller, id hearsay.RecordID) {
			if _, err := w.Drop(t.Context(), person, memory.Forgetting{IDs: []hearsay.RecordID{id}}, w.sign); err != nil {
				t.Fatal(err)
			}
		},
		"erased": func(w *world, c hearsay.Caller, id hearsay.RecordID) {
			if _, err := w.Erase(t.Context(), person, []hearsay.RecordID{id}, w.sign); err != nil {
				t.Fatal(err)
			}
		},
		"forgotten, and that erased": func(w *world, c hearsay.Caller, id hearsay.RecordID) {
			r, err := w.Drop(t.Context(), person, memory.Forgetting{IDs: []hearsay.RecordID{id}, Why: "the zorble code"}, w.sign)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.guard.Erase(t.Context(), w.signed(reviewer.Erase, r.ID), nil); err != nil {
				t.Fatal(err)
			}
		},
		"revoked": func(w *world, c hearsay.Caller, id hearsay.RecordID) { w.review(reviewer.Revoke, id) },
		"corrected": func(w *world, c hearsay.Caller, id hearsay.RecordID) {
			n := agents("nothing of it")
			n.Replaces = []hearsay.RecordID{id}
			w.say(n)
		},
		"unpinned and forgotten": func(w *world, c hearsay.Caller, id hearsay.RecordID) {
			if _, err := w.Pin(t.Context(), person, id, guard.PinClaims{}, w.sign); err != nil {
				t.Fatal(err)
			}
			w.remove(c, id)
		},
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			c := w.session("ana", "session-1")
			n := agents("the zorble code is 4711")
			n.Claims.Pin = true
			gone := w.say(n).ID
			kept := w.remember(c, agents("the zorble door is green"), hearsay.Allowed)
			if got := w.told(c, "zorble"); !slices.Contains(got["recalled"], gone) || !slices.Contains(got["started"], gone) {
				t.Fatalf("told before: %v", got)
			}
			old := w.oldIndex()
			out(w, c, gone)
			w.putBack(old)
			if _, err := w.Get(t.Context(), c, gone); err == nil {
				t.Error("it is got")
			}
			if _, err := w.Life(t.Context(), gone); err == nil {
				t.Error("it has a life")
			}
			w.putBack(old)
			got := w.told(c, "zorble")
			for door, ids := range got {
				if slices.Contains(ids, gone) || door != "started" && !slices.Contains(ids, kept) {
					t.Errorf("%s: %v, without %s and with %s", door, ids, gone, kept)
				}
			}
			if !strings.Contains(w.logged.String(), "made again") {
				t.Error("that the index was wrong is not said")
			}
			w.putBack(old)
			if got := w.told(c, "")["exported"]; slices.Contains(got, gone) {
				t.Error("it is exported")
			}
		})
	}
}

func (w *world) remove(c hearsay.Caller, id hearsay.RecordID) {
	w.t.Helper()
	if d, err := w.Forget(w.t.Context(), c, memory.Forgetting{IDs: []hearsay.RecordID{id}, Source: hearsay.Source{Type: "agent"}}); err != nil || d.Standing != hearsay.Allowed {
		w.t.Fatal(d.Standing, err)
	}
}

func (w *world) signed(d reviewer.Decision, id hearsay.RecordID) reviewer.Signed {
	w.t.Helper()
	st, err := w.guard.Statement(w.t.Context(), d, id, "")
	if err != nil {
		w.t.Fatal(err)
	}
	signed, err := w.sign(st)
	if err != nil {
		w.t.Fatal(err)
	}
	return signed
}

// Whatever somebody writes into the index, what is recalled, and in which order, is what the
// log says; and that the index was wrong is said.
func TestChangedIndexSaysNothing(t *testing.T) {
	w := newWorld(t)
	c := w.session("ana", "session-1")
	w.say(agents("the zorble opens at nine"))
	n := agents("the zorble closes at five")
	n.Tags, n.Links = []string{"a", "b"}, []hearsay.RecordID{w.remember(c, agents("the zorble has a door of oak and iron in its north wall"), hearsay.Allowed)}
	w.remember(c, n, hearsay.Allowed)
	for i := range 3 {
		w.remember(c, webs(fmt.Sprintf("zorble zorble zorble opens at %d", i)), hearsay.Allowed)
	}
	held := w.session("ana", "session-2")
	w.read(held)
	waits := w.remember(held, agents("the zorble is closed for good"), hearsay.Held)
	bos := w.memoryOf("bo")
	defer bos.Close()
	theirs, err := bos.Remember(t.Context(), w.session("bo", "session-3"), agents("the zorble of bo is secret"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := w.guard.Write(t.Context(), c, guard.Write{Store: "files", Source: hearsay.Source{Type: "agent"}, Namespace: hearsay.Namespace{"memory"}, Op: event.Create, Texts: []string{"the zorble file"}, Content: []byte("the zorble file")})
	if err != nil {
		t.Fatal(err)
	}
	want, ids := w.recall(c, memory.Ask{Query: "zorble", K: 50})
	all := w.told(c, "zorble")
	if len(ids) != 5 {
		t.Fatalf("recalled %v", ids)
	}
	w.quiet()
	columns := "kind, form, created, origin, taint, salience, confidence, weight, pinned, stable, vetted, namespace, project, tags, links, name, drawn, words"
	asOurs := "INSERT INTO trusted(doc, id, " + columns + ") SELECT 1000 + doc, id, " + strings.NewReplacer("origin", "4", "taint", "''").Replace(columns) + " FROM rest"
	texts := "INSERT INTO trusted_text(rowid, words) SELECT doc, words FROM trusted WHERE doc > 1000"
	// forged is a row of its own, which says that it is the best there is.
	forged := func(id hearsay.RecordID) string {
		return fmt.Sprintf("INSERT INTO trusted(doc, id, %s) SELECT 1001, x'%x', %s FROM trusted WHERE doc = 1; %s", columns, id[:],
			strings.NewReplacer("words", "'zorble '").Replace(columns), texts)
	}
	for name, sql := range map[string]string{
		"a stranger's is the user's":      asOurs + "; " + texts,
		"a stranger's is moved":           asOurs + "; DELETE FROM rest; " + texts,
		"an agent's is the user's":        "UPDATE trusted SET origin = 4",
		"a stranger's is untainted":       "UPDATE rest SET taint = ''",
		"another kind":                    "UPDATE trusted SET kind = 1 - (kind = 1)",
		"another form":                    "UPDATE trusted SET form = 1 - form",
		"fresh":                           "UPDATE trusted SET created = created + 86400000",
		"old":                             "UPDATE trusted SET created = 0",
		"salient":                         "UPDATE rest SET salience = 1",
		"confident":                       "UPDATE rest SET confidence = 1",
		"heavy":                           "UPDATE rest SET weight = 1",
		"light":                           "UPDATE trusted SET weight = 0.001",
		"pinned":                          "UPDATE trusted SET pinned = 1",
		"stable":                          "UPDATE trusted SET stable = 1",
		"looked at":                       "UPDATE rest SET vetted = 1",
		"with tags":                       `UPDATE rest SET tags = '["a","b"]'`,
		"with links":                      fmt.Sprintf("UPDATE rest SET links = x'%x'", ids[0][:]),
		"of a project":                    "UPDATE trusted SET project = '/srv/other'",
		"in a namespace":                  "UPDATE rest SET namespace = x'066d656d6f7279'",
		"of no record":                    forged(hearsay.RecordID{6: 0x70, 8: 0x80}),
		"held":                            forged(waits),
		"another principal's":             forged(theirs.ID),
		"another store's":                 forged(files.ID),
		"an id that is none":              "UPDATE trusted SET id = x'00' WHERE doc = 1",
		"not a number":                    "UPDATE trusted SET weight = 9e999",
		"no index at all":                 "DROP TABLE trusted",
		"another principal's index":       "UPDATE cursor SET principal = x'626f'",
		"tags that are none":              "UPDATE trusted SET tags = '{'",
		"a namespace that is none":        "UPDATE trusted SET namespace = x'ff'",
		"a memory that is in both halves": "INSERT INTO rest(doc, id, " + columns + ") SELECT 2000 + doc, id, " + columns + " FROM trusted; INSERT INTO rest_text(rowid, words) SELECT doc, words FROM rest WHERE doc BETWEEN 2000 AND 3000",
	} {
		for _, door := range []string{"recall", "all"} {
			w.logged.Reset()
			w.change(sql)
			if door == "all" {
				if got := w.told(c, "zorble"); !cmp.Equal(got, all) {
					t.Errorf("%s: told %s", name, cmp.Diff(all, got))
				}
			} else if got, _ := w.recall(c, memory.Ask{Query: "zorble", K: 50}); !cmp.Equal(scoreless(got), scoreless(want)) {
				t.Errorf("%s: recalled %s", name, cmp.Diff(scoreless(want), scoreless(got)))
			}
			if !strings.Contains(w.logged.String(), "made again") {
				t.Errorf("%s, %s: it is not said that the index was wrong", name, door)
			}
		}
	}
}

// scoreless is what an answer says, as far as it does not depend on the time.
func scoreless(a memory.Answer) (out []string) {
	for _, r := range a.Results {
		out = append(out, fmt.Sprint(r.ID, r.Label, r.Flags, r.Kind, r.Tags, r.Links, r.Project, r.Namespace, strings.Contains(r.Text, "zorble")))
	}
	return out
}

// Where the index is changed as fast as it is made again, what is right of it is told, and
// what is wrong is not.
func TestWhatIsWrongIsLeftOut(t *testing.T) {
	w := newWorld(t)
	c := w.session("ana", "session-1")
	a, b := w.remember(c, agents("the zorble is green"), hearsay.Allowed), w.remember(c, agents("the zorble is blue"), hearsay.Allowed)
	life := func(id hearsay.RecordID) recall.Memory {
		t.Helper()
		m, err := w.Life(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	right, wrong, gone := life(a), life(b), life(a)
	wrong.Label, gone.ID = hearsay.LabelIdentity, hearsay.RecordID{6: 0x70, 8: 0x80}
	rows := []recall.Memory{gone, wrong, right}
	if _, err := w.AnswerTo(t.Context(), c, rows, false); !memory.Unusable(err) {
		t.Errorf("it is believed: %v", err)
	}
	got, err := w.AnswerTo(t.Context(), c, rows, true)
	if err != nil || len(got.Results) != 1 || got.Results[0].ID != a {
		t.Errorf("%+v, %v", got.Results, err)
	}
	if !strings.Contains(w.logged.String(), "made again") {
		t.Error("it is not said")
	}
	if _, err := os.Stat(filepath.Join(w.folder("ana"), "index.db")); err == nil {
		t.Error("the index is still there")
	}
	if _, ids := w.recall(c, memory.Ask{Query: "zorble"}); len(ids) != 2 {
		t.Errorf("recalled %v", ids)
	}
}

// What was learnt from use can be written by who has the folder, and lifts no stranger.
func TestChangedLifeLiftsNobody(t *testing.T) {
	w := newWorld(t)
	c := w.session("ana", "session-1")
	w.say(agents("the zorble opens at nine"))
	for i := range 3 {
		w.remember(c, webs(fmt.Sprintf("the zorble opens at %d", i)), hearsay.Allowed)
	}
	want, _ := w.recall(c, memory.Ask{Query: "zorble"})
	if err := w.Store.Close(); err != nil {
		t.Fatal(err)
	}
	conn, err := sqlite3.OpenConn(filepath.Join(w.folder("ana"), "life.db"), sqlite3.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range want.Results {
		sql := fmt.Sprintf("INSERT OR REPLACE INTO life VALUES(x'%x', 1, %d);", r.ID[:], int64(1)<<60)
		if i > 0 {
			sql += fmt.Sprintf("INSERT OR REPLACE INTO tie VALUES(x'%x', x'%x', 1, %d);", want.Results[0].ID[:], r.ID[:], int64(1)<<60)
		}
		if err := sqlitex.ExecuteScript(conn, sql, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	w.Store = w.memoryOf("ana")
	got, _ := w.recall(c, memory.Ask{Query: "zorble"})
	if !cmp.Equal(scoreless(got), scoreless(want)) {
		t.Errorf("recalled %s", cmp.Diff(scoreless(want), scoreless(got)))
	}
	for i, r := range got.Results {
		if !r.Label.Trusted() && r.Score > want.Results[i].Score {
			t.Errorf("%s has %v, and had %v", r.ID, r.Score, want.Results[i].Score)
		}
	}
}

// A forgetting that comes between the choice and the look at it is no fault of the index.
func TestForgettingMeanwhileIsNoFault(t *testing.T) {
	w := newWorld(t)
	c := w.session("ana", "session-1")
	other := w.memoryOf("ana")
	defer other.Close()
	for i := range 20 {
		id := w.remember(c, agents(fmt.Sprintf("the zorble costs %d", i)), hearsay.Allowed)
		if err := w.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() {
			_, err := other.Forget(t.Context(), c, memory.Forgetting{IDs: []hearsay.RecordID{id}, Source: hearsay.Source{Type: "agent"}})
			done <- err
		}()
		w.recall(c, memory.Ask{Query: "zorble"})
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if _, ids := w.recall(c, memory.Ask{Query: "zorble"}); len(ids) != 0 {
			t.Errorf("recalled %v", ids)
		}
	}
	w.quiet()
}

// A memory whose words are not what was sealed is left out, loudly, and costs nobody else
// anything; it brings back nothing that it stands in the place of, and who wants all there is
// is told.
func TestChangedWordsCostNobodyElse(t *testing.T) {
	w := newWorld(t)
	c := w.session("ana", "session-1")
	old := w.remember(c, agents("the zorble opens at eight"), hearsay.Allowed)
	n := agents("the zorble opens at nine")
	n.Replaces = []hearsay.RecordID{old}
	changed, kept := w.remember(c, n, hearsay.Allowed), w.remember(c, agents("the zorble is green"), hearsay.Allowed)
	if _, ids := w.recall(c, memory.Ask{Query: "zorble"}); len(ids) != 2 {
		t.Fatalf("recalled %v", ids)
	}
	shown, err := w.guard.Show(t.Context(), changed)
	if err != nil {
		t.Fatal(err)
	}
	w.close()
	conn, err := sqlite3.OpenConn(filepath.Join(w.dir, "hearsay.db"), sqlite3.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	if err := sqlitex.ExecuteTransient(conn, fmt.Sprintf("UPDATE side SET salt = zeroblob(32) WHERE seq = %d", shown.Record.Side), nil); err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	w.open()
	var told error
	for _, err := range w.All(t.Context()) {
		told = err
	}
	if !errors.Is(told, guard.ErrTampered) {
		t.Errorf("who wants all of it is told %v", told)
	}
	for range 2 {
		w.logged.Reset()
		if _, ids := w.recall(c, memory.Ask{Query: "zorble"}); !slices.Equal(ids, []hearsay.RecordID{kept}) {
			t.Errorf("recalled %v, want %s alone of %s, %s", ids, kept, old, changed)
		}
	}
	if strings.Contains(w.logged.String(), "made again") {
		t.Error("the index is made again and again")
	}
}
