package setup

import (
	"strings"
	"testing"
)

func TestHostsNamed(t *testing.T) {
	for in, want := range map[string]string{
		"claude": "claude", "claude-code": "claude", "codex,claude-code,claude": "codex claude", " codex ": "codex",
		"gemini-cli,cursor,gemini": "gemini cursor", "windsurf,copilot-cli,copilot": "windsurf copilot",
	} {
		hosts, err := Named(strings.Split(in, ","))
		var got []string
		for _, h := range hosts {
			got = append(got, h.Name)
			if Product(h.Name) == "" || settingsMove[h.Name].variable == "" && h.Name != "cursor" && h.Name != "windsurf" {
				t.Errorf("%s has no product, or nowhere that its settings may lie", h.Name)
			}
		}
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q: %v, %v", in, got, err)
		}
	}
	for _, in := range []string{"", "Claude", "claude code", "vscode", "codex\x00"} {
		if hosts, err := Named([]string{in}); err == nil || hosts != nil {
			t.Errorf("%q: %v, %v", in, hosts, err)
		}
	}
}
