package memfile

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/memfile/segment"
	"github.com/hearsay-memory/hearsay/internal/store/sqlite"
	"github.com/hearsay-memory/hearsay/ledger"
	"github.com/hearsay-memory/hearsay/policy"
)

// onDisk is a folder with a store that knows its files.
type onDisk struct {
	testing.TB
	dir   string
	store *sqlite.Store
	*Tracker
}

func newTree(t testing.TB) *onDisk {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &onDisk{TB: t, dir: filepath.Join(dir, "memory")}
	private, _, err := note.GenerateKey(rand.Reader, "test/log")
	w.must(err)
	key, err := note.NewSigner(private)
	w.must(err)
	w.store, err = sqlite.Open(t.Context(), sqlite.Options{Path: filepath.Join(dir, "hearsay.db"), LogID: "test/log", Signer: key, Deadline: 2 * time.Minute})
	w.must(err)
	t.Cleanup(func() { _ = w.store.Close() })
	text, err := policy.Profile("default")
	w.must(err)
	rules, err := policy.Parse("default.yaml", text)
	w.must(err)
	g := guard.New(guard.Config{Store: w.store, Policy: rules, Index: ledger.IndexKey{1}})
	w.Tracker = &Tracker{Guard: g, Caller: hearsay.Caller{Principal: "ana", Session: "s1", Surface: hearsay.SurfaceHook}}
	_, err = g.Open(t.Context(), w.Caller, guard.Start{})
	w.must(err)
	w.must(os.MkdirAll(w.dir, 0o700))
	return w
}

func (w *onDisk) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *onDisk) path(name string) string { return filepath.ToSlash(filepath.Join(w.dir, name)) }

// put writes a file that was last written an hour ago, as it says.
func (w *onDisk) put(name, text string) string {
	w.Helper()
	w.must(os.WriteFile(w.path(name), []byte(text), 0o600))
	then := time.Now().Add(-time.Hour)
	w.must(os.Chtimes(w.path(name), then, then))
	return w.path(name)
}

// old makes the glance at a file one of a look long after its last write.
func (w *onDisk) old(name string) {
	w.Helper()
	known, err := w.Known(w.Context(), name)
	w.must(err)
	_, g, err := readGlancing(name, Read)
	w.must(err)
	g.looked += 10 * settled.Nanoseconds()
	g.low = known.Low()
	w.must(w.Guard.KeepGlances(w.Context(), w.Caller, map[string]guard.Glance{name: {Seq: known.known.Image.Side, Data: g.encode()}}))
}

// tick waits until the clock by which files are dated has gone on since a file was last
// changed.
func (w *onDisk) tick(name string) {
	w.Helper()
	before, err := glimpse(name)
	w.must(err)
	other := filepath.Join(w.TempDir(), "other")
	for {
		w.must(os.WriteFile(other, []byte("x"), 0o600))
		now, err := glimpse(other)
		w.must(err)
		if now.written > before.changed {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

func (w *onDisk) settleOne(name string) *State {
	w.Helper()
	s, err := w.Look(w.Context(), name)
	w.must(err)
	w.must(w.Settle(w.Context(), s))
	return s
}

func (w *onDisk) unchanged(name string, care Care) (low, same bool) {
	w.Helper()
	s, err := w.Survey(w.Context(), care)
	w.must(err)
	low, same = s.Unchanged(name)
	w.must(s.Close(w.Context()))
	return low, same
}

func TestSurveyFindsWhatChanged(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the changes are those of unix")
	}
	for name, change := range map[string]func(w *onDisk, name string){
		"another text":          func(w *onDisk, name string) { w.must(os.WriteFile(name, []byte("no\n"), 0o600)) },
		"a text of that length": func(w *onDisk, name string) { w.must(os.WriteFile(name, []byte("one lime\n"), 0o600)) },
		"the same length and the file's time set back": func(w *onDisk, name string) {
			info, err := os.Stat(name)
			w.must(err)
			w.must(os.WriteFile(name, []byte("one lime\n"), 0o600))
			w.must(os.Chtimes(name, info.ModTime(), info.ModTime()))
		},
		"another file in its place, of that length and time": func(w *onDisk, name string) {
			info, err := os.Stat(name)
			w.must(err)
			w.must(os.WriteFile(name+".new", []byte("one lime\n"), 0o600))
			w.must(os.Chtimes(name+".new", info.ModTime(), info.ModTime()))
			w.must(os.Rename(name+".new", name))
		},
		"gone":          func(w *onDisk, name string) { w.must(os.Remove(name)) },
		"a link":        func(w *onDisk, name string) { w.must(os.Rename(name, name+"2")); w.must(os.Symlink(name+"2", name)) },
		"a second name": func(w *onDisk, name string) { w.must(os.Link(name, name+"2")) },
		"a folder that is a link": func(w *onDisk, name string) {
			w.must(os.Rename(w.dir, w.dir+"2"))
			w.must(os.Symlink(w.dir+"2", w.dir))
		},
		"recorded by another with other bytes": func(w *onDisk, name string) {
			w.must(os.WriteFile(name, []byte("one line, and more\n"), 0o600))
			w.settleOne(name)
			w.must(os.WriteFile(name, []byte("one line\n"), 0o600))
		},
		"nothing, and its glance is rubbish": func(w *onDisk, name string) {
			known, err := w.Known(w.Context(), name)
			w.must(err)
			w.must(w.Guard.KeepGlances(w.Context(), w.Caller, map[string]guard.Glance{name: {Seq: known.known.Image.Side, Data: []byte("rubbish")}}))
		},
	} {
		for care, said := range map[Care]string{Hash: "hash", Stat: "stat"} {
			w := newTree(t)
			file := w.put("a.md", "one line\n")
			w.settleOne(file)
			w.old(file)
			if low, same := w.unchanged(file, care); !same || !low {
				t.Fatalf("%s: a file that did not change: low %v, same %v", said, low, same)
			}
			w.tick(file)
			change(w, file)
			if _, same := w.unchanged(file, care); same {
				t.Errorf("%s: %s is not found", said, name)
			}
		}
	}
}

// A file that was written shortly before the look can change again within what its time
// can tell: the look does not count.
func TestSurveyDoubtsFreshFiles(t *testing.T) {
	w := newTree(t)
	file := w.path("a.md")
	w.must(os.WriteFile(file, []byte("one\n"), 0o600))
	soon := time.Now().Add(time.Hour) // on a busy machine the look may come long after the write
	w.must(os.Chtimes(file, soon, soon))
	w.settleOne(file)
	info, err := os.Stat(file)
	w.must(err)
	kept := func() glance {
		t.Helper()
		known, err := w.Guard.Glances(t.Context(), "ana")
		w.must(err)
		gl, ok := known(file)
		if !ok {
			t.Fatal("no glance was kept")
		}
		return decodeGlance(gl.Data)
	}
	first := kept()
	if now, err := glimpse(file); err != nil || !first.same(now) || first.vouches(now) {
		t.Errorf("a glance at a fresh file counts: %+v, now %+v, %v", first, now, err)
	}
	// The same length, in the same tick of the clock: only reading tells.
	w.must(os.WriteFile(file, []byte("two\n"), 0o600))
	w.must(os.Chtimes(file, info.ModTime(), info.ModTime()))
	if _, same := w.unchanged(file, Stat); same {
		t.Error("a change in the same tick is not found")
	}
	for name, tt := range map[string]struct {
		was, now glance
		want     bool
	}{
		"nothing":               {glance{}, glance{}, false},
		"long ago":              {glance{size: 1, written: 1, looked: 3e9, described: true}, glance{size: 1, written: 1, described: true}, true},
		"a write in the future": {glance{size: 1, written: 9e9, looked: 3e9, described: true}, glance{size: 1, written: 9e9, described: true}, false},
		"an inode just touched": {glance{written: 1, changed: 2e9, looked: 3e9, described: true}, glance{written: 1, changed: 2e9, described: true}, false},
		"another inode":         {glance{inode: 1, looked: 3e9, described: true}, glance{inode: 2, described: true}, false},
		"another device":        {glance{dev: 1, looked: 3e9, described: true}, glance{dev: 2, described: true}, false},
		"another length":        {glance{size: 1, looked: 3e9, described: true}, glance{size: 2, described: true}, false},
	} {
		if got := tt.was.vouches(tt.now); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// What is kept is of the bytes that were recorded: a look from before somebody else's
// does not replace theirs, and an adopted line is not low any more.
func TestGlanceGoesWithTheRecord(t *testing.T) {
	w := newTree(t)
	file := w.put("a.md", "one line\n")
	s := w.settleOne(file)
	w.put("a.md", "another line\n")
	now := w.settleOne(file)
	w.must(w.Guard.KeepGlances(t.Context(), w.Caller, map[string]guard.Glance{file: {Seq: s.known.Image.Side, Data: s.glance.encode()}, w.path("none.md"): {Seq: 1, Data: s.glance.encode()}}))
	known, err := w.Guard.Glances(t.Context(), "ana")
	w.must(err)
	if gl, ok := known(file); !ok || gl.Seq != now.known.Image.Side || decodeGlance(gl.Data).sum != now.glance.sum {
		t.Errorf("an older glance replaced a newer one: %+v, %v", gl, ok)
	}
	if _, ok := known(w.path("none.md")); ok {
		t.Error("a file that was never recorded has a glance")
	}
	other, err := w.Guard.Glances(t.Context(), "bo")
	w.must(err)
	if _, ok := other(file); ok {
		t.Error("another principal's glance is found")
	}
	w.must(w.WroteAs(t.Context(), &State{Path: file, Data: now.Data, glance: now.glance, known: now.known}, segment.Owner{Label: hearsay.LabelIdentity}))
	w.must(os.WriteFile(file, []byte("mine\n"), 0o600))
	mine, err := w.Look(t.Context(), file)
	w.must(err)
	w.must(w.WroteAs(t.Context(), mine, segment.Owner{Label: hearsay.LabelIdentity}))
	w.old(file)
	if low, same := w.unchanged(file, Stat); low != mine.Low() || !same {
		t.Errorf("low %v, want %v; same %v", low, mine.Low(), same)
	}
}

func FuzzGlance(f *testing.F) {
	f.Add(glance{size: 1, written: 2, changed: 3, dev: 4, inode: 5, looked: 6, sum: [32]byte{7}, low: true, described: true}.encode())
	f.Add([]byte{})
	f.Add([]byte(strings.Repeat("\x01", glanceSize)))
	setuid := glance{size: 1, perm: 0o4000, described: true}
	f.Add(setuid.encode()) // no permission bits alone
	f.Fuzz(func(t *testing.T, b []byte) {
		g := decodeGlance(b)
		if !g.described {
			if g != (glance{}) || g.encode() != nil {
				t.Errorf("%x: %+v", b, g)
			}
			return
		}
		if got := g.encode(); !bytes.Equal(got, b) {
			t.Errorf("%x became %x", b, got)
		}
	})
}

// Files that are first seen are sealed in batches, and each of them is known then.
func TestSurveySettlesInBatches(t *testing.T) {
	w := newTree(t)
	var names []string
	for i := range maxBatch + 7 {
		names = append(names, w.put(fmt.Sprintf("%03d.md", i), fmt.Sprintf("line of %d\n", i)))
	}
	settle := func(care Care) (looked int) {
		t.Helper()
		s, err := w.Survey(t.Context(), care)
		w.must(err)
		for _, name := range names {
			if _, same := s.Unchanged(name); same {
				continue
			}
			looked++
			_, err := s.Settle(t.Context(), name)
			w.must(err)
		}
		w.must(s.Close(t.Context()))
		return looked
	}
	head := func() int64 {
		h, err := w.store.Head(t.Context())
		w.must(err)
		return int64(h.Frontier.Size())
	}
	before := head()
	if n := settle(Hash); n != len(names) || head() != before+int64(n) {
		t.Errorf("%d files looked at and %d entries sealed, want %d", n, head()-before, len(names))
	}
	for _, name := range names {
		s, err := w.Look(t.Context(), name)
		w.must(err)
		if s.First() || s.Changed() || len(s.Drift) > 0 {
			t.Errorf("%s is not known", name)
		}
	}
	if n := settle(Hash); n != 0 {
		t.Errorf("%d files that did not change were looked at", n)
	}
	w.put("003.md", "other\n")
	before = head()
	if n := settle(Stat); n != 1 || head() != before+1 {
		t.Errorf("%d files looked at, %d sealed, want the one that changed", n, head()-before)
	}
	// Somebody else records a file while a batch waits: nothing is lost.
	a, b := w.put("004.md", "first\n"), w.put("005.md", "second\n")
	s, err := w.Survey(t.Context(), Hash)
	w.must(err)
	for _, name := range []string{a, b} {
		_, err := s.Settle(t.Context(), name)
		w.must(err)
	}
	w.settleOne(a)
	w.must(s.Close(t.Context()))
	for _, name := range []string{a, b} {
		if now, err := w.Look(t.Context(), name); err != nil || now.Changed() {
			t.Errorf("%s is not settled: %v", name, err)
		}
	}
}

// What is not listed is said.
func TestListSaysWhatItLeftOut(t *testing.T) {
	w := newTree(t)
	var set Set
	set.Add(Memory, filepath.ToSlash(filepath.Dir(w.dir)), "memory/**/*.md")
	for i := range 5 {
		w.put(fmt.Sprintf("%d.md", i), "x\n")
	}
	for _, tt := range []struct {
		most, walk, want int
		complete         bool
	}{{10, 100, 5, true}, {3, 100, 3, false}, {10, 4, 3, false}, {6, 6, 5, true}} {
		names, complete := list(set.memory, "", func(name string) bool { return set.Class(name) == Memory }, tt.most, tt.walk)
		if len(names) != tt.want || complete != tt.complete {
			t.Errorf("at most %d of %d: %d names, complete %v", tt.most, tt.walk, len(names), complete)
		}
	}
}

// Only folders that can hold a guarded file are walked: a pattern for one file, or for a
// folder in each of many, leaves the rest of the disk alone, and so does Hearsay's home.
func TestListWalksNoOtherFolder(t *testing.T) {
	w := newTree(t)
	top := filepath.ToSlash(filepath.Dir(w.dir))
	put := func(name string) string {
		name = top + "/" + name
		must(t, os.MkdirAll(filepath.Dir(name), 0o700))
		must(t, os.WriteFile(name, nil, 0o600))
		return name
	}
	want := []string{put("AGENTS.md"), put("projects/a/memory/deep/x.md"), put("rules/go/y.md")}
	for i := range 100 {
		put(fmt.Sprintf("other/AGENTS.md/%d", i))
		put(fmt.Sprintf("projects/a/log/%d.md", i))
		put(fmt.Sprintf("home/%d", i))
	}
	var set Set
	set.Add(Protected, top, top+"/AGENTS.md", "projects/*/memory/**", "rules/**", "home/**")
	names, complete := list(set.protected, top+"/home", func(name string) bool { return set.Class(name) == Protected }, 10, 40)
	if !complete || !slices.Equal(names, want) {
		t.Errorf("%q, complete %v, want %q", names, complete, want)
	}
}

// What a survey could not seal its end says, and a file that cannot be read is an error
// of its own.
func TestSurveySaysWhatWasNotSealed(t *testing.T) {
	w := newTree(t)
	file := w.put("a.md", "one\n")
	s, err := w.Survey(t.Context(), Hash)
	w.must(err)
	if _, err := s.Settle(t.Context(), filepath.ToSlash(w.dir)); err == nil {
		t.Error("a folder was looked at")
	}
	_, err = s.Settle(t.Context(), file)
	w.must(err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if s.Close(ctx) == nil {
		t.Error("nothing was sealed, and nobody said so")
	}
	if _, err := w.Survey(ctx, Stat); err == nil {
		t.Error("a store that cannot be read tells how files looked")
	}
}

// manyFiles is how many files, of 8 KiB, the drift check is measured with.
const manyFiles = 10_000

// BenchmarkDrift10k is a look at 10,000 files of 8 KiB when nothing changed, the listing
// of their names included: by their stat, as hooks do, and by their digest, as a session
// start does.
func BenchmarkDrift10k(b *testing.B) {
	w := newTree(b)
	line := strings.Repeat("a line of a memory file that says little\n", 200)[:8191] + "\n"
	for i := range manyFiles {
		dir := fmt.Sprintf("%02d", i/100)
		w.must(os.MkdirAll(filepath.Join(w.dir, dir), 0o700))
		w.put(fmt.Sprintf("%s/%05d.md", dir, i), line)
	}
	var set Set
	set.Add(Memory, filepath.ToSlash(filepath.Dir(w.dir)), "MEMORY.md", "memory/**/*.md", "**/.claude/agent-memory/**", "**/memory/**", "IDENTITY.md",
		"**/.clinerules/**", "**/.continue/rules/**", "**/.cursor/rules/**", "**/.roo/rules/**", "**/.windsurf/rules/**", ".cursorrules")
	set.Add(Protected, filepath.ToSlash(filepath.Dir(w.dir)), "AGENTS.md", "CLAUDE.md", ".claude/settings*.json", "**/.claude/skills/**", "**/.agents/skills/**")
	check := func(b *testing.B, care Care, want int) {
		b.Helper()
		names, complete := set.List()
		if len(names) != manyFiles || !complete {
			b.Fatalf("%d names, complete %v", len(names), complete)
		}
		s, err := w.Survey(context.Background(), care)
		w.must(err)
		looked := 0
		for _, name := range names {
			if _, same := s.Unchanged(name); same {
				continue
			}
			looked++
			_, err := s.Settle(context.Background(), name)
			w.must(err)
		}
		w.must(s.Close(context.Background()))
		if want >= 0 && looked != want {
			b.Fatalf("%d files were looked into, want %d", looked, want)
		}
	}
	began := time.Now()
	check(b, Hash, manyFiles)
	b.Logf("first sight of %d files: %v", manyFiles, time.Since(began))
	time.Sleep(settled + 100*time.Millisecond)
	check(b, Hash, 0) // now the glances count
	for _, c := range []struct {
		name string
		care Care
	}{{"stat", Stat}, {"hash", Hash}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				check(b, c.care, 0)
			}
		})
	}
	b.Run("list", func(b *testing.B) {
		for b.Loop() {
			set.List()
		}
	})
}

// BenchmarkEdit1MB is the look at a file of 1 MB after one edit: what is read, compared
// and joined, and what is sealed.
func BenchmarkEdit1MB(b *testing.B) {
	var text strings.Builder
	for i := 0; text.Len() < 1<<20; i++ {
		fmt.Fprintf(&text, "2026-11-30 %02d:%02d the service %x restarted after %d requests\n", i/60%24, i%60, i*2654435761%1000003, i*7919%100003)
	}
	before := []byte(text.String())
	after := bytes.Clone(before)
	copy(after[len(after)/2:], "edited")
	owner := segment.Owner{Label: hearsay.LabelIdentity}
	b.Run("attribute", func(b *testing.B) {
		f := segment.New(before, owner)
		for b.Loop() {
			if _, _, err := f.Apply(before, after, owner); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("look-and-seal", func(b *testing.B) {
		w := newTree(b)
		name := w.path("MEMORY.md")
		for i := 0; b.Loop(); i++ {
			w.must(os.WriteFile(name, [][]byte{before, after}[i%2], 0o600))
			s, err := w.Look(context.Background(), name)
			w.must(err)
			w.must(w.Settle(context.Background(), s))
		}
	})
}
