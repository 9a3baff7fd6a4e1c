package memtool_test

import (
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/memtool"
)

const hostID = "host-1"

// hooked opens a session of a hook, and returns the handler of a server under the same
// host process that has a session of its own.
func (w *world) hooked(session string) (*memtool.Handler, hearsay.Caller) {
	w.t.Helper()
	hook := caller(session)
	hook.Surface = hearsay.SurfaceHook
	_, err := w.guard.Open(w.t.Context(), hook, guard.Start{Host: hostID})
	w.must(err)
	h := w.session("server")
	h.Host, h.Assumed = hostID, true
	return h, hook
}

// announced makes a call that the hook of a session announced.
func (w *world) announced(h *memtool.Handler, hook hearsay.Caller, id string, input []byte) memtool.Reply {
	w.t.Helper()
	name, _, _ := memtool.Tool()
	call := guard.Call{ID: id, Digest: guard.CallDigest(name, input)}
	w.must(w.guard.Announce(w.t.Context(), hook, call))
	r, err := h.MCP(w.t.Context(), caller("server"), call, input)
	w.must(err)
	if spent, err := w.guard.Unspent(w.t.Context(), hook, call); err != nil || spent {
		w.t.Errorf("%s: the hook's word is left: %v", id, err)
	}
	return r
}

// The session whose hook announced a call writes and takes in, and the server's own does
// not.
func TestMCPJoinsTheHook(t *testing.T) {
	w := newWorld(t)
	h, hook := w.hooked("agent")
	if r := w.announced(h, hook, "1", args("create", "path", "/memories/a.md", "file_text", "mine\n")); r.IsError {
		t.Fatalf("%+v", r)
	}
	if l := w.labels("a.md")["mine"]; l != agentLabel {
		t.Errorf("its line is %s", l)
	}
	w.release(w.held(w.tainted("other"), "insert", "path", "/memories/a.md", "insert_line", 1, "insert_text", "theirs"))
	r := w.announced(h, hook, "2", args("view", "path", "/memories/a.md"))
	if r.IsError || !strings.Contains(r.Text, "[hearsay external ") {
		t.Fatalf("%+v", r)
	}
	if l := w.label("agent"); !l.Taint.Has("web") {
		t.Errorf("the session that was shown it is %s", l)
	}
	if l := w.label("server"); l.Tainted() {
		t.Errorf("the server's session is %s", l)
	}
	if r := w.announced(h, hook, "3", args("create", "path", "/memories/b.md", "file_text", "reworded\n")); !strings.Contains(r.Text, "held for review as") {
		t.Errorf("%+v", r)
	}
	w.verify()
}

// A call of which nothing came leaves no word of the hook behind, whatever was wrong.
func TestMCPSpendsTheHooksWord(t *testing.T) {
	w := newWorld(t)
	h, hook := w.hooked("agent")
	for id, input := range map[string][]byte{
		"missing": args("view", "path", "/memories/none.md"), "outside": args("create", "path", "/etc/x", "file_text", "x"),
		"claims": args("create", "path", "/memories/a.md", "file_text", "x", "origin", "user"), "unknown": args("exec"), "no JSON": []byte("{"),
	} {
		if r := w.announced(h, hook, id, input); !r.IsError {
			t.Errorf("%s: %+v", id, r)
		}
	}
}

// A call that no hook announced, where hooks are at work, comes from nobody knows whom.
func TestMCPWithoutTheHooksWord(t *testing.T) {
	w := newWorld(t)
	h, _ := w.hooked("agent")
	input := args("create", "path", "/memories/a.md", "file_text", "x\n")
	r, err := h.MCP(t.Context(), caller("server"), guard.Call{Digest: guard.CallDigest("memory", input)}, input)
	if err != nil || !strings.Contains(r.Text, "held for review as") {
		t.Errorf("%+v, %v", r, err)
	}
	same(t, w.text("a.md"), "<none>")
}
