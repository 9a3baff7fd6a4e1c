package mcpserver

import (
	"fmt"
	"testing"

	"github.com/hearsay-memory/hearsay/internal/memory"
)

// What the door costs: a call through the server beside the same call of the store.
func BenchmarkSearch(b *testing.B) {
	w := newWorld(b)
	for i := range 200 {
		w.keep("agent", "", fmt.Sprintf("The gateway of part %d lies in rack %d.", i, i))
	}
	c := w.caller("reader")
	s := w.server(c)
	ask := request("memory_search", `{"query":"gateway rack 7"}`)
	b.Run("server", func(b *testing.B) {
		for b.Loop() {
			if res, err := s.handler("memory_search")(b.Context(), ask); err != nil || res.IsError {
				b.Fatal(res, err)
			}
		}
	})
	b.Run("floor-store", func(b *testing.B) {
		for b.Loop() {
			if _, err := w.memory.Recall(b.Context(), c, memory.Ask{Query: "gateway rack 7"}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// A frame passes the strict reader before the library sees it.
func BenchmarkInspect(b *testing.B) {
	frame := []byte(toolCall("1", "memory_write", `{"text":"The gateway of part 7 lies in rack 7.","kind":"learning","tags":["gateway"]}`))
	b.SetBytes(int64(len(frame)))
	for b.Loop() {
		if _, _, bad := inspect(frame); bad != nil {
			b.Fatal(bad.text)
		}
	}
}
