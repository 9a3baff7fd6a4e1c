package mcpserver

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
)

// badFrames are frames that go no further, over either transport.
var badFrames = map[string]string{
	"no JSON":               `{"jsonrpc":"2.0",`,
	"trailing data":         `{"jsonrpc":"2.0","id":1,"method":"ping"} {}`,
	"a duplicate key":       `{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}`,
	"a deep duplicate":      toolCall("1", "memory_write", `{"text":"x","text":"y","kind":"goal"}`),
	"an escaped duplicate":  toolCall("1", "memory_write", `{"text":"x","te\u0078t":"y","kind":"goal"}`),
	"a case variant":        toolCall("1", "memory_write", `{"text":"x","Text":"y","kind":"goal"}`),
	"a variant of a name":   `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"Name":"memory_status","arguments":{},` + meta + `}}`,
	"a variant of the top":  `{"jsonrpc":"2.0","id":1,"Method":"tools/call","params":{}}`,
	"invalid UTF-8":         toolCall("1", "memory_write", "{\"text\":\"\xff\",\"kind\":\"goal\"}"),
	"half a surrogate pair": toolCall("1", "memory_write", `{"text":"\ud800","kind":"goal"}`),
	"deep nesting":          toolCall("1", "memory_write", strings.Repeat(`{"a":`, 100)+"1"+strings.Repeat("}", 100)),
	"a batch":               `[` + toolCall("1", "memory_status", `{}`) + `]`,
	"a null id":             `{"jsonrpc":"2.0","id":null,"method":"ping"}`,
	"a broken id":           `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`,
	"a huge id":             `{"jsonrpc":"2.0","id":12345678901234567,"method":"ping"}`,
	"no version":            `{"id":1,"method":"ping"}`,
	"two things at once":    `{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}`,
	"params that are none":  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}`,
	"a bare value":          `1`,
}

// What two readers could read in two ways reaches no reader, and the connection goes on.
func TestBadFrames(t *testing.T) {
	w := newWorld(t)
	p := w.raw(w.server(w.caller("session-1")))
	for name, frame := range badFrames {
		p.send(frame)
		if got := p.line(); !strings.Contains(got, `"error"`) || !strings.Contains(got, "hearsay: ") {
			t.Errorf("%s: %s", name, got)
		}
		p.send("")
		p.send(toolCall(`"next"`, "memory_status", `{}`))
		if got := p.line(); !strings.Contains(got, `"memories":0`) {
			t.Errorf("after %s: %s", name, got)
		}
	}
	if n := len(w.records()); n != 0 {
		t.Errorf("records of %d standings, want none", n)
	}
}

// A frame that is too long is answered and gone; a text that is too long is refused with
// what to do.
func TestLongFrames(t *testing.T) {
	w := newWorld(t)
	p := w.raw(w.server(w.caller("session-1")))
	for size, want := range map[int]string{
		limits.MaxBytes + 100: "the frame is too long",
		300 << 10:             "text has 307200 bytes: at most 262144",
	} {
		p.send(toolCall("1", "memory_write", `{"text":"`+strings.Repeat("x", size)+`","kind":"goal"}`))
		if got := p.line(); !strings.Contains(got, want) {
			t.Errorf("%d bytes: %.200s", size, got)
		}
	}
	p.send(toolCall("1", "memory_write", `{"text":"`+strings.Repeat(`\u0001x`, 128<<10)+`","kind":"goal"}`))
	if got := p.line(); !strings.Contains(got, `"outcome":`) {
		t.Errorf("the longest text, escaped: %.200s", got)
	}
	p.send(toolCall("2", "memory_status", `{}`))
	if got := p.line(); !strings.Contains(got, `"memories":`) {
		t.Errorf("after them: %s", got)
	}
}

// Bad arguments are a result that says what is wrong, and repeats none of them.
func TestBadArguments(t *testing.T) {
	w := newWorld(t)
	p := w.raw(w.server(w.caller("session-1")))
	const id = "01900000-0000-7000-8000-000000000000"
	for _, c := range []struct{ tool, args, want string }{
		{"memory_write", `{}`, "text is missing or empty"},
		{"memory_write", `{"text":"  ","kind":"goal"}`, "text is missing or empty"},
		{"memory_write", `{"text":"x"}`, "kind is missing or empty"},
		{"memory_write", `{"text":"x","kind":"GOAL"}`, "kind is none of those"},
		{"memory_write", `{"text":"x","kind":"lesson_zzz"}`, "kind is none of those"},
		{"memory_write", `{"text":"x","kind":"goal","form":"zzz"}`, "form: want semantic"},
		{"memory_write", `{"text":1,"kind":"goal"}`, "text: want a JSON string"},
		{"memory_write", `{"text":null,"kind":"goal"}`, "text: want a JSON string"},
		{"memory_write", `{"text":"x","kind":"goal","salience":1.5}`, "salience: want a number from 0 to 1"},
		{"memory_write", `{"text":"x","kind":"goal","salience":1e999}`, "salience: want a number from 0 to 1"},
		{"memory_write", `{"text":"x","kind":"goal","salience":"NaN"}`, "salience: want a JSON number"},
		{"memory_write", `{"text":"x","kind":"goal","pin":"yes"}`, "pin: want a JSON boolean"},
		{"memory_write", `{"text":"x","kind":"goal","title":"zzz\nyyy"}`, "title is more than one line"},
		{"memory_write", `{"text":"x","kind":"goal","tags":["a","a"]}`, "tags: entry 2 is there twice"},
		{"memory_write", `{"text":"x","kind":"goal","tags":["zzz "]}`, "tag 1"},
		{"memory_write", `{"text":"x","kind":"goal","tags":[1]}`, "tags: entry 1: want a string"},
		{"memory_write", `{"text":"x","kind":"goal","links":["zzz"]}`, "links: entry 1 is no id"},
		{"memory_write", `{"text":"x","kind":"goal","replaces":["` + id + `"]}`, "a write can only replace what its principal recalls"},
		{"memory_write", `{"text":"x","kind":"goal","zzz yyy":1}`, "one of the arguments is not known here"},
		{"memory_search", `{"query":"` + strings.Repeat("z", 5000) + `"}`, "query has 5000 bytes: at most 4096"},
		{"memory_search", `{"query":"x","k":0}`, "k: want a whole number from 1 to 100"},
		{"memory_search", `{"query":"x","k":1.5}`, "k: want a whole number"},
		{"memory_search", `{"query":"x","k":1e300}`, "k: want a whole number"},
		{"memory_search", `{"query":"x","kinds":["goal","goal"]}`, "kinds: entry 2 is there twice"},
		{"memory_get", `{}`, "id is missing"},
		{"memory_get", `{"id":"ZZZ"}`, "id is no id of a memory"},
		{"memory_get", `{"id":"` + id + `"}`, "no memory of that id is there for you"},
		{"memory_list", `{"limit":1000}`, "limit: want a whole number from 1 to 200"},
		{"memory_delete", `{"ids":[]}`, "ids: name the memories"},
		{"memory_delete", `{"ids":["` + id + `"]}`, id},
		{"memory_status", `{"zzz":1}`, "it takes no arguments"},
		{"memory_status", `[]`, "the arguments are not an object"},
	} {
		p.send(toolCall("1", c.tool, c.args))
		got := p.line()
		if !strings.Contains(got, `"isError":true`) || !strings.Contains(got, c.want) {
			t.Errorf("%s %.100s: %s, want %q", c.tool, c.args, got, c.want)
		}
		if c.tool != "memory_status" && strings.Contains(strings.ToLower(got), "zzz") {
			t.Errorf("%s %.100s: the answer repeats it: %s", c.tool, c.args, got)
		}
	}
	p.send(toolCall("1", "memory_purge", `{}`))
	if got := p.line(); !strings.Contains(got, `"error"`) || !strings.Contains(got, "-32602") {
		t.Errorf("an unknown tool: %s", got)
	}
	for _, method := range []string{"prompts/list", "resources/list", "resources/templates/list", "completion/complete", "nothing/there"} {
		p.send(`{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + meta + `}}`)
		if got := p.line(); !strings.Contains(got, "-32601") && !strings.Contains(got, "unmarshaling") {
			t.Errorf("%s: %s", method, got)
		}
	}
	if n := len(w.records()); n != 0 {
		t.Errorf("records of %d standings, want none", n)
	}
}

// While the store is locked nothing is stored and nothing of the tainted is shown, and it
// is said; when it is free again all goes on.
func TestLockedStore(t *testing.T) {
	w := newWorld(t)
	id := w.keep("web", "", "The gateway sleeps.")
	hasty := *w
	hasty.open(time.Second)
	p := w.raw(hasty.server(w.caller("session-1")))
	release, locked, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		_, err := w.store.Update(t.Context(), func(guard.Tx) ([]event.Draft, error) {
			close(locked)
			<-release
			return nil, nil
		})
		done <- err
	}()
	<-locked
	for tool, args := range map[string]string{
		"memory_write":  `{"text":"x","kind":"goal"}`,
		"memory_search": `{"query":"gateway"}`,
		"memory_get":    `{"id":"` + id.String() + `"}`,
		"memory_delete": `{"ids":["` + id.String() + `"]}`,
	} {
		p.send(toolCall("1", tool, args))
		if got := p.line(); !strings.Contains(got, `"isError":true`) || strings.Contains(got, "sleeps") || !strings.Contains(got, "busy") {
			t.Errorf("%s of a locked store: %s", tool, got)
		}
	}
	close(release)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	got := "busy"
	for strings.Contains(got, "busy") { // a second can be short, even where nobody holds the store
		p.send(toolCall("1", "memory_search", `{"query":"gateway"}`))
		got = p.line()
	}
	if !strings.Contains(got, "sleeps") {
		t.Errorf("when it is free: %s", got)
	}
	w.verify()
}

// Without a store nothing goes on, and the log knows why.
func TestClosedStore(t *testing.T) {
	w := newWorld(t)
	p := w.raw(w.server(w.caller("session-1")))
	if err := w.store.Close(); err != nil {
		t.Fatal(err)
	}
	for _, tool := range []string{"memory_write", "memory_review", "memory_status"} {
		args := `{}`
		if tool == "memory_write" {
			args = `{"text":"x","kind":"goal"}`
		}
		p.send(toolCall("1", tool, args))
		if got := p.line(); !strings.Contains(got, `"isError":true`) || !strings.Contains(got, "could not be decided and sealed") {
			t.Errorf("%s without a store: %s", tool, got)
		}
	}
	if !strings.Contains(w.logged.String(), "a call failed") {
		t.Error("the log does not know")
	}
}

// A client that can open a page is sent to it, once, in both eras; what it answers decides
// nothing.
func TestReviewPage(t *testing.T) {
	const page = "http://127.0.0.1:7416/review"
	for _, era := range eras {
		w := newWorld(t)
		c := w.caller("session-1")
		w.read(c)
		asked := 0
		agent := w.dial(w.server(c, func(o *Options) { o.Page = page }), era, opener(func(url string) {
			if asked++; url != page {
				t.Errorf("the client is sent to %s", url)
			}
		}))
		agent.call("memory_review", nil)
		agent.call("memory_write", noteOf("A rule of the page")).is(t, "held")
		if asked != 0 {
			t.Error("the client was asked while nothing waited")
		}
		if a := agent.call("memory_review", nil); asked != 1 || a.content["waiting"] != 1.0 || !strings.Contains(a.text, page) {
			t.Errorf("%s: asked %d times: %s", era, asked, a.text)
		}
		plain := w.dial(w.server(c, func(o *Options) { o.Page = page }), era, nil)
		if a := plain.call("memory_review", nil); a.content["waiting"] != 1.0 {
			t.Errorf("%s: a client that cannot: %s", era, a.text)
		}
		if n := len(w.records()); n != 1 {
			t.Error("an answer of the client decided something")
		}
	}
}

// A call that waits longer than its client is cancelled, and what it would have written is not.
func TestCancelledCalls(t *testing.T) {
	w := newWorld(t)
	s := w.server(w.caller("session-1"))
	for range mostCalls {
		s.slots <- struct{}{}
	}
	p := w.raw(s)
	// More than can be open at once: each is answered, and makes room.
	for i := range 3 * mostOpen {
		id := string(rune('a'+i%26)) + time.Duration(i).String()
		p.send(toolCall(`"`+id+`"`, "memory_write", `{"text":"x","kind":"goal"}`))
		p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"` + id + `"}}`)
		if got := p.line(); !strings.Contains(got, id) || !strings.Contains(got, "error") {
			t.Fatalf("a cancelled call: %s", got)
		}
	}
	for range mostCalls {
		<-s.slots
	}
	p.send(toolCall("1", "memory_status", `{}`))
	if got := p.line(); !strings.Contains(got, `"memories":0`) {
		t.Errorf("after them: %s", got)
	}
	if n := len(w.records()); n != 0 {
		t.Errorf("records of %d standings, want none", n)
	}
}

// A client that goes away while its calls wait leaves nothing behind but what was sealed.
func TestClientGoesAway(t *testing.T) {
	w := newWorld(t)
	s := w.server(w.caller("session-1"))
	p := w.raw(s)
	for i := range 20 {
		p.send(toolCall(fmt.Sprint(i), "memory_write", `{"text":"x","kind":"goal"}`))
	}
	_ = p.to.Close()
	read := make(chan struct{})
	go func() {
		defer close(read)
		for {
			if _, err := p.from.ReadString('\n'); err != nil {
				return
			}
		}
	}()
	if err := <-p.done; err != nil {
		t.Errorf("the server ended with %v", err)
	}
	<-read
	w.verify()
}
