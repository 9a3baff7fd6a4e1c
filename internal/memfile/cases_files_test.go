package memfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/asuser"
	"github.com/hearsay-memory/hearsay/internal/guardtest"
	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
)

// shelf is a folder of memory files over a real store, with a reviewer and a session that
// read a page.
type shelf struct {
	t      *testing.T
	dir    string
	guard  *guard.Guard
	caller hearsay.Caller
	signer *reviewer.Signer
}

func newShelf(t *testing.T) *shelf {
	t.Helper()
	s := &shelf{t: t, caller: hearsay.Caller{Principal: "ana", Session: "s1", Surface: hearsay.SurfaceHook}}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	s.must(err)
	s.dir = filepath.ToSlash(filepath.Join(dir, "memory"))
	s.must(os.Mkdir(s.dir, 0o700))
	private, _ := guardtest.Key(t)
	store, g, err := guardtest.Open(t.Context(), filepath.Join(t.TempDir(), "hearsay.db"), private, guard.Config{})
	s.must(err)
	t.Cleanup(func() { _ = store.Close() })
	s.guard, s.signer = g, guardtest.Enrol(t, g)
	_, err = s.guard.Open(t.Context(), s.caller, guard.Start{})
	s.must(err)
	_, err = s.guard.Observe(t.Context(), s.caller, guard.Observation{Source: hearsay.Source{Type: "web", Ref: "https://a.example.test"}})
	s.must(err)
	return s
}

func (s *shelf) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *shelf) at(name string) string { return s.dir + "/" + name }

func (s *shelf) file(name, text string) {
	s.t.Helper()
	s.must(os.WriteFile(s.at(name), []byte(text), 0o600))
}

// hold makes a call wait for a person.
func (s *shelf) hold(edits ...memfile.Edit) hearsay.RecordID {
	s.t.Helper()
	call := memfile.Call{Host: "claude", Tool: "Edit", Base: make(map[string]string), Edits: edits}
	var texts []string
	for _, e := range edits {
		data, err := memfile.Read(e.Path)
		if err != nil {
			data = nil
		}
		call.Base[e.Path] = memfile.Sum(data)
		texts = append(texts, e.New)
	}
	content, err := call.Encode()
	s.must(err)
	d, err := s.guard.Write(s.t.Context(), s.caller, guard.Write{
		Store: memfile.Store, Source: hearsay.Source{Type: "agent"}, Namespace: hearsay.Namespace{"files"}, Op: event.Update,
		Tool: "Edit", Texts: texts, Content: content, Items: memfile.Items(edits),
	})
	s.must(err)
	if d.Standing != hearsay.Held {
		s.t.Fatalf("it is %s", d.Standing)
	}
	return d.ID
}

// approve releases a record, and delivers what waits.
func (s *shelf) approve(ids ...hearsay.RecordID) map[hearsay.RecordID]memfile.Delivered {
	s.t.Helper()
	for _, id := range ids {
		st, err := s.guard.Statement(s.t.Context(), reviewer.Approve, id, "")
		s.must(err)
		signed, err := s.signer.Sign(st)
		s.must(err)
		_, err = s.guard.Review(s.t.Context(), signed, "")
		s.must(err)
	}
	return s.deliver()
}

func (s *shelf) deliver() map[hearsay.RecordID]memfile.Delivered {
	s.t.Helper()
	all, err := memfile.Deliver(s.t.Context(), s.guard, s.caller)
	s.must(err)
	out := make(map[hearsay.RecordID]memfile.Delivered)
	for _, d := range all {
		out[d.Record] = d
	}
	return out
}

// delivery is what is sealed of a record.
func (s *shelf) delivery(id hearsay.RecordID) hearsay.Delivery {
	s.t.Helper()
	shown, err := s.guard.Show(s.t.Context(), id)
	s.must(err)
	return shown.Record.Delivery
}

// A link that was planted where a released write goes leads nowhere: nothing outside is
// read, written or made, and it is said why.
func TestMC080MC082PlantedLinks(t *testing.T) {
	for name, plant := range map[string]func(s *shelf, outside string) error{
		"a link":          func(s *shelf, outside string) error { return os.Symlink(outside, s.at("note.md")) },
		"a dangling link": func(s *shelf, outside string) error { return os.Symlink(outside+".new", s.at("note.md")) },
		"a hard link":     func(s *shelf, outside string) error { return os.Link(outside, s.at("note.md")) },
		"a chain": func(s *shelf, outside string) error {
			return errors.Join(os.Symlink(outside, s.at("x")), os.Symlink("x", s.at("note.md")))
		},
		"a loop":   func(s *shelf, _ string) error { return os.Symlink("note.md", s.at("note.md")) },
		"a folder": func(s *shelf, _ string) error { return os.Mkdir(s.at("note.md"), 0o700) },
		"a link of the folder": func(s *shelf, outside string) error {
			return errors.Join(os.Rename(s.dir, s.dir+".was"), os.Symlink(filepath.Dir(outside), s.dir))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShelf(t)
			outside := filepath.Join(t.TempDir(), "note.md")
			s.must(os.WriteFile(outside, []byte("secret"), 0o600))
			whole := s.hold(memfile.Edit{Path: s.at("note.md"), New: "all new\n", Whole: true})
			edit := s.hold(memfile.Edit{Path: s.at("note.md"), Old: "secret", New: "public"})
			if err := plant(s, outside); err != nil {
				t.Skip(err)
			}
			if data, err := memfile.Read(s.at("note.md")); err == nil {
				t.Errorf("it reads %q", data)
			}
			for id, d := range s.approve(whole, edit) {
				if d.Delivery == hearsay.Applied || d.Conflict == "" || strings.Contains(d.Conflict, "secret") {
					t.Errorf("%s: %+v", id, d)
				}
			}
			if data, err := os.ReadFile(outside); err != nil || string(data) != "secret" {
				t.Errorf("outside is %q, %v", data, err)
			}
			if names, err := filepath.Glob(filepath.Join(filepath.Dir(outside), "*")); err != nil || len(names) != 1 {
				t.Errorf("outside are %v, %v", names, err)
			}
			if names, err := filepath.Glob(filepath.Join(filepath.Dir(outside), ".*hearsay*")); err != nil || len(names) != 0 {
				t.Errorf("outside are %v, %v", names, err)
			}
		})
	}
}

// A consolidation that holds a view of a file does not write over what came since.
func TestMC094StaleView(t *testing.T) {
	s := newShelf(t)
	s.file("MEMORY.md", "# Notes\n- M1\n- M2\n")
	consolidated := s.hold(memfile.Edit{Path: s.at("MEMORY.md"), New: "# Notes\n- M1 and M2\n", Whole: true})
	s.file("MEMORY.md", "# Notes\n- M1\n- M2\n- M9\n")
	got := s.approve(consolidated)[consolidated]
	if got.Delivery != hearsay.Failed || !strings.Contains(got.Conflict, "changed since") {
		t.Errorf("%+v: want a conflict", got)
	}
	if data, err := memfile.Read(s.at("MEMORY.md")); err != nil || string(data) != "# Notes\n- M1\n- M2\n- M9\n" {
		t.Errorf("M9 is lost: %q, %v", data, err)
	}
	shown, err := s.guard.Show(t.Context(), consolidated)
	if err != nil || !strings.Contains(string(shown.Side.Content), "M1 and M2") || shown.Record.Delivery != hearsay.Failed {
		t.Errorf("%+v, %v: want its bytes kept", shown, err)
	}
	// It is not tried again, and the next one goes on.
	if again := s.deliver(); len(again) != 0 {
		t.Errorf("tried again: %v", again)
	}
	// Two that look at one file: the second save is refused, whatever it would save.
	track := memfile.Tracker{Guard: s.guard, Caller: s.caller}
	two, err := track.Look(t.Context(), s.at("MEMORY.md"))
	s.must(err)
	s.file("MEMORY.md", "# Notes\n- M1\n- M2\n- M9\n- M10\n")
	one, err := track.Look(t.Context(), s.at("MEMORY.md"))
	s.must(err)
	s.must(track.Settle(t.Context(), one))
	s.file("MEMORY.md", "# Notes\n")
	three, err := track.Look(t.Context(), s.at("MEMORY.md"))
	s.must(err)
	s.must(track.Settle(t.Context(), three))
	if _, err := s.guard.SaveFile(t.Context(), s.caller, two.Known(), guard.FileChange{Kind: event.Drift, Path: two.Path, Data: two.Data, Owners: []byte("x")}); err == nil {
		t.Error("a state was saved over one that came since")
	}
}

// After a truncation an edit that does not fit is no success: what is sealed as applied
// stands on the disk.
func TestMC100TruncatedFile(t *testing.T) {
	s := newShelf(t)
	s.file("MEMORY.md", "# Notes\n- one\n")
	edit := s.hold(memfile.Edit{Path: s.at("MEMORY.md"), Old: "- one", New: "- one\n- two"})
	other := s.hold(memfile.Edit{Path: s.at("new.md"), New: "- new\n", Whole: true})
	s.file("MEMORY.md", "")
	got := s.approve(edit, other)
	if d := got[edit]; d.Delivery != hearsay.Failed || d.Conflict == "" || s.delivery(edit) != hearsay.Failed {
		t.Errorf("%+v: want it failed", d)
	}
	if data, err := memfile.Read(s.at("MEMORY.md")); err != nil || len(data) != 0 {
		t.Errorf("the file is %q, %v", data, err)
	}
	if data, err := memfile.Read(s.at("new.md")); err != nil || string(data) != "- new\n" || s.delivery(other) != hearsay.Applied {
		t.Errorf("the other is %q, %v, %s", data, err, s.delivery(other))
	}
}

// Where the disk refuses, nothing is applied either.
func TestMC100FolderThatCannotBeWritten(t *testing.T) {
	if asuser.Again(t) {
		return
	}
	s := newShelf(t)
	third := s.hold(memfile.Edit{Path: s.at("third.md"), New: "- third\n", Whole: true})
	s.must(os.Chmod(s.dir, 0o500))
	t.Cleanup(func() { _ = os.Chmod(s.dir, 0o700) })
	if d := s.approve(third)[third]; d.Delivery == hearsay.Applied {
		t.Errorf("%+v: the folder cannot be written", d)
	}
}
