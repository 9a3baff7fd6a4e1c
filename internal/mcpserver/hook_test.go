package mcpserver

import (
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// hooked opens a session that a host's hook knows.
func (w *world) hooked(session, host string) hearsay.Caller {
	w.t.Helper()
	c := hearsay.Caller{Principal: "ana", Session: session, Surface: hearsay.SurfaceHook}
	if _, err := w.guard.Open(w.t.Context(), c, guard.Start{Host: host}); err != nil {
		w.t.Fatal(err)
	}
	return c
}

// announced is a call as a hook leaves word of it.
func (w *world) announced(c hearsay.Caller, id, tool, args string) guard.Call {
	w.t.Helper()
	v, err := strictjson.Limits{}.Parse([]byte(args))
	if err != nil {
		w.t.Fatal(err)
	}
	call := guard.Call{ID: id, Digest: guard.CallDigest(tool, strictjson.AppendCanonical(nil, v))}
	if err := w.guard.Announce(w.t.Context(), c, call); err != nil {
		w.t.Fatal(err)
	}
	return call
}

// With hooks at work a write is that session's whose hook announced the call, and nobody's
// where none did; --assume does not help.
func TestHookSaysWhoWrites(t *testing.T) {
	w := newWorld(t)
	clean, tainted := w.hooked("clean", "proc-1"), w.hooked("tainted", "proc-1")
	w.read(tainted)
	own := w.caller("own session")
	p := w.raw(w.server(own, func(o *Options) { o.Host = "proc-1" }))
	const one, two = `{"text":"The port is 8080.","kind":"learning"}`, `{"text":"The port is 9090.","kind":"learning"}`

	p.send(toolCall("1", "memory_write", one))
	if got := p.line(); !strings.Contains(got, `"outcome":"held"`) {
		t.Errorf("a call that no hook announced: %s", got)
	}
	w.announced(clean, "toolu_1", "memory_write", `{"kind":"learning","text":"The port is 9090."}`)
	w.announced(tainted, "toolu_2", "memory_write", one)
	call := strings.Replace(toolCall("2", "memory_write", two), `"_meta":{`, `"_meta":{"claudecode/toolUseId":"toolu_1",`, 1)
	p.send(call)
	if got := p.line(); !strings.Contains(got, `"outcome":"stored"`) {
		t.Errorf("a call that a clean session's hook announced: %s", got)
	}
	p.send(call)
	if got := p.line(); strings.Contains(got, `"outcome":"stored"`) {
		t.Errorf("the same word was spent twice: %s", got)
	}
	p.send(strings.Replace(toolCall("3", "memory_write", one), `"_meta":{`, `"_meta":{"claudecode/toolUseId":"toolu_2",`, 1))
	if got := p.line(); !strings.Contains(got, `"outcome":"held"`) || !strings.Contains(got, "external") {
		t.Errorf("a call that a tainted session's hook announced: %s", got)
	}
	w.verify()
}

// What is read is read by the session whose hook announced the call. The word is spent
// whatever became of the call, so that the hook does not take us for a server that nobody
// watches.
func TestHookSaysWhoReads(t *testing.T) {
	w := newWorld(t)
	id := w.keep("web", "quirk", "The gateway sleeps.")
	hooked := w.hooked("hooked", "proc-1")
	own := w.caller("own session")
	p := w.raw(w.server(own, func(o *Options) { o.Host = "proc-1" }))
	for tool, args := range map[string]string{
		"memory_status": `{}`,
		"memory_list":   `{"limit":3}`,
		"memory_review": `{}`,
		"memory_search": `{"query":""}`,
		"memory_write":  `{"text":"x","kind":"goal","UserTriggered":true}`,
		"memory_delete": `{"ids":[]}`,
	} {
		call := w.announced(hooked, "", tool, args)
		p.send(toolCall("1", tool, args))
		_ = p.line()
		if unspent, err := w.guard.Unspent(t.Context(), hooked, call); err != nil || unspent {
			t.Errorf("%s left the hook's word: %v", tool, err)
		}
	}
	if w.tainted(hooked) || w.tainted(own) {
		t.Fatal("tainted before anything was read")
	}
	args := `{"id":"` + id.String() + `"}`
	w.announced(hooked, "", "memory_get", args)
	p.send(toolCall("2", "memory_get", args))
	if got := p.line(); !strings.Contains(got, "gateway") || !w.tainted(hooked) || w.tainted(own) {
		t.Errorf("hooked tainted %v, own %v, want the hooked one: %s", w.tainted(hooked), w.tainted(own), got)
	}
}

// The host's hook is told that calls of this server are left to us.
func TestHookIsToldOfTheServer(t *testing.T) {
	w := newWorld(t)
	_ = w.dial(w.server(w.caller("session-1"), func(o *Options) { o.Host, o.Name = "proc-1", "notes" }), modern, nil)
	for name, want := range map[string]bool{"notes": true, "memory": false} {
		if got, err := w.guard.Served(t.Context(), "ana", "proc-1", name); err != nil || got != want {
			t.Errorf("served %s: %v, %v", name, got, err)
		}
	}
}
