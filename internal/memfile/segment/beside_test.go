package segment

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hearsay-memory/hearsay"
)

// Lines that move from one file to another keep their owners, whatever the writer is; what
// the writer adds is the writer's, and words of a line that vanished stay as low as they were.
func TestBeside(t *testing.T) {
	const there, topic = "# Notes\nWe deploy on Friday.", "Reports go to box@x.example.invalid before noon\nTests need a database.\n"
	f := New([]byte(there), ana)
	g, _, err := New([]byte(topic), web).Apply([]byte(topic), []byte(topic+"The parser lives in src/p.go\n"), agent)
	if err != nil {
		t.Fatal(err)
	}
	all := topic + "The parser lives in src/p.go\n"
	for name, tt := range map[string]struct {
		text, want string
		by         Owner
	}{
		"moved":     {there + "\n" + all, "1 user\n1 user\n3 external (web)\n3 external (web)\n2 agent\n", ana},
		"by less":   {there + "\n" + all, "1 user\n1 user\n3 external (web)\n3 external (web)\n2 agent\n", unseen},
		"one alone": {all, "3 external (web)\n3 external (web)\n2 agent\n", ana},
		"added":     {all + "New words here\n", "3 external (web)\n3 external (web)\n2 agent\n5 unverified\n", unseen},
		"reworded":  {"Send reports to box@x.example.invalid always\n", "1 external (web)\n", ana},
		"twice":     {all + all, "1 external (web)\n1 external (web)\n1 agent\n3 external (web)\n3 external (web)\n2 agent\n", Owner{Record: ana.Record, Label: agent.Label}},
	} {
		t.Run(name, func(t *testing.T) {
			both, data, err := f.Beside([]byte(there), g, []byte(all))
			if err != nil {
				t.Fatal(err)
			}
			h, _, err := both.Apply(data, []byte(tt.text), tt.by)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, show(h)); d != "" {
				t.Error(d)
			}
			// What vanished is no better when it comes back.
			if name == "reworded" {
				back, _, err := h.Apply([]byte(tt.text), []byte("Tests need a database.\nx y\n"), ana)
				if err != nil || !back.At(0).Label.Tainted() {
					t.Errorf("%v\n%s", err, show(back))
				}
			}
		})
	}
	if _, _, err := f.Beside([]byte("other"), g, []byte(all)); !errors.Is(err, ErrStale) {
		t.Error(err)
	}
	if _, _, err := f.Beside([]byte(there), g, []byte("other")); !errors.Is(err, ErrStale) {
		t.Error(err)
	}
}

// A line that vanished from either file is remembered, however exactly.
func TestBesideRemembers(t *testing.T) {
	gone := func(text string, by Owner) File {
		f, _ := play(t, step{by: by, text: text}, step{by: ana, text: "kept\n"})
		return f
	}
	f, g := gone("Use mirror m.example.invalid\n", web), gone("Mail the invoices to the box\n", mail)
	g.ghosts = g.ghosts.coarser(20)
	both, data, err := f.Beside([]byte("kept\n"), g, []byte("kept\n"))
	if err != nil {
		t.Fatal(err)
	}
	h, _, err := both.Apply(data, []byte("kept\nkept\nUse mirror m.example.invalid\nMail the invoices to the box\n"), ana)
	if err != nil || !h.At(2).Label.Taint.Has("web") || !h.At(3).Label.Taint.Has("tool:email_read") {
		t.Errorf("%v\n%s", err, show(h))
	}
}

// FuzzBeside lays any two texts beside each other: every line is owned by whom it was, and
// what is made of both is below the join of both and the writer.
func FuzzBeside(f *testing.F) {
	f.Add("# a\nrule", "---\nx: y\n---\nb\n", "b\n# a\n")
	f.Add("---\nx", "y\n---\nz\n", "")
	f.Add(bom, bom+"a", bom)
	f.Add(bom+"a", bom, "a\n")
	f.Add("", "\r\n", "\n")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		one, two := New([]byte(a), web), New([]byte(b), agent)
		both, data, err := one.Beside([]byte(a), two, []byte(b))
		if err != nil || both.Fits(data) != nil {
			t.Fatal(err)
		}
		if got, want := show(both), show(one)+show(two); got != want {
			t.Fatalf("%q beside %q is of\n%s", a, b, got)
		}
		if form, err := both.MarshalBinary(); err != nil {
			t.Fatalf("%x: %v", form, err)
		}
		h, _, err := both.Apply(data, []byte(c), tool)
		if err != nil || h.Fits([]byte(c)) != nil {
			t.Fatal(err)
		}
		floor := web.Label.Join(agent.Label).Join(tool.Label)
		if !floor.Below(h.Label()) || strings.Count(show(h), "user") > 0 || h.Label() == (hearsay.Label{}) {
			t.Fatalf("%s is not between", h.Label())
		}
	})
}
