package hook_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/hearsay-memory/hearsay"
)

// answer handles one event in a run of the hook program of its own; goroutines call it.
func (c *chat) answer(t *testing.T, payload string) string {
	e, err := c.dialect.Decode([]byte(c.expand(payload)))
	if err != nil {
		t.Error(err)
		return "error"
	}
	a, err := c.handler(e.Dir).Handle(t.Context(), e)
	if err != nil {
		t.Errorf("%v in %s", err, payload)
		return "error"
	}
	return decision(c.dialect.Encode(e, a))
}

func (c *chat) write(call, text string) string {
	return c.payload("PreToolUse", input{"tool_name": "Write", "tool_use_id": call, "tool_input": input{"file_path": "$WORK/memory/" + call + ".md", "content": text}})
}

// TestManyHooksAtOnce: 64 calls of one turn side by side, one of which reads a page. No
// write that begins after the hook let the page through is saved, and the last word is
// a tainted session.
func TestManyHooksAtOnce(t *testing.T) {
	w := newWorld(t, "claude")
	c := w.chat("s1")
	payloads := make([]string, 64)
	for i := range payloads {
		payloads[i] = c.write(fmt.Sprint("call-", i), fmt.Sprint("lesson ", i))
	}
	fetch := c.payload("PreToolUse", input{"tool_name": "WebFetch", "tool_use_id": "page", "tool_input": input{"url": "https://a.example.test", "prompt": "x"}})
	var read atomic.Bool
	var wg sync.WaitGroup
	for i, p := range payloads {
		wg.Go(func() {
			if i == 21 {
				c.answer(t, fetch)
				read.Store(true)
				return
			}
			before := read.Load()
			if got := c.answer(t, p); before && got != "deny" {
				t.Errorf("write %d after the page: %q", i, got)
			}
		})
	}
	wg.Wait()
	if l := c.label(); !l.Taint.Has("web") {
		t.Errorf("the session is %s", l)
	}
	held := 0
	for _, r := range w.records() {
		if r.Standing == hearsay.Held {
			held++
		} else if r.Label.Tainted() {
			t.Errorf("%+v: a tainted write was let in", r)
		}
	}
	if held == 0 {
		t.Log("every write came before the page")
	}
	// The same call repeated by an impatient host is one held record.
	n := len(w.records())
	for range 64 {
		wg.Go(func() { c.answer(t, c.write("again", "the same lesson")) })
	}
	wg.Wait()
	if got := len(w.records()) - n; got != 1 {
		t.Errorf("one call made %d records", got)
	}
	w.verify()
}

// TestManySessionsAtOnce: sessions side by side do not taint each other, and two people
// on one machine do not share an id.
func TestManySessionsAtOnce(t *testing.T) {
	w := newWorld(t, "claude")
	chats := make([]*chat, 8)
	for i := range chats {
		w.process = fmt.Sprint("proc-", i)
		chats[i] = w.chat(fmt.Sprint("s", i))
	}
	var wg sync.WaitGroup
	for i, c := range chats {
		wg.Go(func() {
			for n := range 6 {
				if i%2 == 0 {
					c.answer(t, c.payload("PreToolUse", input{"tool_name": "WebFetch", "tool_use_id": fmt.Sprint("p", n), "tool_input": input{"url": "https://a.example.test", "prompt": "x"}}))
				}
				want := ""
				if i%2 == 0 {
					want = "deny"
				}
				if got := c.answer(t, c.write(fmt.Sprintf("%d-%d", i, n), fmt.Sprintf("lesson %d of %d", n, i))); got != want {
					t.Errorf("session %d: %q, want %q", i, got, want)
				}
			}
		})
	}
	wg.Wait()
	for i, c := range chats {
		if l := c.label(); l.Tainted() != (i%2 == 0) {
			t.Errorf("session %d is %s", i, l)
		}
	}
	w.verify()
}
