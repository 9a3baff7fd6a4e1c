package mcp

import (
	"fmt"
	"io"
	"testing"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// A server that the operator trusts can lower what it returns, and no server can raise it.
func TestHintsOnlyLower(t *testing.T) {
	for name, tt := range map[string]struct {
		sources, tools, result string
		tainted                bool
	}{
		"trusted":                   {"wiki", `[]`, `{"content":[]}`, false},
		"an open tool":              {"wiki", `[{"name":"get","annotations":{"openWorldHint":true}}]`, `{"content":[]}`, true},
		"another tool is open":      {"wiki", `[{"name":"search","annotations":{"openWorldHint":true}}]`, `{"content":[]}`, false},
		"an untrusted label":        {"wiki", `[]`, `{"content":[],"_meta":{"ifc":{"integrity":"untrusted"}}}`, true},
		"a label without integrity": {"wiki", `[]`, `{"content":[],"_meta":{"ifc":{}}}`, true},
		"a label that is no object": {"wiki", `[]`, `{"content":[],"_meta":{"ifc":"trusted"}}`, true},
		"a trusted label":           {"wiki", `[]`, `{"content":[],"_meta":{"ifc":{"integrity":"trusted"}}}`, false},
		"markers":                   {"wiki", `[]`, `{"content":[{"type":"text","text":"<<<EXTERNAL_UNTRUSTED_CONTENT>>>"}]}`, true},
		"unknown, closed":           {"other", `[{"name":"get","annotations":{"openWorldHint":false,"readOnlyHint":true}}]`, `{"content":[]}`, true},
		"unknown, trusted label":    {"other", `[]`, `{"content":[],"_meta":{"ifc":{"integrity":"trusted"}}}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBenchWith(t, "\nsources: [ { type: \"mcp:wiki\", origin: tool } ]\n")
			c := b.caller("session-1")
			p, u := behind(t, Options{Guard: b.guard, Caller: c, Server: tt.sources})
			ask := func(method, params, result string) {
				done := make(chan struct{})
				go func() {
					defer close(done)
					p.request(method, params)
				}()
				f, err := strictjson.Limits{}.Frame([]byte(u.next()))
				if err != nil {
					t.Error(err)
				}
				u.line(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, f.ID, result))
				<-done
			}
			ask("tools/list", `{}`, `{"tools":`+tt.tools+`}`)
			ask("tools/call", `{"name":"get","arguments":{}}`, tt.result)
			label, err := b.guard.SessionLabel(t.Context(), c)
			if err != nil || label.Tainted() != tt.tainted {
				t.Errorf("the session is %s, %v", label, err)
			}
		})
	}
}

// Under a host with hooks a call is of the session whose hook announced it, by the id
// in _meta or by its arguments alone; reads are too.
func TestCallsOfHookedHosts(t *testing.T) {
	b := newBench(t)
	hook := hearsay.Caller{Principal: "ana", Session: "claude:s-1", Surface: hearsay.SurfaceHook}
	proxied := hearsay.Caller{Principal: "ana", Session: "proc-1-and-more", Surface: hearsay.SurfaceMCP}
	for _, c := range []hearsay.Caller{hook, proxied} {
		if _, err := b.guard.Open(t.Context(), c, guard.Start{Host: "host"}); err != nil {
			t.Fatal(err)
		}
	}
	o := memoryOptions(t, b, proxied)
	o.Host, o.Assume = "host", false
	p := newProxy(io.Discard, io.Discard, o)
	announce := func(id, args string) {
		v, err := strictjson.Limits{}.Parse([]byte(args))
		if err != nil {
			t.Fatal(err)
		}
		if err := b.guard.Announce(t.Context(), hook, guard.Call{ID: id, Digest: guard.CallDigest("read_graph", strictjson.AppendCanonical(nil, v))}); err != nil {
			t.Fatal(err)
		}
	}
	reader := func(params string) string {
		v, err := strictjson.Limits{}.Parse([]byte(params))
		if err != nil {
			t.Fatal(err)
		}
		return p.reader(t.Context(), announced(v, "read_graph")).Session
	}
	announce("a", `{"b":1,"a":2}`)
	if got := reader(`{"arguments":{"a":2,"b":1},"_meta":{"claudecode/toolUseId":"a"}}`); got != hook.Session {
		t.Errorf("an announced read is of %s", got)
	}
	announce("b", `{}`)
	if got := reader(`{}`); got != hook.Session {
		t.Errorf("a read without an id is of %s", got)
	}
	announce("c", `{}`)
	for name, params := range map[string]string{
		"a forged id":     `{"_meta":{"callId":"x"}}`,
		"other arguments": `{"arguments":{"a":2},"_meta":{"callId":"c"}}`,
		"a number as id":  `{"arguments":{"a":2},"_meta":{"callId":7}}`,
	} {
		if got := reader(params); got != proxied.Session {
			t.Errorf("%s: the read is of %s", name, got)
		}
	}
	if got := reader(`{"_meta":{"callId":"c"}}`); got != hook.Session {
		t.Errorf("the announced read is of %s after forged ones", got)
	}
}
