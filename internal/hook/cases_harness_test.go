package hook_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/hosts"
)

// input is what a tool is called with, or what an event has beside the usual fields.
type input map[string]any

// chat is one session of Claude Code in a world.
type chat struct {
	*world
	id    string
	agent string // of a sub-agent; empty: the main one
	calls int
	last  hosts.Reply // to the last call
}

// chat starts a session.
func (w *world) chat(id string) *chat {
	w.t.Helper()
	c := &chat{world: w, id: id}
	c.event("SessionStart", input{"source": "startup"})
	return c
}

// payload is an event as the host writes it.
func (c *chat) payload(name string, fields input) string {
	c.t.Helper()
	m := input{"session_id": c.id, "transcript_path": "$HOME/.claude/projects/-work/t.jsonl", "cwd": "$WORK", "hook_event_name": name,
		"permission_mode": "default", "prompt_id": "p1"}
	if c.agent != "" {
		m["agent_id"] = c.agent
	}
	maps.Copy(m, fields)
	b, err := json.Marshal(m)
	if err != nil {
		c.t.Fatal(err)
	}
	return string(b)
}

func (c *chat) event(name string, fields input) hosts.Reply {
	c.t.Helper()
	return c.send(c.payload(name, fields))
}

// say is a turn that the person typed.
func (c *chat) say(text string) { c.event("UserPromptSubmit", input{"prompt": text, "source": "user"}) }

// before is the decision about a call: "", "deny" or "ask".
func (c *chat) before(tool string, in input) string {
	c.t.Helper()
	c.calls++
	c.last = c.event("PreToolUse", input{"tool_name": tool, "tool_use_id": fmt.Sprintf("call-%s-%d", c.id, c.calls), "tool_input": in})
	return decision(c.last)
}

// after is the result of the last call.
func (c *chat) after(tool string, in input, response any) {
	c.t.Helper()
	c.event("PostToolUse", input{"tool_name": tool, "tool_use_id": fmt.Sprintf("call-%s-%d", c.id, c.calls), "tool_input": in, "tool_response": response})
}

// call makes a call and, where it goes on, does what its tool does to files and gives its
// result.
func (c *chat) call(tool string, in input, response any) string {
	c.t.Helper()
	d := c.before(tool, in)
	if d == "" {
		c.does(tool, in)
		c.after(tool, in, response)
	}
	return d
}

// does is what the tools of the host that write do.
func (c *chat) does(tool string, in input) {
	c.t.Helper()
	name, _ := in["file_path"].(string)
	name = c.files(c.work).Resolve(c.work, c.expand(name))
	switch tool {
	case "Write":
		c.world.write(name, in["content"].(string))
	case "Edit":
		text := c.world.read(name)
		old, _ := in["old_string"].(string)
		put, _ := in["new_string"].(string)
		if strings.Count(text, old) == 1 {
			c.world.write(name, strings.Replace(text, old, put, 1))
		}
	}
}

// look reads a file, whole, by the host's tool.
func (c *chat) look(name string) {
	c.t.Helper()
	c.call("Read", input{"file_path": name}, input{"type": "text", "file": input{"filePath": name, "content": c.world.read(name)}})
}

// fetch reads a page.
func (c *chat) fetch(url, text string) {
	c.t.Helper()
	if d := c.call("WebFetch", input{"url": url, "prompt": "read it"}, input{"result": text, "url": url}); d != "" {
		c.t.Fatalf("reading a page: %s", d)
	}
}

// save writes a whole file.
func (c *chat) save(name, text string) string {
	c.t.Helper()
	return c.call("Write", input{"file_path": name, "content": text}, input{"type": "create", "filePath": name})
}

// add appends to a file what stands there as a mark.
func (c *chat) add(name, text string) string {
	c.t.Helper()
	return c.call("Edit", input{"file_path": name, "old_string": "# Notes", "new_string": "# Notes\n" + text}, input{"filePath": name})
}

// run runs a command.
func (c *chat) run(command string) string {
	c.t.Helper()
	return c.call("Bash", input{"command": command}, input{"stdout": "", "stderr": "", "interrupted": false})
}

// wants compares a decision.
func (c *chat) wants(what, got, want string) {
	c.t.Helper()
	if got != want {
		c.t.Errorf("%s: %q, want %q", what, got, want)
	}
}

// file puts a file there that no tool of the agent wrote.
func (w *world) file(name, text string) {
	w.t.Helper()
	name = filepath.Join(w.work, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// records are those that the world has, oldest first.
func (w *world) records() []*event.Record {
	w.t.Helper()
	var out []*event.Record
	for r, err := range w.guard.List(w.t.Context(), guard.Query{}) {
		if err != nil {
			w.t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

// newest is the youngest record.
func (w *world) newest() *event.Record {
	w.t.Helper()
	all := w.records()
	if len(all) == 0 {
		w.t.Fatal("there is no record")
	}
	return all[len(all)-1]
}

// label is that of a session.
func (c *chat) label() hearsay.Label {
	c.t.Helper()
	l, err := c.guard.SessionLabel(c.t.Context(), hearsay.Caller{Principal: "ana", Session: "claude:" + c.id})
	if err != nil {
		c.t.Fatal(err)
	}
	return l
}

// each runs a test for each line of a text; blank lines and those with # do not count.
func each(t *testing.T, lines string, f func(t *testing.T, line string)) {
	for line := range strings.Lines(lines) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			t.Run(line, func(t *testing.T) { f(t, line) })
		}
	}
}
