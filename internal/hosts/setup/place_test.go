package setup

import (
	"path/filepath"
	"testing"

	"github.com/hearsay-memory/hearsay/internal/hosts/install"
)

func TestMoved(t *testing.T) {
	claude, _ := install.Find("claude")
	codex, _ := install.Find("codex")
	gemini, _ := install.Find("gemini")
	cursor, _ := install.Find("cursor")
	home := t.TempDir()
	t.Setenv("CODEX_HOME", "")
	for dir, want := range map[string]string{"": "", home: "", home + "/": "", "/x": "/x"} {
		t.Setenv("GEMINI_CLI_HOME", dir)
		if _, got := Moved(gemini, home); got != want {
			t.Errorf("%q: Gemini CLI was moved to %q", dir, got)
		}
		if variable, got := Moved(cursor, home); variable != "" || got != "" {
			t.Errorf("Cursor was moved to %s", got)
		}
	}
	for dir, want := range map[string]string{"": "", filepath.Join(home, ".claude") + "/": "", "/x": "/x", "x": "x"} {
		t.Setenv("CLAUDE_CONFIG_DIR", dir)
		variable, got := Moved(claude, home)
		if got != want || (variable == "") != (want == "") {
			t.Errorf("%q: %s, %s", dir, variable, got)
		}
		if _, got := Moved(codex, home); got != "" {
			t.Errorf("Codex was moved to %s", got)
		}
	}
}
