package hosts

import (
	"encoding/json"
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

// BenchmarkHostile reads the shapes that cost most, small and eight times as large: the
// bytes read in a second are to stay the same. It is no test, because the time that a
// shared machine gives is none.
func BenchmarkHostile(b *testing.B) {
	result := func(value string) string { return `"tool_name":"T","tool_input":1,"tool_response":` + value }
	for name, shape := range map[string]func(n int) string{
		"backslashes": func(n int) string { return result(`"` + strings.Repeat(`\\`, n/2) + `"`) },
		"quotes":      func(n int) string { return result(`"` + strings.Repeat(`\"`, n/2) + `"`) },
		"strings":     func(n int) string { return result(`[""` + strings.Repeat(`,"a"`, n/4) + `]`) },
		"objects":     func(n int) string { return result(`[{}` + strings.Repeat(`,{"a b":1}`, n/10) + `]`) },
		"nested": func(n int) string {
			return result(strings.Repeat(`[`, 100) + `[]` + strings.Repeat(`,[]`, n/3) + strings.Repeat(`]`, 100))
		},
		"halves": func(n int) string { return result(`"` + strings.Repeat(`\ud83d`, n/6) + `"`) },
		"patch": func(n int) string {
			return `"tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Add File: a\n` + strings.Repeat(`+\n`, n/3) + `*** End Patch"}`
		},
	} {
		for _, n := range []int{1 << 17, 1 << 20} {
			in := []byte(`{"session_id":"s","cwd":"/","hook_event_name":"PostToolUse","tool_use_id":"c",` + shape(n) + `}`)
			b.Run(fmt.Sprintf("%s/%dKiB", name, n>>10), func(b *testing.B) {
				b.SetBytes(int64(len(in)))
				for b.Loop() {
					e := decoded(b, codex.dialect(), in)
					codex.encode(e, Answer{Output: func(_, text string) string { return text }})
				}
			})
		}
	}
}

// BenchmarkOtherDialects is a call of about 2 KiB, read and denied, in forms that derive
// an id or read JSON in a string.
func BenchmarkOtherDialects(b *testing.B) {
	args := map[string]any{"file_path": "/home/ana/m/MEMORY.md", "content": strings.Repeat("- The build passes after the \"cache\" is cleared.\n", 35)}
	packed, err := json.Marshal(args)
	if err != nil {
		b.Fatal(err)
	}
	for name, in := range map[string][]byte{
		"gemini":        toolEvent(b, gemini.dialect(), "write_file", args, nil),
		"cursor":        toolEvent(b, cursor.dialect(), "Write", args, nil),
		"cursor-packed": toolEvent(b, cursor.dialect(), "Write", string(packed), nil),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				d, err := Detect(in, nil, "")
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
