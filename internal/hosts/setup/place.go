package setup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hearsay-memory/hearsay/internal/hosts/install"
)

// Place is whose settings are meant.
type Place struct {
	Scope   install.Scope
	Home    string // the person's
	Project string // absolute; empty where none is meant
}

// ProjectDir makes a project's directory absolute, without links, and refuses what is
// none.
func ProjectDir(dir string) (string, error) {
	path, err := filepath.Abs(dir)
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return "", fmt.Errorf("--project: %w", err)
	}
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		err = errors.New("it is not a directory")
	}
	if err != nil {
		return "", fmt.Errorf("--project %s: %w", path, err)
	}
	return path, nil
}

// settingsMove are the variables by which a host reads its settings from elsewhere.
var settingsMove = map[string]struct{ variable, dir string }{
	"claude":  {"CLAUDE_CONFIG_DIR", ".claude"},
	"codex":   {"CODEX_HOME", ".codex"},
	"gemini":  {"GEMINI_CLI_HOME", ""}, // it stands for the home directory
	"copilot": {"COPILOT_HOME", ".copilot"},
	// Cursor reads its hooks below the home directory whatever a variable says.
}

// Moved returns where a host reads a person's settings, if that is not below the home
// directory.
func Moved(h install.Host, userHome string) (variable, dir string) {
	m := settingsMove[h.Name]
	if m.variable != "" {
		dir = os.Getenv(m.variable)
	}
	if dir == "" || filepath.Clean(dir) == filepath.Join(userHome, m.dir) || SameFile(dir, filepath.Join(userHome, m.dir)) {
		return "", ""
	}
	return m.variable, dir
}
