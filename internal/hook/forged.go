package hook

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/hearsay-memory/hearsay/internal/memfile"
)

// maxHookFiles bounds the hook files of a repository that are looked through.
const maxHookFiles = 256

// Forges reports whether the files of a repository may have the host send prompts as if
// the person had typed them: Copilot does so with "prompt" hooks at a session's start.
// What such a session is told is then nobody's word. A file that cannot be read may hold
// one: the host may read it all the same.
func (f *Files) Forges(host string) bool {
	if host != "copilot" || f.Workspace == "" {
		return false
	}
	// The host reads those of the folder that it is started in.
	return slices.ContainsFunc(f.workDirs(), forges)
}

// forges reports whether the hook files of one folder may send prompts.
func forges(dir string) bool {
	names := []string{".github/copilot/settings.json", ".github/copilot/settings.local.json", ".claude/settings.json", ".claude/settings.local.json"}
	entries, err := os.ReadDir(filepath.FromSlash(dir + "/.github/hooks"))
	if err != nil && !os.IsNotExist(err) || len(entries) > maxHookFiles {
		return true
	}
	for _, e := range entries {
		if path.Ext(e.Name()) == ".json" {
			names = append(names, ".github/hooks/"+e.Name())
		}
	}
	for _, name := range names {
		data, err := memfile.Read(dir + "/" + name)
		if err == nil && data == nil {
			continue
		}
		var settings map[string]any
		if err == nil {
			data, err = hujson.Standardize(data)
		}
		if err != nil || json.Unmarshal(data, &settings) != nil || promptHooks(settings["hooks"]) {
			return true
		}
	}
	return false
}

// promptHooks reports whether hooks of a session's start hold one of type "prompt".
func promptHooks(hooks any) bool {
	events, _ := hooks.(map[string]any)
	for name, list := range events {
		if strings.EqualFold(name, "sessionStart") && holdsPrompt(list) {
			return true
		}
	}
	return false
}

func holdsPrompt(v any) bool {
	switch v := v.(type) {
	case []any:
		if slices.ContainsFunc(v, holdsPrompt) {
			return true
		}
	case map[string]any:
		if kind, _ := v["type"].(string); kind == "prompt" {
			return true
		}
		return holdsPrompt(v["hooks"])
	}
	return false
}
