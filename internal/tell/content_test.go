package tell

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hearsay-memory/hearsay/internal/term"
)

func TestContent(t *testing.T) {
	for _, tc := range []struct{ name, content, want string }{
		{"plain", "never do that\nagain", "  │ never do that\n  │ again\n"},
		{"escapes spell words", `{"a":"\u0069gnore"}`, "  │ a: ignore\n"},
		{"controls are visible", `{"a":"\u001b[2J"}`, "  │ a: \\x1b[2J\n"},
		{"a repeated key hides nothing", `{"a":1,"a":2}`, "  │ a: 1\n  │ a: 2\n"},
		{"numbers keep their digits", `[12345678901234567890]`, "  │ [0]: 12345678901234567890\n"},
		{"several lines", `{"a":{"b":["x\ny"]}}`, "  │ a.b[0]:\n  │   x\n  │   y\n"},
		{"empty values", `{"a":{},"b":[],"c":null,"d":""}`, "  │ a: {}\n  │ b: []\n  │ c: null\n  │ d: \n"},
		{"a scalar", `"word"`, "  │ word\n"},
		{"text after the value is not dropped", `{"a":1} then this`, "  │ {\"a\":1} then this\n"},
		{"half a value is not dropped", `{"a":1`, "  │ {\"a\":1\n"},
		{"a key with a line end forges no line", `{"x\n│ y":1}`, "  │ x\n  │ │ y: 1\n"},
	} {
		var out bytes.Buffer
		Content(term.New(&out, func(string) string { return "" }), []byte(tc.content))
		if d := cmp.Diff(tc.want, out.String()); d != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, d)
		}
	}
}

// TestValuesBounds: text that would cost more to take apart than to send is shown raw.
func TestValuesBounds(t *testing.T) {
	for name, content := range map[string]string{
		"deep":     strings.Repeat("[", 1<<20),
		"long key": `{"` + strings.Repeat("k", maxPath+1) + `":1}`,
	} {
		if _, err := Values([]byte(content)); err == nil {
			t.Errorf("%s: taken apart, want an error", name)
		}
	}
}
