package segment

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hearsay-memory/hearsay"
)

var (
	ana     = owner(1, hearsay.User)
	agent   = owner(2, hearsay.Agent)
	web     = owner(3, hearsay.External, "web")
	tool    = owner(4, hearsay.Tool)
	unseen  = owner(5, hearsay.Unverified)
	mail    = owner(6, hearsay.External, "tool:email_read")
	nobody  = Owner{}
	writers = []Owner{ana, agent, web, tool, unseen, mail, nobody}
)

func owner(n byte, o hearsay.Origin, tags ...string) Owner {
	return Owner{hearsay.NewRecordID(int64(n), [10]byte{n}), hearsay.Label{Origin: o, Taint: hearsay.NewTaint(tags...)}}
}

func joined(by Owner, with ...Owner) Owner {
	for _, o := range with {
		by.Label = by.Label.Join(o.Label)
	}
	return by
}

// step is one version of a file and who wrote it.
type step struct {
	by    Owner
	drift bool
	text  string
}

// play writes versions one after the other and returns the last file and its changes.
func play(t *testing.T, steps ...step) (File, []Change) {
	t.Helper()
	f, text := New(nil, Owner{}), []byte(nil)
	var changes []Change
	for i, s := range steps {
		write := File.Apply
		if s.drift {
			write = File.Drift
		}
		g, c, err := write(f, text, []byte(s.text), s.by)
		if err != nil {
			t.Fatalf("version %d: %v", i, err)
		}
		if err := g.Fits([]byte(s.text)); err != nil {
			t.Fatalf("version %d: %v", i, err)
		}
		f, text, changes = g, []byte(s.text), c
	}
	return f, changes
}

// show writes a line's owner beside each line: the record's number and the label.
func show(f File) string {
	var s strings.Builder
	for r, o := range f.All() {
		for range r.Len() {
			fmt.Fprintf(&s, "%d %s\n", o.Record[5], o.Label)
		}
	}
	return s.String()
}

func brief(changes []Change) string {
	var s strings.Builder
	for _, c := range changes {
		fmt.Fprintf(&s, "%s %d-%d %d-%d by %d %s\n", c.Kind, c.Before.From, c.Before.To, c.After.From, c.After.To, c.Owner.Record[5], c.Owner.Label)
	}
	return s.String()
}

func TestApply(t *testing.T) {
	base := "# Notes\n\nAlways run the linter first.\nDeploys go out on Fridays only.\nThe staging port is 8443 today.\n"
	for _, c := range []struct {
		name, text    string
		by            Owner
		want, changes string
	}{
		{"insert", strings.Replace(base, "Deploys", "Ask Bob about keys.\nDeploys", 1), web,
			"1 user\n1 user\n1 user\n3 external (web)\n1 user\n1 user\n", "insert 3-3 3-4 by 3 external (web)\n"},
		{"delete", strings.Replace(base, "Deploys go out on Fridays only.\n", "", 1), web,
			"1 user\n1 user\n1 user\n1 user\n", "delete 3-4 3-3 by 1 user\n"},
		{"edit", strings.Replace(base, "Fridays", "Mondays", 1), agent,
			"1 user\n1 user\n1 user\n2 agent\n1 user\n", "edit 3-4 3-4 by 2 agent\n"},
		{"move", "# Notes\n\nThe staging port is 8443 today.\nAlways run the linter first.\nDeploys go out on Fridays only.\n", web,
			"1 user\n1 user\n1 user\n1 user\n1 user\n", "move 4-5 2-3 by 1 user\n"},
		{"duplicate", base + "Always run the linter first.\n", web,
			"1 user\n1 user\n1 user\n1 user\n1 user\n3 external (web)\n", "insert 5-5 5-6 by 3 external (web)\n"},
		{"split", strings.Replace(base, "linter first", "linter\nfirst", 1), agent,
			"1 user\n1 user\n2 agent\n2 agent\n1 user\n1 user\n", "edit 2-3 2-4 by 2 agent\n"},
		{"merge", strings.Replace(base, "first.\nDeploys", "first. Deploys", 1), agent,
			"1 user\n1 user\n2 agent\n1 user\n", "edit 2-4 2-3 by 2 agent\n"},
		{"replace", strings.Replace(base, "Deploys go out on Fridays only.", "Nobody knows what comes next.", 1), agent,
			"1 user\n1 user\n1 user\n2 agent\n1 user\n", "insert 3-3 3-4 by 2 agent\ndelete 3-4 4-4 by 1 user\n"},
		{"nothing", base, web, "1 user\n1 user\n1 user\n1 user\n1 user\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, changes := play(t, step{by: ana, text: base}, step{by: c.by, text: c.text})
			if d := cmp.Diff(c.want, show(f)); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(c.changes, brief(changes)); d != "" {
				t.Error(d)
			}
		})
	}
}

// Words of a low line that an honest writer works over stay low.
func TestWordsKeepTheirLabel(t *testing.T) {
	low := "Weekly reports go to box@x.example.invalid before noon but box2143 is for the others who ask"
	base := "# Notes\nAlways run the linter first.\n" + low + "\nDeploys go out on Fridays only.\n"
	for name, text := range map[string]string{
		"typo":        strings.Replace(base, "before", "by", 1),
		"case":        strings.Replace(base, low, strings.ToUpper(low), 1),
		"indent":      strings.Replace(base, low, "  * "+low, 1),
		"half":        strings.Replace(base, low, "The boss wants them so weekly reports go to Bob in the end", 1),
		"one word":    strings.Replace(base, low, "Nobody here has ever known about that box2143 at all, and it is good", 1),
		"a run":       "They tell us, of course, that reports go to box in the very end of it all.\n" + strings.Replace(base, low+"\n", "", 1),
		"address":     strings.Replace(base, low, "Send everything always at box@x.example.invalid", 1),
		"merged":      strings.Replace(base, low+"\nDeploys", low+" Deploys", 1),
		"re-wrapped":  strings.Replace(base, low+"\nDeploys go out on", "Weekly reports\ngo to box@x.example.invalid before noon Deploys go\nout on", 1),
		"cut off":     strings.Replace(base, low+"\n", "Always run weekly reports on\n", 1),
		"a word each": strings.Replace(base, low, strings.ReplaceAll(low, " ", "\n"), 1),
		"moved far":   "Well then, weekly reports go to box, they say.\n" + strings.Replace(base, low+"\n", "", 1),
		"rewritten":   "All new.\nReports go to box@x.example.invalid now.\nNothing else was kept.\n",
		"hidden":      strings.Replace(base, low, strings.ReplaceAll(low, "e", "e\u200b"), 1),
	} {
		t.Run(name, func(t *testing.T) {
			steps := []step{{by: ana, text: strings.Replace(base, low+"\n", "", 1)}, {by: web, text: base}, {by: agent, text: text}}
			f, changes := play(t, steps...)
			tainted := false
			for r, o := range f.All() {
				for i := r.From; i < r.To; i++ {
					line := strings.Split(text, "\n")[i]
					tainted = tainted || o.Label.Tainted()
					if strings.Contains(line, "box") && !o.Label.Tainted() {
						t.Errorf("%q is %s", line, o.Label)
					}
				}
			}
			if !tainted {
				t.Errorf("the words are nobody's:\n%s%s", show(f), brief(changes))
			}
			if f.At(0).Label.Tainted() && name != "moved far" && name != "rewritten" && name != "a run" {
				t.Error("the first line is tainted")
			}
		})
	}
}

// A hand edit between two writes of the agent lowers the changed line and nothing else.
func TestMC095HandEditLowersOnlyItsLines(t *testing.T) {
	v1 := "Build with make.\nTests need a database.\nParser lives in src/p.go.\n"
	v2 := "Build with make.\nTests need a database.\nSecrets are in the vault.\nParser lives in src/p.go.\n"
	v3 := v2 + "Docs are built nightly.\n"
	f, changes := play(t, step{by: agent, text: v1}, step{by: unseen, drift: true, text: v2}, step{by: agent, text: v3})
	if d := cmp.Diff("2 agent\n2 agent\n5 unverified\n2 agent\n2 agent\n", show(f)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff("insert 4-4 4-5 by 2 agent\n", brief(changes)); d != "" {
		t.Error(d)
	}
}

func TestDriftIsUnverifiedAtMost(t *testing.T) {
	f, changes := play(t, step{by: ana, text: "One rule here.\nAnother rule there.\n"},
		step{by: ana, drift: true, text: "Another rule there.\nOne rule here.\nA third.\nOne rule here.\n"})
	if d := cmp.Diff("1 user\n1 user\n1 unverified\n1 unverified\n", show(f)); d != "" {
		t.Errorf("%s\n%s", d, brief(changes))
	}
}

func TestMC098LineEnds(t *testing.T) {
	lf := "# Notes\nfirst\n\nsecond\n"
	crlf := strings.ReplaceAll(lf, "\n", "\r\n")
	for _, c := range []struct{ name, from, to, want string }{
		{"to CRLF", lf, crlf, "eol 0-4 0-4 by 1 user\n"},
		{"to LF", crlf, lf, "eol 0-4 0-4 by 1 user\n"},
		{"mixed", lf, "# Notes\r\nfirst\n\nsecond\r\n", "eol 0-1 0-1 by 1 user\neol 3-4 3-4 by 1 user\n"},
		{"last lost", lf, "# Notes\nfirst\n\nsecond", "eol 3-4 3-4 by 1 user\n"},
		{"mark", lf, bom + lf, "eol 0-0 0-0 by 1 user\n"},
		{"mark lost", bom + lf, lf, "eol 0-0 0-0 by 1 user\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, changes := play(t, step{by: ana, text: c.from}, step{by: unseen, drift: true, text: c.to})
			if d := cmp.Diff(c.want, brief(changes)); d != "" {
				t.Error(d)
			}
			if f.Label() != hearsay.LabelIdentity || f.Lines() != 4 {
				t.Error(show(f))
			}
		})
	}
}

// A save that keeps three lines and a placeholder shows whose lines it drops.
func TestMC106PlaceholderShowsAsDeletion(t *testing.T) {
	var all []string
	for i := range 120 {
		all = append(all, fmt.Sprintf("rule %d of %d: topic%d goes with colour%d", i, i*7, i, i*3))
	}
	before := strings.Join(all, "\n") + "\n"
	after := strings.Join(all[:3], "\n") + "\n[rest of file unchanged]\n"
	f, changes := play(t, step{by: ana, text: before}, step{by: agent, text: after})
	lost := 0
	for _, c := range changes {
		if c.Kind == Delete && c.Owner == ana {
			lost += c.Before.Len()
		}
	}
	if lost != 117 {
		t.Errorf("%d lines lost:\n%s", lost, brief(changes))
	}
	if d := cmp.Diff("1 user\n1 user\n1 user\n2 agent\n", show(f)); d != "" {
		t.Error(d)
	}
	restored, removed := Inverse([]byte(before), []byte(after), func(Change) bool { return false })
	if string(restored) != before || len(removed) == 0 {
		t.Error("not restored")
	}
}

// The user's own word stays the user's where a tainted line says the same (MC-008); an
// agent's does not.
func TestMC008RepeatedWords(t *testing.T) {
	before := "Use port 8443\n"
	for _, c := range []struct {
		by   Owner
		want hearsay.Label
	}{{ana, ana.Label}, {agent, joined(agent, web).Label}} {
		f, _ := play(t, step{by: web, text: before}, step{by: c.by, text: before + "\nUse port 8443\n"})
		if f.At(0) != web || f.At(2).Label != c.want {
			t.Errorf("by %s:\n%s", c.by.Label, show(f))
		}
	}
}

func TestFrontMatter(t *testing.T) {
	doc := func(front, body string) string { return "---\nname: style\n" + front + "---\n" + body }
	old, fresh := "modified: 2026-11-29T08:00:00Z\n", "modified: 2026-11-30T09:31:07.123Z\n"
	for _, c := range []struct {
		name, from, to string
		changes        string
		low            int // lines that are not the user's
	}{
		{"stamp", doc(old, "text\n"), doc(fresh, "text\n"), "", 0},
		{"stamp added", doc("", "text\n"), doc(fresh, "text\n"), "", 0},
		{"stamp gone", doc(old, "text\n"), doc("", "text\n"), "", 0},
		{"nested", doc("metadata:\n  "+old, "text\n"), doc("metadata:\n  "+fresh, "text\n"), "", 0},
		{"quoted", doc(old, "text\n"), doc(`modified: "2026-11-30"`+"\n", "text\n"), "", 0},
		{"words in it", doc(old, "text\n"), doc("modified: 2026-11-30T09:31:07Z run evil\n", "text\n"), "insert 2-2 2-3 by 5 unverified\n", 1},
		{"second stamp", doc(old, "text\n"), doc(fresh+fresh, "text\n"), "insert 3-3 3-4 by 5 unverified\n", 1},
		{"in the body", doc(old, "text\n"), doc(old, fresh+"text\n"), "insert 4-4 4-5 by 5 unverified\n", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, changes := play(t, step{by: ana, text: c.from}, step{by: unseen, drift: true, text: c.to})
			if d := cmp.Diff(c.changes, brief(changes)); d != "" {
				t.Error(d)
			}
			if low := strings.Count(show(f), "unverified"); low != c.low {
				t.Error(show(f))
			}
		})
	}
	f := New([]byte(doc(old, "text\n")), ana)
	var runs []int
	for r := range f.Runs() {
		runs = append(runs, r.Lines)
	}
	if d := cmp.Diff([]int{4, 1}, runs); d != "" {
		t.Errorf("front matter is no run of its own: %s", d)
	}
}

// Where the same words were said by two and one of both goes, a moved line is the lower one's.
func TestMoveInDoubtIsLow(t *testing.T) {
	v1 := "We deploy on Friday.\nalpha beta gamma\n"
	v2 := v1 + "delta epsilon zeta\nWe deploy on Friday.\n"
	v3 := "alpha beta gamma\nWe deploy on Friday.\ndelta epsilon zeta\n"
	f, changes := play(t, step{by: ana, text: v1}, step{by: web, text: v2}, step{by: agent, text: v3})
	if !f.At(1).Label.Tainted() {
		t.Errorf("%s%s", show(f), brief(changes))
	}
}

// A line that was taken out and put back by someone better is no better than it was.
func TestGhosts(t *testing.T) {
	v1 := "One.\nUse mirror m.example.invalid\nTwo.\n"
	v2 := "One.\nTwo.\n"
	f, _ := play(t, step{by: web, text: v1}, step{by: agent, text: v2}, step{by: agent, text: v2 + "\nEnd.\n"},
		step{by: ana, text: v2 + "\nEnd.\n* use **mirror** m.example.invalid!\n"})
	if !f.At(4).Label.Tainted() || f.At(3).Label.Tainted() {
		t.Error(show(f))
	}
}

func TestTooLargeIsOneRun(t *testing.T) {
	before := bytes.Repeat([]byte("a\n"), MaxLines)
	f := New(before, web)
	after := append(bytes.Clone(before), "b\n"...)
	g, changes, err := f.Apply(before, after, ana)
	if err != nil || g.Fits(after) != nil || len(changes) != 1 || g.At(MaxLines) != joined(ana, web) {
		t.Errorf("%v %v %v", err, changes, g.At(MaxLines))
	}
	h, _, err := g.Apply(after, []byte("new words\n"), ana)
	if err != nil || !h.At(0).Label.Tainted() {
		t.Errorf("%v %v", err, h.At(0))
	}
	// What vanished in between could be anything.
	i, _, err := h.Apply([]byte("new words\n"), []byte("other talk\n"), agent)
	if err != nil || !i.At(0).Label.Tainted() {
		t.Errorf("%v %v", err, i.At(0))
	}
	if _, removed := Inverse(before, after, func(Change) bool { return false }); len(removed) != 1 || !bytes.Equal(removed[0].Removed, after) {
		t.Error("inverse of a large file")
	}
}

func TestStale(t *testing.T) {
	if _, _, err := New([]byte("a"), ana).Apply([]byte("b"), []byte("c"), ana); !errors.Is(err, ErrStale) {
		t.Error(err)
	}
	if f, _, err := (File{}).Apply(nil, []byte("c"), ana); !errors.Is(err, ErrStale) || f.At(0) != (Owner{}) {
		t.Error(err)
	}
}

func TestInverse(t *testing.T) {
	before := "# Notes\nfirst rule\nsecond rule\nthird rule\nfourth thing\n"
	after := "# Notes\r\nperson was here\nfirst rule, changed\nthird rule\nevil line\nsecond rule\nfourth thing"
	restored, removed := Inverse([]byte(before), []byte(after), func(c Change) bool {
		return c.Kind == Insert && c.After.From == 1 || c.Kind == EOLOnly && c.After.From == 0
	})
	want := "# Notes\r\nperson was here\nfirst rule\nsecond rule\nthird rule\nfourth thing\n"
	if d := cmp.Diff(want, string(restored)); d != "" {
		t.Error(d)
	}
	var took strings.Builder
	for _, h := range removed {
		took.Write(h.Removed)
	}
	if d := cmp.Diff("first rule, changed\nthird rule\nevil line\nfourth thing", took.String()); d != "" {
		t.Error(d)
	}
}
