package hook_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/internal/memfile/segment"
	"github.com/hearsay-memory/hearsay/ledger"
	"github.com/hearsay-memory/hearsay/policy"
)

// refused says why the last call was denied, and wants nothing sealed of it.
func (c *chat) refused(what, got string, records int, want string) {
	c.t.Helper()
	c.wants(what, got, "deny")
	if said := string(c.last.Stdout); !strings.Contains(said, want) {
		c.t.Errorf("%s: %s, want %q in it", what, said, want)
	}
	if n := len(c.records()); n != records {
		c.t.Errorf("%s: %d records, want %d", what, n, records)
	}
}

// A write from a stale view does not take out what another session, or a person, put there
// since: it is refused until the file was read again.
func TestMC092StaleWrite(t *testing.T) {
	const first = "# Notes\n- one\n- two\n"
	for name, extend := range map[string]func(w *world){
		"another session": func(w *world) {
			w.process = "proc-2"
			w.chat("other").add("$WORK/MEMORY.md", "- of the other session")
		},
		"by hand": func(w *world) { w.file("MEMORY.md", first+strings.Repeat("- of the owner, about the parser\n", 300)) },
		"a command": func(w *world) {
			w.process = "proc-3"
			w.chat("runs").run("make notes")
			w.file("MEMORY.md", first+"- of a command\n")
		},
		"an approval": func(w *world) {
			w.process = "proc-4"
			c := w.chat("tainted")
			c.fetch("https://a.example.test", page)
			c.wants("a lesson", c.add("$WORK/MEMORY.md", "- of the page"), "deny")
			w.approveAll()
			w.process = "proc-5"
			w.chat("makes")
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "claude")
			b := w.chat("b")
			b.wants("the first write", b.save("$WORK/MEMORY.md", first), "")
			extend(w)
			theirs := w.read("$WORK/MEMORY.md")
			if theirs == first {
				t.Fatal("nothing was added")
			}
			n := len(w.records())
			b.refused("a stale write", b.save("$WORK/MEMORY.md", "# Notes\n- one, replaced\n- two\n"), n, "Read it again")
			if said := string(b.last.Stdout); strings.Contains(said, "- of") {
				t.Errorf("the refusal has others' words: %s", said)
			}
			if got := w.read("$WORK/MEMORY.md"); got != theirs {
				t.Fatalf("MEMORY.md is %q", got)
			}
			// An edit in its place takes nothing of theirs.
			b.wants("an edit", b.call("Edit", input{"file_path": "$WORK/MEMORY.md", "old_string": "- one", "new_string": "- one, replaced"}, input{}), "")
			if got, want := w.read("$WORK/MEMORY.md"), strings.Replace(theirs, "- one", "- one, replaced", 1); got != want {
				t.Errorf("MEMORY.md is %q, want %q", got, want)
			}
			// Nor does a write that has all of it.
			b.wants("a write that keeps it", b.save("$WORK/MEMORY.md", w.read("$WORK/MEMORY.md")+"- three\n"), "")
			w.verify()
		})
	}
}

// After a new read the session knows what it drops; what it read in part it knows in part.
func TestMC092ReadAgain(t *testing.T) {
	w := newWorld(t, "claude")
	var text strings.Builder
	for i := range 40 {
		fmt.Fprintf(&text, "- note %d about part %d of it\n", i, i*7)
	}
	w.process = "proc-1"
	a := w.chat("a")
	a.wants("the notes", a.save("$WORK/MEMORY.md", text.String()), "")
	w.process = "proc-2"
	b := w.chat("b")
	lines := strings.SplitAfter(text.String(), "\n")
	shorter := strings.Join(lines[:20], "") + strings.Join(lines[21:40], "")
	b.refused("unread", b.save("$WORK/MEMORY.md", shorter), 1, "Read it again")
	part := input{"file_path": "$WORK/MEMORY.md", "offset": 1, "limit": 20}
	b.call("Read", part, input{"type": "text", "file": input{"filePath": "$WORK/MEMORY.md", "content": strings.Join(lines[:20], ""), "startLine": 1, "numLines": 20, "totalLines": 40}})
	b.refused("read in part", b.save("$WORK/MEMORY.md", shorter), 1, "read in part")
	part["offset"] = 21
	b.call("Read", part, input{"type": "text", "file": input{"filePath": "$WORK/MEMORY.md", "content": strings.Join(lines[20:40], ""), "startLine": 21, "numLines": 20, "totalLines": 40}})
	// A sub-agent of it has seen nothing.
	sub := &chat{world: w, id: "b", agent: "sub-1"}
	sub.calls = 100
	sub.refused("a sub-agent", sub.save("$WORK/MEMORY.md", shorter), 1, "Read it again")
	b.wants("read in two parts", b.save("$WORK/MEMORY.md", shorter), "")
	// By a command's output, by a mention and by loading it is seen too.
	for name, see := range map[string]func(c *chat){
		"cat": func(c *chat) {
			c.call("Bash", input{"command": "cat MEMORY.md"}, input{"stdout": w.read("$WORK/MEMORY.md")})
		},
		"numbers": func(c *chat) {
			c.call("Bash", input{"command": "cat -n MEMORY.md"}, input{"stdout": "     1\t" + strings.ReplaceAll(strings.TrimSuffix(w.read("$WORK/MEMORY.md"), "\n"), "\n", "\n    20\t")})
		},
		"mention": func(c *chat) { c.say("tidy up @MEMORY.md, please") },
		"loaded": func(c *chat) {
			c.event("InstructionsLoaded", input{"file_path": "$WORK/MEMORY.md", "memory_type": "Project", "load_reason": "include"})
		},
	} {
		w.process = name
		c := w.chat("by-" + name)
		now := w.read("$WORK/MEMORY.md")
		cut := now[strings.Index(now, "\n")+1:]
		c.refused(name+", before", c.save("$WORK/MEMORY.md", cut), len(w.records()), "Read it again")
		see(c)
		c.wants(name, c.save("$WORK/MEMORY.md", cut), "")
	}
	w.process = "part"
	c := w.chat("by-part")
	c.say("look at @MEMORY.md#L1-3, please")
	c.refused("a mention of a part", c.save("$WORK/MEMORY.md", "- all new\n"), len(w.records()), "Read it again")
	w.verify()
}

// What a host loads when a session starts is seen as far as it loads it.
func TestMC092IndexOfTheHost(t *testing.T) {
	w := newWorld(t, "claude")
	index := "$HOME/.claude/projects/-work/memory/MEMORY.md"
	var text strings.Builder
	for i := range 250 {
		fmt.Fprintf(&text, "- topic %d lies in topic-%d.md\n", i, i)
	}
	a := w.chat("a")
	a.wants("the index", a.save(index, text.String()), "")
	lines := strings.SplitAfter(text.String(), "\n")
	w.process = "proc-2"
	b := w.chat("b")
	b.refused("behind what is loaded", b.save(index, strings.Join(lines[:240], "")), 1, "Read it again")
	b.wants("what is loaded", b.save(index, strings.Join(lines[1:], "")), "")
	w.verify()
}

// A consolidation that holds its view for a while does not write over what came since, and
// goes on once it looked again.
func TestMC094ConsolidationAtTheHost(t *testing.T) {
	w := newWorld(t, "claude")
	a := w.chat("consolidates")
	a.wants("M1 and M2", a.save("$WORK/MEMORY.md", "# Notes\n- M1 is about the parser\n- M2 is about the parser too\n"), "")
	a.look("$WORK/MEMORY.md")
	w.process = "proc-2"
	w.chat("writes").add("$WORK/MEMORY.md", "- M9 is about the printer")
	const consolidated = "# Notes\n- M1 and M2 are about the parser\n"
	a.refused("the stale save", a.save("$WORK/MEMORY.md", consolidated), 2, "Read it again")
	if got := w.read("$WORK/MEMORY.md"); !strings.Contains(got, "M9") {
		t.Fatalf("M9 is lost: %q", got)
	}
	a.look("$WORK/MEMORY.md")
	a.wants("the retry", a.save("$WORK/MEMORY.md", consolidated+"- M9 is about the printer\n"), "")
	if got := w.read("$WORK/MEMORY.md"); got != consolidated+"- M9 is about the printer\n" {
		t.Errorf("MEMORY.md is %q", got)
	}
	w.verify()
}

// A tainted session's stale write is held: what it would drop is shown to a person.
func TestMC092TaintedStaleWriteIsHeld(t *testing.T) {
	c := day(t)
	c.file("MEMORY.md", "# Notes\n- of the owner\n")
	c.wants("it", c.save("$WORK/MEMORY.md", "# Notes\n"), "deny")
	if held := c.held(); len(held) != 1 {
		t.Errorf("%d are held", len(held))
	}
}

// ownersFile is a file of lines that the owner wrote by hand.
func ownersFile(lines int) string {
	var b strings.Builder
	b.WriteString("# Notes of the owner\n")
	for i := range lines - 1 {
		fmt.Fprintf(&b, "- rule %d: the service on port %d belongs to team %d\n", i, 9000+i, i%9)
	}
	return b.String()
}

// A rewrite that drops what the owner said, or that has a placeholder for it, waits for the
// owner in a clean session too; what is approved is written just as it was held.
func TestMC106PlaceholderAtTheHost(t *testing.T) {
	owners := ownersFile(120)
	few := strings.SplitAfterN(owners, "\n", 4)[:3]
	for name, content := range map[string]string{
		"a placeholder":            strings.Join(few, "") + "[rest of file unchanged]\n",
		"a comment":                strings.Join(few, "") + "<!-- unchanged -->\n",
		"dots":                     strings.Join(few, "") + "... existing content ...\n- a new rule about deploys\n",
		"a placeholder of one":     strings.Replace(owners, "- rule 50: the service on port 9050 belongs to team 5\n", "<!-- ... existing entries ... -->\n", 1),
		"nothing in its place":     strings.Join(few, ""),
		"other things":             "# Notes\n" + strings.Repeat("- the weather is fine today\n", 130),
		"nothing":                  "",
		"the words in other order": "of belongs owner team service the to on Notes rule port\n",
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "claude")
			w.file("MEMORY.md", owners)
			c := w.chat("s1")
			c.look("$WORK/MEMORY.md")
			c.wants("the rewrite", c.save("$WORK/MEMORY.md", content), "deny")
			held := w.held()
			if len(held) != 1 || held[0].Rule != memfile.Overwrites || held[0].Label.Tainted() {
				t.Fatalf("%d are held: %+v", len(held), held)
			}
			if said := string(c.last.Stdout); !strings.Contains(said, held[0].ID.String()) || strings.Contains(said, "port") {
				t.Errorf("the agent is told %s", said)
			}
			if got := w.read("$WORK/MEMORY.md"); got != owners {
				t.Fatal("it was written")
			}
			w.approveAll()
			w.process = "proc-2"
			w.chat("makes")
			want := content
			if got := w.read("$WORK/MEMORY.md"); got != want {
				t.Errorf("approved, it is %q, want %q", got, want)
			}
			w.verify()
		})
	}
}

// What a clean session may do to the owner's lines without asking: add, edit, move, wrap,
// take out what it names, and drop its own.
func TestMC106WhatGoesOn(t *testing.T) {
	owners := ownersFile(30)
	lines := strings.SplitAfter(owners, "\n")
	for name, content := range map[string]string{
		"an addition":     owners + "- one more\n",
		"an edit of all":  strings.ReplaceAll(owners, "belongs to", "is owned by"),
		"a move":          lines[0] + lines[29] + strings.Join(lines[1:29], ""),
		"wrapped":         strings.ReplaceAll(owners, " belongs", "\n  belongs"),
		"a few less":      strings.Join(lines[:25], ""),
		"dots that stood": owners + "...\n",
	} {
		w := newWorld(t, "claude")
		w.file("MEMORY.md", owners)
		c := w.chat("s1")
		c.look("$WORK/MEMORY.md")
		c.wants(name, c.save("$WORK/MEMORY.md", content), "")
		w.verify()
	}
	// Its own lines, all of them.
	w := newWorld(t, "claude")
	c := w.chat("s1")
	c.wants("its own", c.save("$WORK/memory/a.md", owners), "")
	c.wants("its own, anew", c.save("$WORK/memory/a.md", "- all new\n"), "")
	c.wants("its own, with a placeholder", c.save("$WORK/memory/a.md", "[rest of the file unchanged]\n"), "deny")
}

// A line that the user adopted is not dropped by a rewrite without the user; an edit that
// names it goes on, and so does an edit of it.
func TestMC106AdoptedLine(t *testing.T) {
	const text = "# Notes\n- deploys need two reviews\n- lunch is at noon\n"
	w := newWorld(t, "claude")
	c := w.chat("s1")
	c.wants("the notes", c.save("$WORK/MEMORY.md", text), "")
	w.attest("$WORK/MEMORY.md", segment.Range{From: 1, To: 2})
	c.wants("a rewrite without it", c.save("$WORK/MEMORY.md", "# Notes\n- lunch is at noon\n"), "deny")
	if held := w.held(); len(held) != 1 || held[0].Rule != memfile.Overwrites {
		t.Fatalf("%+v", held)
	}
	c.wants("a rewrite with it elsewhere", c.save("$WORK/MEMORY.md", "# Notes\n- lunch is at one\n- deploys need two reviews\n"), "")
	c.wants("an edit of it", c.call("Edit", input{"file_path": "$WORK/MEMORY.md", "old_string": "two reviews", "new_string": "three reviews"}, input{}), "")
	w.wantLines("$WORK/MEMORY.md", "agent", "agent", "agent")
	w.attest("$WORK/MEMORY.md", segment.Range{From: 2, To: 3})
	c.say("Forget how many reviews deploys need")
	c.wants("an edit that takes it out", c.call("Edit", input{"file_path": "$WORK/MEMORY.md", "old_string": "- deploys need three reviews\n", "new_string": ""}, input{}), "")
	w.verify()
	// A chain of edits that drops most of a file is a rewrite of it.
	w = newWorld(t, "claude")
	owners := ownersFile(30)
	w.file("MEMORY.md", owners)
	c = w.chat("s1")
	c.look("$WORK/MEMORY.md")
	var edits []any
	for line := range strings.Lines(owners) {
		edits = append(edits, input{"old_string": line, "new_string": "- x\n"})
	}
	c.wants("many edits", c.before("MultiEdit", input{"file_path": "$WORK/MEMORY.md", "edits": edits[1:]}), "deny")
	c.wants("few edits", c.before("MultiEdit", input{"file_path": "$WORK/MEMORY.md", "edits": edits[1:5]}), "")
}

// In mode warn nothing is refused or held, and the write is flagged.
func TestMC106Warn(t *testing.T) {
	w := newWorld(t, "claude")
	data, err := policy.Profile("observe")
	if err != nil {
		t.Fatal(err)
	}
	if w.policy, err = policy.Parse("observe.yaml", data); err != nil {
		t.Fatal(err)
	}
	w.guard = guard.New(guard.Config{Store: w.store, Policy: w.policy, Index: ledger.IndexKey{1}})
	w.file("MEMORY.md", ownersFile(120))
	c := w.chat("s1")
	c.wants("a rewrite", c.save("$WORK/MEMORY.md", "[rest of file unchanged]\n"), "")
	if r := w.newest(); !r.Flagged || r.Rule != memfile.Overwrites || r.Standing != hearsay.Allowed {
		t.Errorf("%+v: want it flagged", r)
	}
}

// A save is sealed as applied when the file has it. What the host only says to have
// written is told to the agent.
func TestMC100ReceiptAtTheHost(t *testing.T) {
	const text = "# Notes\n- one\n"
	for name, tt := range map[string]struct {
		lands func(w *world)
		want  hearsay.Delivery
		told  string
	}{
		"as it is":            {func(w *world) { w.file("MEMORY.md", text+"- two\n") }, hearsay.Applied, ""},
		"another adds":        {func(w *world) { w.file("MEMORY.md", text+"- two\n- three\n") }, hearsay.Applied, ""},
		"another puts before": {func(w *world) { w.file("MEMORY.md", "# Notes\n- zero\n- one\n- two\n") }, hearsay.Applied, ""},
		"formatted":           {func(w *world) { w.file("MEMORY.md", "# Notes\r\n\r\n-   one\r\n- two\r\n") }, hearsay.Applied, ""},
		"nothing":             {func(*world) {}, hearsay.Failed, "did not land"},
		"truncated":           {func(w *world) { w.file("MEMORY.md", "") }, hearsay.UnknownDelivery, "did not land as it was written"},
		"gone":                {func(w *world) { _ = os.Remove(w.expand("$WORK/MEMORY.md")) }, hearsay.UnknownDelivery, "did not land as it was written"},
		"something else":      {func(w *world) { w.file("MEMORY.md", "# Notes\n- one\n- 2\n") }, hearsay.UnknownDelivery, "did not land as it was written"},
	} {
		for kind, in := range map[string]input{
			"write": {"file_path": "$WORK/MEMORY.md", "content": text + "- two\n"},
			"edit":  {"file_path": "$WORK/MEMORY.md", "old_string": "- one\n", "new_string": "- one\n- two\n"},
		} {
			tool := map[string]string{"write": "Write", "edit": "Edit"}[kind]
			w := newWorld(t, "claude")
			w.file("MEMORY.md", text)
			c := w.chat("s1")
			c.look("$WORK/MEMORY.md")
			c.wants(kind, c.before(tool, in), "")
			tt.lands(w)
			said := c.event("PostToolUse", input{"tool_name": tool, "tool_use_id": fmt.Sprintf("call-s1-%d", c.calls), "tool_input": in, "tool_response": input{"filePath": "$WORK/MEMORY.md"}})
			if r := w.newest(); r.Delivery != tt.want {
				t.Errorf("%s, %s: sealed as %s, want %s", name, kind, r.Delivery, tt.want)
			}
			if got := string(said.Stdout); tt.told == "" && got != "" || !strings.Contains(got, tt.told) {
				t.Errorf("%s, %s: the agent is told %q, want %q", name, kind, got, tt.told)
			}
			w.verify()
		}
	}
}

// Patches are no way round: one that adds a file over one that is there, or deletes it, is
// a write of all of it.
func TestMC092Patches(t *testing.T) {
	w := newWorld(t, "codex")
	patch := func(c *chat, text string) string {
		return c.before("apply_patch", input{"command": "*** Begin Patch\n" + text + "\n*** End Patch"})
	}
	w.file("MEMORY.md", "# Notes\n- of the owner\n")
	c := w.chat("s1")
	c.refused("a file over it", patch(c, "*** Add File: MEMORY.md\n+# Notes\n+- mine"), 0, "Read it again")
	c.refused("a deletion", patch(c, "*** Delete File: MEMORY.md"), 0, "Read it again")
	c.wants("a hunk", patch(c, "*** Update File: MEMORY.md\n@@\n # Notes\n+- mine\n - of the owner"), "")
	c.call("read_file", input{"file_path": "$WORK/MEMORY.md"}, "L1: # Notes\nL2: - of the owner\n")
	c.wants("a deletion of what was read", patch(c, "*** Delete File: MEMORY.md"), "")
	w.verify()
}

// Each edit of one call is decided about and kept, though two put the same text.
func TestEditsWithTheSameText(t *testing.T) {
	c := day(t)
	c.file("MEMORY.md", "# Notes\n- one\n- two\n")
	c.look("$WORK/MEMORY.md")
	edits := []any{input{"old_string": "- one\n", "new_string": "- x\n"}, input{"old_string": "- two\n", "new_string": "- x\n"}}
	c.wants("both", c.before("MultiEdit", input{"file_path": "$WORK/MEMORY.md", "edits": edits}), "deny")
	c.approveAll()
	c.process = "proc-2"
	c.world.chat("makes")
	if got := c.world.read("$WORK/MEMORY.md"); got != "# Notes\n- x\n- x\n" {
		t.Errorf("MEMORY.md is %q", got)
	}
}
