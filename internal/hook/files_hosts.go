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

// guarded is what one host reads by itself in later sessions: below the user's home,
// anywhere in a workspace, in the folders above one, and of all users.
type guarded struct {
	homeMemory, homeProtected, treeMemory, treeProtected, aboveProtected, managed []string
}

// moreHosts are the hosts beside those in files.go, each on its own.
var moreHosts = []guarded{
	{ // Gemini CLI
		homeMemory: []string{".gemini/tmp/*/memory/**"},
		homeProtected: []string{
			".gemini/GEMINI.md", ".gemini/system.md", ".gemini/settings.json", ".gemini/.env", ".gemini/trustedFolders.json", ".gemini/trusted_hooks.json",
			".gemini/acknowledgments/**", ".gemini/agents/**", ".gemini/commands/**", ".gemini/extensions/**", ".gemini/policies/**", ".gemini/skills/**",
			".agents/skills/**",
		},
		treeProtected: []string{
			"GEMINI.md", "**/.gemini/system.md", "**/.gemini/settings.json", "**/.gemini/.env", "**/.gemini/agents/**", "**/.gemini/commands/**",
			"**/.gemini/extensions/**", "**/.gemini/policies/**", "**/.gemini/skills/**",
		},
		aboveProtected: []string{"GEMINI.md"},
		managed:        []string{"/etc/gemini-cli/**", "/Library/Application Support/GeminiCli/**"},
	},
	{ // Cursor
		homeProtected: []string{
			".cursor/hooks.json", ".cursor/hooks/**", ".cursor/mcp.json", ".cursor/cli-config.json", ".cursor/permissions.json", ".cursor/rules/**",
			".cursor/agents/**", ".cursor/commands/**", ".cursor/plugins/**", ".cursor/skills/**",
		},
		treeMemory: []string{"**/.cursor/rules/**", ".cursorrules"},
		treeProtected: []string{
			"**/.cursor/hooks.json", "**/.cursor/hooks/**", "**/.cursor/mcp.json", "**/.cursor/cli.json", "**/.cursor/environment.json", "**/.cursor/sandbox.json",
			"**/.cursor/worktrees.json", "**/.cursor/agents/**", "**/.cursor/commands/**", "**/.cursor/skills/**",
		},
		managed: []string{"/etc/cursor/**", "/Library/Application Support/Cursor/hooks.json"},
	},
	{ // Copilot
		homeProtected: []string{
			".copilot/copilot-instructions.md", ".copilot/instructions/**", ".copilot/hooks/**", ".copilot/settings.json", ".copilot/config.json",
			".copilot/mcp-config.json", ".copilot/lsp-config.json", ".copilot/permissions-config*", ".copilot/providers.json", ".copilot/agents/**",
			".copilot/skills/**", ".copilot/extensions/**", ".copilot/installed-plugins/**",
		},
		treeProtected: []string{
			"**/.github/copilot-instructions.md", "**/.github/instructions/**", "**/.github/hooks/**", "**/.github/copilot/**", "**/.github/agents/**", "**/.github/skills/**",
			"**/.github/prompts/**", "**/.github/extensions/**", "**/.github/mcp.json", "**/.github/lsp.json", ".github/workflows/copilot-setup-steps.yml",
		},
		aboveProtected: []string{".github/copilot-instructions.md"},
		managed:        []string{"/etc/github-copilot/**"},
	},
	{ // Windsurf
		homeMemory: []string{".codeium/windsurf/memories/**"},
		homeProtected: []string{
			".codeium/windsurf/memories/global_rules.md", ".codeium/windsurf/hooks.json", ".codeium/windsurf/mcp_config.json",
			".codeium/windsurf/global_workflows/**", ".codeium/windsurf/skills/**",
		},
		treeMemory:    []string{"**/.windsurf/rules/**", ".windsurfrules"},
		treeProtected: []string{"**/.windsurf/hooks.json", "**/.windsurf/workflows/**", "**/.windsurf/skills/**"},
		managed:       []string{"/etc/windsurf/**", "/Library/Application Support/Windsurf/**"},
	},
}

// guardHosts adds the files of the further hosts. Home is the real path of the user's;
// empty: not known.
func (f *Files) guardHosts(home string) {
	dirs := above(f.Workspace)
	var lists [][]string
	for _, g := range moreHosts {
		lists = append(lists, g.treeMemory, g.treeProtected)
		f.set.Add(memfile.Memory, f.Workspace, g.treeMemory...)
		f.set.Add(memfile.Protected, f.Workspace, g.treeProtected...)
		f.set.Add(memfile.Protected, "", g.managed...)
		for _, dir := range dirs {
			for _, name := range g.aboveProtected {
				f.set.Add(memfile.Protected, "", dir+"/"+name)
			}
		}
		if home != "" {
			f.set.Add(memfile.Memory, home, g.homeMemory...)
			f.set.Add(memfile.Protected, home, g.homeProtected...)
		}
	}
	f.set.literal(lists...)
	for _, name := range geminiNames(slices.Concat(geminiManaged, []string{home}, f.workDirs())...) {
		f.geminiNamed(home, name)
	}
}

// geminiManaged are the folders of an administrator's settings.
var geminiManaged = []string{"/etc/gemini-cli", "/Library/Application Support/GeminiCli"}

// workDirs are the folders from the one that the session works in up to the workspace:
// what a host reads of a repository lies in one of them.
func (f *Files) workDirs() (dirs []string) {
	for at := f.dir[1]; f.Workspace != "" && beneath(at, f.Workspace); at = path.Dir(at) {
		if dirs = append(dirs, at); at == f.Workspace {
			break
		}
	}
	return dirs
}

// geminiNamed protects what settings of Gemini CLI name as a file of instructions. It is
// looked for in every folder; a name may have folders of its own, and may lead out of one.
func (f *Files) geminiNamed(home, name string) {
	if f.set.Set.Class(path.Join(f.Workspace, name)) != memfile.Ordinary {
		return // what is guarded already stays what it is
	}
	dirs := above(f.Workspace)
	if strings.HasPrefix(name, "../") {
		for _, dir := range slices.Concat(dirs, f.workDirs()) {
			f.set.Add(memfile.Protected, "", path.Join("/", dir, name))
		}
		return
	}
	f.set.literal([]string{name})
	f.set.Add(memfile.Protected, f.Workspace, "**/"+name)
	for _, dir := range dirs {
		f.set.Add(memfile.Protected, "", dir+"/"+name)
	}
	if home != "" {
		f.set.Add(memfile.Protected, home, ".gemini/"+name)
	}
}

// maxGeminiNames bounds the names of instruction files that Gemini CLI's settings give.
const maxGeminiNames = 16

// geminiNames are the names that Gemini CLI's settings give to files of instructions
// beside or instead of GEMINI.md. What cannot be read names none: the host could not read
// it either.
func geminiNames(dirs ...string) (names []string) {
	for _, dir := range dirs {
		if dir == "" {
			continue
		}
		var settings struct {
			Context struct {
				FileName json.RawMessage `json:"fileName"`
			} `json:"context"`
			Former json.RawMessage `json:"contextFileName"`
		}
		name := dir + "/.gemini/settings.json"
		if slices.Contains(geminiManaged, dir) {
			name = dir + "/settings.json"
		}
		if err := readSettings(name, &settings); err != nil {
			continue
		}
		for _, raw := range []json.RawMessage{settings.Context.FileName, settings.Former} {
			var one string
			var list []string
			if json.Unmarshal(raw, &one) == nil {
				list = []string{one}
			} else if json.Unmarshal(raw, &list) != nil {
				continue
			}
			for _, name := range list {
				if name = strings.TrimSpace(name); name == "" {
					continue
				}
				name = path.Clean("./" + name) // the host joins it to each folder, a "/" at its beginning too
				if len(name) < 256 && !strings.ContainsAny(name, `\*?`) && name != "." && name != ".." && len(names) < maxGeminiNames {
					names = append(names, name)
				}
			}
		}
	}
	return names
}

// readSettings reads a settings file with comments.
func readSettings(name string, into any) error {
	if _, err := os.Lstat(filepath.FromSlash(name)); err != nil {
		return err // the usual case, told cheaply
	}
	data, err := memfile.Read(name)
	if err == nil {
		data, err = hujson.Standardize(append(data, '\n'))
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}
