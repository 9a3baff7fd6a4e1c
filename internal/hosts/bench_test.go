package hosts

import (
	"fmt"
	"strings"
	"testing"
)

// benchEvents are a write of about 2 KiB that waits and a result of about 256 KiB.
func benchEvents(tb testing.TB) map[string][]byte {
	note := strings.Repeat("- The build passes after the \"cache\" is cleared.\n", 35)
	var page strings.Builder
	for i := range 2_000 {
		fmt.Fprintf(&page, "%d. The release notes say that “the build” passes after the cache is cleared, and that all is well – so far.\n", i)
	}
	return map[string][]byte{
		"2KiB":   payload(tb, "PreToolUse", map[string]any{"tool_name": "Write", "tool_input": map[string]any{"file_path": "/home/ana/m/MEMORY.md", "content": note}}),
		"256KiB": payload(tb, "PostToolUse", map[string]any{"tool_name": "WebFetch", "tool_input": map[string]any{"url": "https://x.example.invalid/", "prompt": "p"}, "tool_response": map[string]any{"result": page.String(), "code": 200}}),
	}
}

// BenchmarkEvent is what one call of the hook costs here: the host is told apart, the
// event read, and a denial or nothing said.
func BenchmarkEvent(b *testing.B) {
	for name, in := range benchEvents(b) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				d, err := Detect(in, nil, "claude")
				if err != nil {
					b.Fatal(err)
				}
				e, err := d.Decode(in)
				if err != nil {
					b.Fatal(err)
				}
				d.Encode(e, Answer{Verdict: Deny, Reason: "held as q-01: the session read web (external)"})
			}
		})
	}
}

// BenchmarkDecode is the reading alone.
func BenchmarkDecode(b *testing.B) {
	for name, in := range benchEvents(b) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := claude.decode(in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkFloor is the one strict reading that a payload cannot do without.
func BenchmarkFloor(b *testing.B) {
	for name, in := range benchEvents(b) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			for b.Loop() {
				if _, err := limits.Parse(in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
