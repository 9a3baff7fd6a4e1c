package hook_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/internal/memfile/segment"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
)

// letter is one byte and the label of whoever put it there.
type letter struct {
	b  byte
	by hearsay.Label
}

// told is a line without its end, with the record that it came with; the zero record is
// that of a line that nobody was seen writing.
type told struct {
	letters []letter
	record  hearsay.RecordID
}

func (l told) text() string {
	b := make([]byte, len(l.letters))
	for i, c := range l.letters {
		b[i] = c.b
	}
	return string(b)
}

// label is the join of all who put letters into the line.
func (l told) label() hearsay.Label {
	out := hearsay.LabelIdentity
	for _, c := range l.letters {
		out = out.Join(c.by)
	}
	return out
}

// leaf is a version of a file as the oracle knows it.
type leaf []told

func (p leaf) text() string {
	var s strings.Builder
	for _, l := range p {
		s.WriteString(l.text() + "\n")
	}
	return s.String()
}

// signedBy is the version as one made from was: a line that was there is that line, each
// once, and the others are of the record.
func (p leaf) signedBy(was leaf, id hearsay.RecordID) leaf { return p.returned(was, id) }

// returned is a version that comes back: of the lines that are there still nothing
// changes, the others have the letters that they had.
func (p leaf) returned(now leaf, id hearsay.RecordID) leaf {
	have := make(map[string][]told)
	for _, l := range now {
		have[l.text()] = append(have[l.text()], l)
	}
	out := slices.Clone(p)
	for i, l := range out {
		if same := have[l.text()]; len(same) > 0 {
			out[i], have[l.text()] = same[0], same[1:]
		} else {
			out[i].record = id
		}
	}
	return out
}

// pending is a write that waits for a person.
type pending struct {
	id   hearsay.RecordID
	name string
	base string // what a whole file was made for
	old  string // what an edit replaces; empty: the whole file
	put  leaf   // the whole file, or the one line that an edit puts
}

// history is a random history of the memory files of a workspace under Git.
type history struct {
	*world
	r       *rand.Rand
	next    int
	names   []string
	files   map[string]leaf
	commits []map[string]leaf
	revs    []string
	pending []pending
	double  map[string]bool // lines that stood twice at some time: which is which cannot be told
	clean   []*chat
	dirty   *chat
	starts  int
	did     map[string]int
}

var (
	byAgent  = hearsay.Label{Origin: hearsay.Agent, Taint: hearsay.Untainted}
	byNobody = hearsay.Label{Origin: hearsay.Unverified, Taint: hearsay.Untainted}
)

func newHistory(t *testing.T, seed uint64) *history {
	h := &history{
		world: newWorld(t, "claude"), r: rand.New(rand.NewPCG(seed, 1)), files: make(map[string]leaf), double: make(map[string]bool),
		did: make(map[string]int), names: []string{"MEMORY.md", "memory/lessons.md", "memory/deep/er.md"},
	}
	if err := os.RemoveAll(filepath.Join(h.work, ".git")); err != nil {
		t.Fatal(err)
	}
	h.git("init", "-q", "-b", "main")
	for _, name := range h.names {
		for range 8 {
			h.files[name] = append(h.files[name], h.line(byNobody))
		}
		h.file(name, h.files[name].text())
	}
	for i := range 2 {
		h.process = fmt.Sprint("clean-", i)
		h.clean = append(h.clean, h.chat(h.process))
	}
	h.process = "dirty"
	h.dirty = h.chat("dirty")
	h.dirty.fetch("https://a.example.test", "nothing much")
	h.commit()
	return h
}

// git runs Git as the person does.
func (h *history) git(args ...string) string {
	h.t.Helper()
	return runGit(h.t, h.work, args...)
}

func runGit(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=ana", "GIT_AUTHOR_EMAIL=ana@example.test",
		"GIT_COMMITTER_NAME=ana", "GIT_COMMITTER_EMAIL=ana@example.test")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (h *history) commit() {
	h.git("add", "-A")
	h.git("commit", "-q", "--allow-empty", "-m", "a day")
	kept := make(map[string]leaf)
	for name, p := range h.files {
		kept[name] = slices.Clone(p)
	}
	h.commits, h.revs = append(h.commits, kept), append(h.revs, h.git("rev-parse", "HEAD"))
}

// line is a new line of words that stand nowhere else.
func (h *history) line(by hearsay.Label) told {
	var l told
	for i := range 4 + h.r.IntN(6) {
		if i > 0 {
			l.letters = append(l.letters, letter{' ', by})
		}
		l.letters = append(l.letters, h.word(by)...)
	}
	return l
}

func (h *history) word(by hearsay.Label) (out []letter) {
	h.next++
	for n := h.next; n > 0; n /= 26 {
		out = append(out, letter{byte('a' + n%26), by})
	}
	return append(out, letter{'z', by}, letter{'q', by})
}

// change makes another version: lines put in, taken out, moved, copied, merged, wrapped,
// and words exchanged. The letters that stay are whose they were.
func (h *history) change(p leaf, by hearsay.Label) leaf {
	out := slices.Clone(p)
	touched := make(map[string]bool)
	for range 1 + h.r.IntN(3) {
		if len(out) < 3 {
			out = append(out, h.line(by))
			continue
		}
		i := h.r.IntN(len(out))
		l := out[i]
		if touched[l.text()] {
			continue
		}
		put := func(l told) told { touched[l.text()] = true; return l }
		switch h.r.IntN(8) {
		case 0, 1:
			out = slices.Insert(out, i, put(h.line(by)))
		case 2:
			if len(out) > 6 {
				out = slices.Delete(out, i, i+1)
			}
		case 3: // another word in place of one
			words := bytes.Split([]byte(l.text()), []byte(" "))
			if len(words) < 4 {
				continue
			}
			n, at := h.r.IntN(len(words)), 0
			for _, w := range words[:n] {
				at += len(w) + 1
			}
			out[i] = put(told{letters: slices.Concat(l.letters[:at], h.word(by), l.letters[at+len(words[n]):])})
		case 4: // two lines become one
			if i+1 < len(out) && !touched[out[i+1].text()] {
				out = slices.Replace(out, i, i+2, put(told{letters: slices.Concat(l.letters, []letter{{' ', by}}, out[i+1].letters)}))
			}
		case 5: // one becomes two
			var spaces []int
			for at, c := range l.letters {
				if c.b == ' ' {
					spaces = append(spaces, at)
				}
			}
			if len(spaces) > 4 {
				at := spaces[len(spaces)/2]
				out = slices.Replace(out, i, i+1, put(told{letters: l.letters[:at:at]}), put(told{letters: l.letters[at+1:]}))
			}
		case 6: // a move
			out = slices.Delete(out, i, i+1)
			out = slices.Insert(out, h.r.IntN(len(out)+1), l)
		case 7: // a copy with a word more: the letters are whose they were, and the writer's
			if bytes.Count([]byte(l.text()), []byte(" ")) < 7 {
				continue // a short one tells too little
			}
			n := told{letters: slices.Concat(h.word(by), []letter{{' ', by}}, l.letters)}
			out = slices.Insert(out, h.r.IntN(len(out)+1), put(n))
		}
	}
	return out
}

// see compares what is on disk with what the oracle says is there.
func (h *history) see(what string) {
	h.t.Helper()
	for _, name := range h.names {
		if got, want := h.read("$WORK/"+name), h.files[name].text(); got != want {
			h.t.Fatalf("after %s %s is\n%s\nwant\n%s", what, name, got, want)
		}
		stands := make(map[string]bool)
		for _, l := range h.files[name] {
			h.double[l.text()] = h.double[l.text()] || stands[l.text()]
			stands[l.text()] = true
		}
	}
}

// judge compares who said each line with the oracle, and wants an owner of every byte.
func (h *history) judge(step int) {
	h.t.Helper()
	track := memfile.Tracker{Guard: h.guard, Caller: hearsay.Caller{Principal: "ana"}}
	for _, name := range h.names {
		s, err := track.Look(h.t.Context(), h.expand("$WORK/"+name))
		if err != nil {
			h.t.Fatal(err)
		}
		if err := s.File.Fits(s.Data); err != nil {
			h.t.Fatalf("step %d: %s: %v", step, name, err)
		}
		p, covered := h.files[name], 0
		said, most := make(map[string][]hearsay.Label), make(map[string][]hearsay.Label)
		lines := bytes.SplitAfter(s.Data, []byte("\n"))
		for r, o := range s.File.All() {
			if !o.Record.IsZero() {
				if _, err := h.guard.Show(h.t.Context(), o.Record); err != nil {
					h.t.Fatalf("step %d: %s: lines %v of a record that is not there: %v", step, name, r, err)
				}
			}
			for n := r.From; n < r.To; n++ {
				covered += len(lines[n])
				said[p[n].text()] = append(said[p[n].text()], o.Label)
				most[p[n].text()] = append(most[p[n].text()], p[n].label())
				if !h.double[p[n].text()] && o.Record != p[n].record {
					h.t.Fatalf("step %d: %s line %d is of record %s, want %s: %q (%s)", step, name, n+1, o.Record, p[n].record, p[n].text(), o.Label)
				}
			}
		}
		for text, got := range said {
			if !fits(got, most[text]) {
				h.t.Fatalf("step %d: %s: %q is %v, want no more than %v", step, name, text, got, most[text])
			}
		}
		if covered != len(s.Data) {
			h.t.Fatalf("step %d: %s: %d of %d bytes have an owner", step, name, covered, len(s.Data))
		}
	}
}

// fits reports whether lines of one text can be told apart so that none is more trusted
// than the oracle says.
func fits(got, most []hearsay.Label) bool {
	if len(got) == 0 {
		return true
	}
	for i, want := range most {
		if got[0].Below(want) && fits(got[1:], slices.Delete(slices.Clone(most), i, i+1)) {
			return true
		}
	}
	return false
}

func (h *history) anyFile() string { return h.names[h.r.IntN(len(h.names))] }
func (h *history) anyClean() *chat { return h.clean[h.r.IntN(len(h.clean))] }

// lands puts a version on disk.
func (h *history) lands(name string, p leaf) {
	h.t.Helper()
	h.file(name, p.text())
	h.files[name] = p
}

// sees lets a session have seen a file, without what reading it would take in.
func (h *history) sees(c *chat, name string) {
	h.t.Helper()
	caller := hearsay.Caller{Principal: "ana", Session: "claude:" + c.id}
	if err := h.guard.Saw(h.t.Context(), caller, "", h.expand("$WORK/"+name), strings.Split(h.files[name].text(), "\n")); err != nil {
		h.t.Fatal(err)
	}
}

// dropsUsers reports whether a version drops a line of the user's own.
func dropsUsers(was, now leaf) bool {
	for _, i := range segment.Dropped([]byte(was.text()), []byte(now.text())) {
		if was[i].label() == hearsay.LabelIdentity {
			return true
		}
	}
	return false
}

// written is a whole file written by the agent's tool.
func (h *history) written(c *chat, name string, by hearsay.Label, want string) {
	h.t.Helper()
	was := h.files[name]
	p := h.change(was, by)
	for dropsUsers(was, p) {
		p = h.change(was, by) // that is held, see cases_overwrite_test.go
	}
	h.sees(c, name)
	in := input{"file_path": "$WORK/" + name, "content": p.text()}
	h.decided(c, "Write", in, want, func(id hearsay.RecordID) {
		h.lands(name, p.signedBy(was, id))
	}, pending{name: name, base: was.text(), put: p})
}

// edited is a line exchanged by the agent's tool.
func (h *history) edited(c *chat, name string, by hearsay.Label, want string) {
	h.t.Helper()
	was := h.files[name]
	i := h.r.IntN(len(was))
	old := was[i].text()
	if strings.Count(was.text(), old) != 1 {
		return
	}
	l := h.line(by)
	p := slices.Clone(was)
	p[i] = l
	h.decided(c, "Edit", input{"file_path": "$WORK/" + name, "old_string": old, "new_string": l.text()}, want, func(id hearsay.RecordID) {
		h.lands(name, p.signedBy(was, id))
	}, pending{name: name, old: old, put: leaf{l}})
}

// decided makes a call, and does what it does where it goes on.
func (h *history) decided(c *chat, tool string, in input, want string, lands func(hearsay.RecordID), held pending) {
	h.t.Helper()
	c.wants(tool, c.before(tool, in), want)
	id := h.newest().ID
	if want == "" {
		lands(id)
		c.after(tool, in, input{"filePath": in["file_path"]})
		return
	}
	held.id = id
	h.pending = append(h.pending, held)
}

// ran is a command of the agent's, which does what do does.
func (h *history) ran(c *chat, command string, do func()) {
	h.t.Helper()
	in := input{"command": command}
	c.wants(command, c.before("Bash", in), "")
	do()
	c.after("Bash", in, input{"stdout": "", "stderr": "", "interrupted": false})
}

// reviewed decides one of the writes that wait; the next session makes what was released.
func (h *history) reviewed() {
	h.t.Helper()
	if len(h.pending) == 0 {
		return
	}
	n := h.r.IntN(len(h.pending))
	if h.r.IntN(2) == 0 {
		n = len(h.pending) - 1 // the youngest fits best
	}
	p := h.pending[n]
	h.pending = slices.Delete(h.pending, n, n+1)
	d := reviewer.Approve
	if h.r.IntN(4) == 0 {
		d = reviewer.Reject
	}
	st, err := h.guard.Statement(h.t.Context(), d, p.id, "")
	if err != nil {
		h.t.Fatal(err)
	}
	signed, err := h.signer.Sign(st)
	if err != nil {
		h.t.Fatal(err)
	}
	if _, err := h.guard.Review(h.t.Context(), signed, ""); err != nil {
		h.t.Fatal(err)
	}
	h.starts++
	h.process = fmt.Sprint("start-", h.starts)
	h.chat(h.process)
	now := h.files[p.name]
	switch {
	case d == reviewer.Reject:
	case p.old == "":
		if now.text() == p.base {
			h.files[p.name] = p.put.signedBy(now, p.id)
			h.did["released"]++
		}
	case strings.Count(now.text(), p.old) == 1:
		for i, l := range now {
			at := strings.Index(l.text(), p.old)
			if at < 0 {
				continue
			}
			out := slices.Clone(now)
			out[i] = told{letters: slices.Concat(l.letters[:at], p.put[0].letters, l.letters[at+len(p.old):]), record: p.id}
			h.files[p.name] = out
			h.did["released"]++
		}
	}
}

// looked lets a hook look at the files. What goes and comes back between two looks never
// went, so there is one before each change that no hook sees.
func (h *history) looked() {
	h.t.Helper()
	h.ran(h.anyClean(), "ls", func() {})
}

// attested adopts lines as the user's word.
func (h *history) attested(name string) {
	h.t.Helper()
	from := h.r.IntN(len(h.files[name]))
	lines := segment.Range{From: from, To: min(from+1+h.r.IntN(3), len(h.files[name]))}
	id := h.attest("$WORK/"+name, lines)
	adopted := make(map[string]bool)
	h.files[name] = slices.Clone(h.files[name])
	for n := lines.From; n < lines.To; n++ {
		l := &h.files[name][n]
		l.record, adopted[l.text()] = id, true
		l.letters = usersOwn(l.letters)
	}
	// The bytes are adopted, wherever they come back from.
	for _, commit := range h.commits {
		for i, l := range commit[name] {
			if adopted[l.text()] {
				commit[name][i].letters = usersOwn(l.letters)
			}
		}
	}
	for _, p := range h.pending {
		for i, l := range p.put {
			if p.name == name && adopted[l.text()] {
				p.put[i].letters = usersOwn(l.letters)
			}
		}
	}
}

func usersOwn(letters []letter) []letter {
	out := slices.Clone(letters)
	for i := range out {
		out[i].by = hearsay.LabelIdentity
	}
	return out
}

// attest adopts lines of a file as a person does who looked at them.
func (w *world) attest(name string, lines segment.Range) hearsay.RecordID {
	w.t.Helper()
	must := func(err error) {
		w.t.Helper()
		if err != nil {
			w.t.Fatal(err)
		}
	}
	caller := hearsay.Caller{Principal: "ana", Surface: hearsay.SurfaceCLI}
	track := memfile.Tracker{Guard: w.guard, Caller: caller}
	s, err := track.Look(w.t.Context(), w.expand(name))
	must(err)
	must(track.Settle(w.t.Context(), s))
	text, _, err := s.Adopt(lines, segment.Owner{})
	must(err)
	id, st, err := w.guard.Attestation(w.t.Context(), s.Path, text)
	must(err)
	signed, err := w.signer.Sign(st)
	must(err)
	text, ch, err := s.Adopt(lines, segment.Owner{Record: id, Label: hearsay.LabelIdentity})
	must(err)
	must(w.guard.Attest(w.t.Context(), caller, s.Known(), ch, text, signed))
	return id
}

// step does one thing at random and says what.
func (h *history) step() (what string) {
	h.t.Helper()
	name := h.anyFile()
	web := hearsay.Label{Origin: hearsay.External, Taint: hearsay.NewTaint("web")}
	switch h.r.IntN(14) {
	case 0, 1:
		what = "a write"
		h.written(h.anyClean(), name, byAgent, "")
	case 2:
		what = "an edit"
		h.edited(h.anyClean(), name, byAgent, "")
	case 3:
		what = "a write of a tainted session"
		h.written(h.dirty, name, web, "deny")
	case 4:
		what = "an edit of a tainted session"
		h.edited(h.dirty, name, web, "deny")
	case 5, 6:
		what = "a review"
		h.reviewed()
	case 7:
		what = "an edit by hand"
		h.looked()
		h.lands(name, h.change(h.files[name], byNobody).signedBy(h.files[name], hearsay.RecordID{}))
	case 8:
		what = "a command that names the file"
		was, l := h.files[name], h.line(byAgent)
		h.ran(h.anyClean(), "echo '"+l.text()+"' >> "+name, func() { h.file(name, append(slices.Clone(was), l).text()) })
		l.record = h.newest().ID
		h.files[name] = append(slices.Clone(was), l)
	case 9:
		what = "a command that does not"
		h.ran(h.anyClean(), "make notes", func() {
			h.lands(name, h.change(h.files[name], byNobody).signedBy(h.files[name], hearsay.RecordID{}))
		})
	case 10:
		what = "a command of a tainted session"
		was := h.files[name]
		p := h.change(was, web)
		h.ran(h.dirty, "make notes", func() { h.file(name, p.text()) })
		if p.text() != was.text() {
			r := h.newest()
			if r.Standing != hearsay.Held {
				h.t.Fatalf("%+v: what a tainted command did is not held", r)
			}
			h.pending = append(h.pending, pending{id: r.ID, name: name, base: was.text(), put: p})
		}
	case 11:
		what = "a tainted session's program in the background"
		h.looked()
		h.starts++
		h.dirty.fetch(fmt.Sprint("https://b.example.test/", h.starts), "nothing much")
		h.lands(name, h.change(h.files[name], web).signedBy(h.files[name], hearsay.RecordID{}))
		h.dirty.event("Stop", input{"stop_hook_active": false})
		h.looked()
	case 12:
		what = "Git"
		n := h.r.IntN(len(h.commits))
		restore := func(id hearsay.RecordID) func() {
			return func() {
				h.git("checkout", "-q", h.revs[n], "--", ".")
				for _, name := range h.names {
					h.files[name] = h.commits[n][name].returned(h.files[name], id)
				}
			}
		}
		switch h.r.IntN(3) {
		case 0:
			what = "a commit"
			h.ran(h.anyClean(), "git add -A && git commit -m 'a day'", h.commit)
		case 1:
			what = "a version that the person brings back"
			h.looked()
			restore(hearsay.RecordID{})()
		case 2:
			what = "a version that the agent brings back"
			h.ran(h.anyClean(), "git checkout "+h.revs[n]+" -- .", restore(hearsay.RecordID{}))
		}
	case 13:
		what = "an attestation"
		h.attested(name)
	}
	return what
}

// TestRandomHistory is a history of a thousand steps by everybody: the agent's tools in
// clean and tainted sessions, its commands, a person's editor, Git, approvals,
// rejections and attestations. Whatever happened, every byte has an owner, no line is more
// trusted than all who put letters into it, and a line that nobody touched is of the
// record that it came with.
func TestRandomHistory(t *testing.T) {
	steps := 1000
	if testing.Short() {
		steps = 120
	}
	h := newHistory(t, 20261130)
	for step := range steps {
		what := h.step()
		h.did[what]++
		h.see(fmt.Sprintf("step %d, %s,", step, what))
		if step%10 == 9 {
			h.judge(step)
		}
	}
	h.process = "the last day"
	h.chat("last")
	h.judge(steps)
	h.verify()
	for r, err := range h.guard.List(t.Context(), guard.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		h.did[r.Standing.String()]++
	}
	t.Log(h.did)
}
