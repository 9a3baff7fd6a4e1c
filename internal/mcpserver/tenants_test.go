package mcpserver

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/memory"
)

// bound connects a client to a server that is bound to a namespace.
func (w *world) bound(session string, ns hearsay.Namespace) *client {
	w.t.Helper()
	return w.dial(w.server(w.caller(session), func(o *Options) { o.Namespace = ns }), modern, nil)
}

// inProject connects a client to a server that is bound to a project.
func (w *world) inProject(session, project string) *client {
	w.t.Helper()
	c := w.caller(session)
	c.Project = project
	return w.dial(w.server(c), modern, nil)
}

// seen are the ids that a client can see by searching, and has to be able to see by listing.
func (c *client) seen(query string) []string {
	c.t.Helper()
	ids := func(a answer) (out []string) {
		for _, m := range a.memories(c.t) {
			out = append(out, m["id"].(string))
		}
		slices.Sort(out)
		return out
	}
	found, listed := ids(c.call("memory_search", map[string]any{"query": query})), ids(c.call("memory_list", nil))
	if !slices.Equal(found, listed) {
		c.t.Errorf("the search finds %v, the list has %v", found, listed)
	}
	return found
}

// untouchable checks that a memory is not there for a client: not to read, to replace or
// to forget.
func (c *client) untouchable(id hearsay.RecordID) {
	c.t.Helper()
	for tool, args := range map[string]map[string]any{
		"memory_get":    {"id": id.String()},
		"memory_delete": {"ids": []string{id.String()}},
		"memory_write":  {"text": "Another text.", "kind": "learning", "replaces": []string{id.String()}},
	} {
		if a := c.call(tool, args); !a.failed || !strings.Contains(a.text, "no memory of that id is there for you") {
			c.t.Errorf("%s of what lies elsewhere: %s", tool, a.text)
		}
	}
}

// A namespace is matched by whole segments. One that spans others is the choice of whoever
// starts the server, never a call's.
func TestMC028NamespaceOfTheServer(t *testing.T) {
	w := newWorld(t)
	acme, corp := w.bound("session-1", hearsay.Namespace{"tenant", "acme"}), w.bound("session-2", hearsay.Namespace{"tenant", "acme-corp"})
	k1 := acme.call("memory_write", noteOf("The port of k1 is 1.")).is(t, "stored")
	k2 := corp.call("memory_write", noteOf("The port of k2 is 2.")).is(t, "stored")
	if got := acme.seen("port"); !slices.Equal(got, []string{k1.String()}) {
		t.Errorf("acme sees %v", got)
	}
	acme.untouchable(k2)
	corp.untouchable(k1)
	for name, c := range map[string]*client{"above both": w.bound("session-3", hearsay.Namespace{"tenant"}), "everywhere": w.bound("session-4", nil)} {
		if got := c.seen("port"); len(got) != 2 {
			t.Errorf("%s: sees %v", name, got)
		}
	}
	if got := w.bound("session-5", hearsay.Namespace{"tenan"}).seen("port"); got != nil {
		t.Errorf("half a segment sees %v", got)
	}
	w.verify()
}

// Two tuples are two places, whatever stands in their segments.
func TestMC030TuplesAtTheDoor(t *testing.T) {
	w := newWorld(t)
	places := []hearsay.Namespace{{"team_a"}, {"team", "a"}, {"team:a"}, {"team.a"}, {"team/a"}, {"team", "a:"}, {"team ", "a"}, {"t", "eam", "a"}}
	var clients []*client
	var ids []hearsay.RecordID
	for i, ns := range places {
		c := w.bound(fmt.Sprint("session-", i), ns)
		ids = append(ids, c.call("memory_write", noteOf(fmt.Sprintf("The port here is %d.", i))).is(t, "stored"))
		clients = append(clients, c)
	}
	for i, c := range clients {
		if got := c.seen("port"); !slices.Equal(got, []string{ids[i].String()}) {
			t.Errorf("%q sees %v, want its own alone", places[i], got)
		}
		c.untouchable(ids[(i+1)%len(ids)])
	}
}

// A memory that takes the place of another stays its principal's, whatever the call says.
func TestMC031UpdateKeepsThePrincipal(t *testing.T) {
	w := newWorld(t)
	p := w.raw(w.server(w.caller("session-1")))
	id := w.keep("agent", "", "The port is 8080.")
	for _, extra := range []string{`"metadata":{"user_id":"bob"}`, `"user_id":"bob"`, `"agent_id":"b"`, `"run_id":"r"`} {
		p.send(toolCall("1", "memory_write", `{"text":"The port is 9090.","kind":"learning","replaces":["`+id.String()+`"],`+extra+`}`))
		if got := p.line(); !strings.Contains(got, `"isError":true`) {
			t.Errorf("%s: %s", extra, got)
		}
	}
	call := toolCall("2", "memory_write", `{"text":"The port is 9090.","kind":"learning","replaces":["`+id.String()+`"]}`)
	p.send(strings.Replace(call, `"_meta":{`, `"_meta":{"dev.hearsay/principal":"bob","dev.hearsay/user_id":"bob","user_id":"bob",`, 1))
	if got := p.line(); !strings.Contains(got, `"outcome":"stored"`) {
		t.Errorf("with claims beside the arguments: %s", got)
	}
	for r, err := range w.guard.List(t.Context(), guard.Query{}) {
		if err != nil || r.Principal != "ana" {
			t.Errorf("a record of %q, %v", r.Principal, err)
		}
	}
	w.verify()
}

// There is nothing that forgets everything, and forgetting touches nobody else's.
func TestMC033ForgettingIsOnesOwn(t *testing.T) {
	w := newWorld(t)
	bob := hearsay.Caller{Principal: "bob", Session: "session-b", Surface: hearsay.SurfaceOwn}
	if _, err := w.guard.Open(t.Context(), bob, guard.Start{}); err != nil {
		t.Fatal(err)
	}
	bobs := memory.Open(w.guard, memory.Options{Principal: "bob", Dir: filepath.Join(t.TempDir(), memory.Folder("bob")), Log: w.log()})
	t.Cleanup(func() { _ = bobs.Close() })
	ofBob := w.dial(w.server(bob, func(o *Options) { o.Memory = bobs }), modern, nil)
	ofAna := w.dial(w.server(w.caller("session-1")), modern, nil)
	hers := ofAna.call("memory_write", noteOf("The port of ana is 1.")).is(t, "stored")
	his := ofBob.call("memory_write", noteOf("The port of bob is 2.")).is(t, "stored")

	for _, args := range []map[string]any{{}, {"ids": []string{}}, {"all": true}, {"ids": "*"}, {"ids": []string{"*"}}, {"user_id": "ana"}} {
		if a := ofAna.call("memory_delete", args); !a.failed {
			t.Errorf("%v: %s", args, a.text)
		}
	}
	if a := ofAna.call("memory_delete", map[string]any{"ids": []string{hers.String(), his.String()}}); !a.failed {
		t.Errorf("hers and his: %s", a.text)
	}
	ofAna.call("memory_delete", map[string]any{"ids": []string{hers.String()}}).is(t, "forgotten")
	if got := ofAna.seen("port"); got != nil {
		t.Errorf("ana still sees %v", got)
	}
	if got := ofBob.seen("port"); !slices.Equal(got, []string{his.String()}) {
		t.Errorf("bob sees %v", got)
	}
	w.verify()
}

// A project is its real path: what was written in one is not there in another whose path
// looks alike, and what belongs to none is there in both.
func TestMC035ProjectsAreApart(t *testing.T) {
	w := newWorld(t)
	shared := w.keep("agent", "", "The port of everybody is 0.")
	for i, pair := range [][2]string{{"/w/a-b", "/w/a/b"}, {"/w/\u8cc7\u6599", "/w/\u8a08\u756b"}, {"/w/a", "/w/a/"}, {"/w/A", "/w/a"}} {
		first, second := w.inProject(fmt.Sprint("first-", i), pair[0]), w.inProject(fmt.Sprint("second-", i), pair[1])
		id := first.call("memory_write", noteOf(fmt.Sprintf("The port of project %d is 1.", i))).is(t, "stored")
		if got := first.seen("port"); !slices.Contains(got, id.String()) || !slices.Contains(got, shared.String()) {
			t.Errorf("%s sees %v", pair[0], got)
		}
		if got := second.seen("port"); slices.Contains(got, id.String()) || !slices.Contains(got, shared.String()) {
			t.Errorf("%s sees %v of %s", pair[1], got, pair[0])
		}
		second.untouchable(id)
	}
	w.verify()
}

// One name in the memories of two agents is two memories, and a server that is bound to one
// agent's reaches none of the other's.
func TestMC037AgentsAreApart(t *testing.T) {
	w := newWorld(t)
	brand := func(text string) map[string]any {
		return map[string]any{"title": "brand", "text": text, "kind": "preference"}
	}
	a1, a2 := w.bound("session-1", hearsay.Namespace{"agents", "a1"}), w.bound("session-2", hearsay.Namespace{"agents", "a2"})
	one := a1.call("memory_write", brand("Blue and calm.")).is(t, "stored")
	two := a2.call("memory_write", brand("Red and loud.")).is(t, "stored")
	a1.untouchable(two)
	a2.untouchable(one)
	if m := a2.call("memory_search", map[string]any{"query": "brand"}).memories(t); len(m) != 1 || m[0]["text"] != "Red and loud." {
		t.Errorf("a2's brand is %v", m)
	}
}

// What was said to be stored is there at once, by whatever door it is asked for and
// whatever was written meanwhile.
func TestMC038ReceiptsAreTrue(t *testing.T) {
	w := newWorld(t)
	url := w.serve(w.over("desk " + tokenA))
	doors := []*client{
		w.dial(w.server(w.caller("session-1")), eras[0], nil), w.dial(w.server(w.caller("session-2")), modern, nil),
		w.mustReach(url, eras[0], tokenA), w.mustReach(url, modern, tokenA),
	}
	var ids []hearsay.RecordID
	for i, c := range doors {
		ids = append(ids, c.call("memory_write", noteOf(fmt.Sprintf("Door %d has port %d.", i, i))).is(t, "stored"))
	}
	for i, c := range doors {
		for j, id := range ids {
			if a := c.call("memory_get", map[string]any{"id": id.String()}); a.failed || a.content["text"] != fmt.Sprintf("Door %d has port %d.", j, j) {
				t.Errorf("door %d on what door %d wrote: %s", i, j, a.text)
			}
		}
	}
	agents := make(map[string]int)
	for r, err := range w.guard.List(t.Context(), guard.Query{Match: func(r *event.Record) bool { return r.Agent != "" }}) {
		if err != nil {
			t.Fatal(err)
		}
		agents[r.Agent+" in "+r.Session]++
	}
	if len(agents) != 1 || agents["desk in http-token:desk"] != 2 {
		t.Errorf("agents wrote %v", agents)
	}
}
