package mcpserver

import (
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/loopback"
)

// Callers that cannot be told apart are one, and it is tainted: they read what is marked,
// and what they write is held. The era, and what a client says of itself, change nothing.
func TestHTTPWithoutTokens(t *testing.T) {
	w := newWorld(t)
	w.keep("agent", "port", "The port is 8080.")
	url := w.serve(w.over())
	for _, era := range eras {
		for range 2 {
			c := w.mustReach(url, era, "")
			c.call("memory_write", noteOf("The port is 9090.")).is(t, "held")
			if m := c.call("memory_search", map[string]any{"query": "port"}).memories(t); len(m) != 1 {
				t.Errorf("%s: found %v", era, m)
			}
			st := c.call("memory_status", nil)
			if st.content["session"].(map[string]any)["tainted"] != true {
				t.Errorf("%s: %s", era, st.text)
			}
		}
	}
	w.verify()
}

// A token is a caller with a session of its own: what it read stays with it, however often it
// connects and in whatever era, and is not another's.
func TestHTTPTokens(t *testing.T) {
	for _, era := range eras {
		w := newWorld(t)
		w.keep("web", "quirk", "The gateway sleeps.")
		url := w.serve(w.over("nightly "+tokenA, "desk "+tokenB))
		if c, err := w.reach(url, era, ""); err == nil {
			t.Errorf("%s: a client without a token: %v", era, c.InitializeResult())
		}
		if _, err := w.reach(url, era, strings.Repeat("x", 32)); err == nil {
			t.Errorf("%s: a client with a wrong token came in", era)
		}
		a, b := w.mustReach(url, era, tokenA), w.mustReach(url, era, tokenB)
		b.call("memory_write", noteOf("Clean note of desk.")).is(t, "stored")
		if m := a.call("memory_search", map[string]any{"query": "gateway"}).memories(t); len(m) != 1 {
			t.Fatalf("%s: found %v", era, m)
		}
		// The agent is assumed, and that holds no longer than every live session is clean.
		b.call("memory_write", noteOf("Another note of desk.")).is(t, "held")
		if st := b.call("memory_status", nil); st.content["session"].(map[string]any)["tainted"] != false {
			t.Errorf("%s: desk has read nothing: %s", era, st.text)
		}
		again := w.mustReach(url, eras[0], tokenA)
		again.call("memory_write", noteOf("After connecting anew.")).is(t, "held")
		if st := again.call("memory_status", nil); st.content["session"].(map[string]any)["tainted"] != true {
			t.Errorf("%s: connecting anew cleaned the session: %s", era, st.text)
		}
		w.verify()
	}
}

// Another reader's view of a request is refused here too, and so are requests of pages of
// other sites.
func TestHTTPRefuses(t *testing.T) {
	w := newWorld(t)
	url := w.serve(w.over())
	host := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), Path)
	good := toolCall("1", "memory_status", `{}`)
	for name, frame := range badFrames {
		if code, got := post(t, url, frame, ask("memory_write")...); code != http.StatusBadRequest || !strings.Contains(got, "hearsay: ") {
			t.Errorf("%s: %d %s", name, code, got)
		}
	}
	for name, c := range map[string]struct {
		body   string
		header []string
		code   int
	}{
		"a good one":               {good, ask("memory_status"), 200},
		"its own origin":           {good, append(ask("memory_status"), "Origin: http://"+host), 200},
		"another origin":           {good, append(ask("memory_status"), "Origin: https://evil.example.invalid"), 403},
		"no page's origin":         {good, append(ask("memory_status"), "Origin: null"), 403},
		"another port's origin":    {good, append(ask("memory_status"), "Origin: http://127.0.0.1:1"), 403},
		"two origins":              {good, append(ask("memory_status"), "Origin: http://"+host, "Origin: https://evil.example.invalid"), 400},
		"a rebound name":           {good, append(ask("memory_status"), "Host: evil.example.invalid", "Origin: http://evil.example.invalid"), 403},
		"two versions":             {good, append(ask("memory_status"), "MCP-Protocol-Version: 2025-11-25"), 400},
		"another tool in the head": {good, ask("memory_write"), 400},
		"no version in the head":   {good, nil, 400},
		"too long":                 {`{"x":"` + strings.Repeat("x", limits.MaxBytes) + `"}`, ask("memory_status"), 413},
		"nothing":                  {"", ask("memory_status"), 400},
		"a strange session":        {good, []string{"Mcp-Session-Id: ABC", "MCP-Protocol-Version: 2025-11-25"}, 400},
		"an unknown session":       {`{"jsonrpc":"2.0","id":1,"method":"ping"}`, []string{"Mcp-Session-Id: ABC", "MCP-Protocol-Version: 2025-11-25"}, 404},
	} {
		if code, got := post(t, url, c.body, c.header...); code != c.code {
			t.Errorf("%s: %d, want %d: %.200s", name, code, c.code, got)
		}
	}
	if code, _ := post(t, strings.TrimSuffix(url, Path)+"/", good, ask("memory_status")...); code != http.StatusNotFound {
		t.Errorf("another path answers %d", code)
	}
	if n := len(w.records()); n != 0 {
		t.Errorf("records of %d standings, want none", n)
	}
}

// A session's id is good with the token alone that it was made with.
func TestHTTPStolenSession(t *testing.T) {
	w := newWorld(t)
	url := w.serve(w.over("nightly "+tokenA, "desk "+tokenB))
	a := w.mustReach(url, eras[0], tokenA)
	body := `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"memory_status","arguments":{}}}`
	for token, want := range map[string]int{tokenA: 200, tokenB: 403, strings.Repeat("c", 32): 401} {
		code, got := post(t, url, body, "Mcp-Session-Id: "+a.ID(), "MCP-Protocol-Version: "+eras[0], "Authorization: Bearer "+token)
		if code != want {
			t.Errorf("%.1s…: %d, want %d: %s", token, code, want, got)
		}
	}
}

// Over HTTP too a client that can is sent to the page, in both eras, and decides nothing.
func TestHTTPReviewPage(t *testing.T) {
	const page = "https://review.example.invalid/"
	w := newWorld(t)
	s := w.over("desk " + tokenA)
	s.Page = page
	url := w.serve(s)
	w.mustReach(url, modern, tokenA).call("memory_write", map[string]any{"text": "A rule of a page", "kind": "procedure", "source": "web"}).is(t, "held")
	for _, era := range eras {
		asked := 0
		c, err := w.reachAs(url, era, tokenA, opener(func(at string) {
			if asked++; at != page {
				t.Errorf("%s: the client is sent to %s", era, at)
			}
		}))
		if err != nil {
			t.Fatal(err)
		}
		if a := c.call("memory_review", nil); a.content["waiting"] != 1.0 || asked != 1 {
			t.Errorf("%s: asked %d times: %s", era, asked, a.text)
		}
	}
	if got := w.records(); got[hearsay.Held] != 1 {
		t.Errorf("the records stand %v", got)
	}
}

// Sessions are bounded, and one that ends makes room.
func TestHTTPManySessions(t *testing.T) {
	w := newWorld(t)
	s := w.over()
	url := w.serve(s)
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`
	for i := range mostSessions {
		if code, got := post(t, url, hello); code != 200 {
			t.Fatalf("session %d: %d %s", i, code, got)
		}
	}
	if code, _ := post(t, url, hello); code != http.StatusServiceUnavailable {
		t.Errorf("one too many: %d", code)
	}
	if code, got := post(t, url, toolCall("1", "memory_status", `{}`), ask("memory_status")...); code != 200 {
		t.Errorf("the era without sessions: %d %s", code, got)
	}
	for ss := range s.sdk.Sessions() {
		_ = ss.Close()
		break
	}
	if code, got := post(t, url, hello); code != 200 {
		t.Errorf("after one ended: %d %s", code, got)
	}
}

// When the server ends, streams on which nothing is under way do not keep it.
func TestHTTPEnds(t *testing.T) {
	w := newWorld(t)
	url, stop := w.serveUntil(w.over())
	legacy, modernOne := w.mustReach(url, eras[0], ""), w.mustReach(url, eras[1], "")
	legacy.call("memory_status", nil)
	modernOne.call("memory_status", nil)
	if err := stop(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
	if _, err := w.reach(url, eras[0], ""); err == nil {
		t.Error("it still answers")
	}
}

// Others than this machine are not served, with or without tokens.
func TestHTTPBeyondThisMachine(t *testing.T) {
	w := newWorld(t)
	ln, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Skip("this machine has no other address:", err)
	}
	defer ln.Close()
	if loopback.Is(ln) {
		t.Error("every address is taken for loopback")
	}
	for _, s := range []*Server{w.over(), w.over("nightly " + tokenA)} {
		if err := s.Serve(t.Context(), ln); err == nil || !strings.Contains(err.Error(), "listen on 127.0.0.1") {
			t.Errorf("an address that others reach: %v", err)
		}
	}
}
