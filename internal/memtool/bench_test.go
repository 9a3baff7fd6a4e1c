package memtool_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay/internal/memtool"
)

// noted is a file of notes, with so many lines.
func noted(lines int) string {
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "- note %d: deploys go out on Tuesdays after the tests have passed\n", i)
	}
	return b.String()
}

func benchDo(b *testing.B, h *memtool.Handler, input []byte) {
	b.Helper()
	r, err := h.Do(b.Context(), input)
	if err != nil || r.IsError {
		b.Fatalf("%+v, %v", r, err)
	}
}

// A view of a file, which seals what the session takes in.
func BenchmarkView(b *testing.B) {
	for _, lines := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint(lines), func(b *testing.B) {
			w := newWorld(b)
			h := w.session("s1")
			w.ok(h, "create", "path", "/memories/m.md", "file_text", noted(lines))
			input := args("view", "path", "/memories/m.md")
			for b.Loop() {
				benchDo(b, h, input)
			}
		})
	}
}

// A creation, decided, sealed and on disk, and the deletion of what it made.
func BenchmarkCreateAndDelete(b *testing.B) {
	w := newWorld(b)
	h := w.session("s1")
	create := args("create", "path", "/memories/m.md", "file_text", noted(10))
	gone := args("delete", "path", "/memories/m.md")
	for b.Loop() {
		benchDo(b, h, create)
		benchDo(b, h, gone)
	}
}

// A creation in a folder of up to a hundred files.
func BenchmarkCreate(b *testing.B) {
	w := newWorld(b)
	h := w.session("s1")
	text, n := noted(10), 0
	for b.Loop() {
		if n++; n%100 == 0 {
			b.StopTimer()
			benchDo(b, h, args("delete", "path", "/memories/d"))
			b.StartTimer()
		}
		benchDo(b, h, args("create", "path", fmt.Sprintf("/memories/d/m%d.md", n), "file_text", text))
	}
}

// A line added to a file of a thousand.
func BenchmarkInsert(b *testing.B) {
	w := newWorld(b)
	h := w.session("s1")
	w.ok(h, "create", "path", "/memories/m.md", "file_text", noted(1000))
	input := args("insert", "path", "/memories/m.md", "insert_line", 500, "insert_text", "- one more\n")
	for b.Loop() {
		benchDo(b, h, input)
	}
}
