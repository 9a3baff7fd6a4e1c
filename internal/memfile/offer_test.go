package memfile

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOffer(t *testing.T) {
	files := map[string]string{"/m": "# Notes\n- one\n- two, changed\n- three\n- four\n- five\n- six\n", "/marks": "<<<<<<<<< a\n- one\n"}
	read := func(name string) ([]byte, error) {
		if name == "/bad" {
			return nil, errors.New("not a regular file")
		}
		if text, ok := files[name]; ok {
			return []byte(text), nil
		}
		return nil, nil
	}
	c := &Call{Edits: []Edit{{Path: "/m", Old: "- two\n- three\n", New: "- two\n- drei\n"}}}
	text, ok := c.Offer("q-1", read)
	if !ok {
		t.Fatal("nothing is offered")
	}
	_, hunk, _ := strings.Cut(string(text), "<<<<<<<")
	want := " the file now, lines 1 to 7\n# Notes\n- one\n- two, changed\n- three\n- four\n- five\n- six\n" +
		"||||||| what the write was made for\n- two\n- three\n======= what it would be then\n- two\n- drei\n>>>>>>> held as q-1\n"
	if diff := cmp.Diff(want, hunk); diff != "" {
		t.Error(diff)
	}
	for _, part := range []string{"does not stand there", "/m changed since", "hearsay attest /m", "hearsay show q-1"} {
		if !strings.Contains(string(text), part) {
			t.Errorf("%q is not said in\n%s", part, text)
		}
	}
	for name, tt := range map[string]struct {
		edit Edit
		want string
	}{
		"whole":     {Edit{Path: "/m", New: "# Notes\n- new\n", Whole: true}, "+- new\n"},
		"gone":      {Edit{Path: "/none", Old: "x", New: "y"}, "nothing of the sort"},
		"deletion":  {Edit{Path: "/m", Delete: true}, "would be deleted"},
		"a move":    {Edit{Path: "/m", Old: "z", MoveTo: "/n"}, "moved to /n"},
		"marks":     {Edit{Path: "/marks", Old: "- two\n", New: ">>>>>>>>>>>> x\n"}, "\n============= what"},
		"too large": {Edit{Path: "/m", New: strings.Repeat("x", maxOffered+1), Whole: true}, "too large"},
		"a cell":    {Edit{Path: "/m", New: "x", Cell: "1"}, "held as q-1"},
	} {
		text, ok := (&Call{Edits: []Edit{tt.edit}, Base: map[string]string{"/m": "other"}}).Offer("q-1", read)
		if !ok || !strings.Contains(string(text), tt.want) {
			t.Errorf("%s: %v\n%.400s\nwant %q in it", name, ok, text, tt.want)
		}
	}
	if text, ok := (&Call{Edits: []Edit{{Path: "/m", Old: "- one", New: "x"}}}).Offer("q-1", read); ok {
		t.Errorf("a call that fits is offered: %s", text)
	}
	if _, ok := (&Call{Edits: []Edit{{Path: "/bad", Old: "x"}}}).Offer("q-1", read); ok {
		t.Error("a file that cannot be read is offered")
	}
}

// No text can end a part before its mark.
func FuzzOffer(f *testing.F) {
	f.Add("a\nb\n", "b\n", "======= x\n")
	f.Add("<<<<<<<", ">>>>>>>>", "|||||||||")
	f.Fuzz(func(t *testing.T, now, old, text string) {
		if old == "" || strings.Contains(now, old) {
			return
		}
		c := &Call{Edits: []Edit{{Path: "/m", Old: old, New: text}}}
		got, ok := c.Offer("q-1", func(string) ([]byte, error) { return []byte(now), nil })
		if !ok {
			t.Fatal("nothing is offered")
		}
		var b strings.Builder
		conflictText(&b, "q-1", c.Edits[0], []byte(now))
		if !strings.HasSuffix(string(got), b.String()) {
			t.Fatal("the hunk is not the end")
		}
		first, _, _ := strings.Cut(b.String(), " ")
		for _, char := range "<|=>" {
			mark := strings.Repeat(string(char), len(first)) + " "
			if n := strings.Count("\n"+b.String(), "\n"+mark); n != 1 {
				t.Errorf("%d lines begin with %q in\n%s", n, mark, b.String())
			}
		}
	})
}
