package hook

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/policy"
)

// Files is what a hook knows of the file system: where the user's own tree lies, and
// which files are guarded. Paths are slash separated.
type Files struct {
	Home      string    // the user's home; empty: not known
	Workspace string    // real path of the user's own tree
	own       string    // real path of Hearsay's home; empty: not known
	dir       [2]string // where the session works, as it is spelt and its real path
	set       reach
	untrusted memfile.Set
}

// What hosts read by themselves in later sessions, below the user's home and anywhere in
// a workspace (docs/hosts.md). Memory is what an agent may write and Hearsay decides;
// protected is what gives orders or runs.
var (
	homeMemory    = []string{".claude/projects/*/memory/**", ".claude/agent-memory/**", ".codex/memories/**"}
	homeProtected = []string{
		".claude/CLAUDE.md", ".claude/settings*.json", ".claude/rules/**", ".claude/agents/**", ".claude/skills/**", ".claude/commands/**",
		".claude/output-styles/**", ".claude/workflows/**", ".claude/plugins/**", ".claude/dev-mods/**", ".claude.json",
		".codex/AGENTS.md", ".codex/AGENTS.override.md", ".codex/hooks.json", ".codex/config.toml",
	}
	treeMemory = []string{
		"**/.claude/agent-memory/**", "**/.claude/agent-memory-local/**", "**/memory/**", "IDENTITY.md",
		"**/.clinerules/**", "**/.continue/rules/**", "**/.roo/rules/**", "**/.windsurf/rules/**",
		"**/.kiro/steering/**", "**/.junie/**", ".windsurfrules",
	}
	treeProtected = []string{
		"CLAUDE.local.md", "AGENTS.override.md", ".mcp.json", ".github/copilot-instructions.md", "**/.github/instructions/**",
		"**/.claude/settings*.json", "**/.claude/rules/**", "**/.claude/agents/**", "**/.claude/skills/**", "**/.claude/commands/**",
		"**/.claude/output-styles/**", "**/.claude/workflows/**", "**/.claude/CLAUDE.md", "**/.agents/skills/**",
		"**/.codex/hooks.json", "**/.codex/config.toml",
	}
	aboveProtected = []string{
		"CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "AGENTS.override.md", ".claude/CLAUDE.md", ".claude/rules/**", ".mcp.json",
	}
	// managed is what an administrator says to all users.
	managed = []string{"/etc/claude-code/**", "/Library/Application Support/ClaudeCode/**", "/etc/codex/**"}
)

// NewFiles makes the files of a session that works in dir. own is Hearsay's home, which
// no agent writes whatever the policy says.
func NewFiles(p *policy.Policy, home, dir, own string) *Files {
	f := &Files{Home: filepath.ToSlash(home)}
	f.dir = [2]string{filepath.ToSlash(filepath.Clean(dir)), real(dir)}
	f.Workspace = f.root(f.dir[1])
	rules := p.Files()
	f.set.dir, f.set.workspace, f.set.home = f.dir[1], f.Workspace, f.Home
	f.set.literal(rules.Memory, rules.Protected, treeMemory, treeProtected)
	f.set.Add(memfile.Memory, f.Workspace, rules.Memory...)
	f.set.Add(memfile.Memory, f.Workspace, treeMemory...)
	f.set.Add(memfile.Protected, f.Workspace, rules.Protected...)
	f.set.Add(memfile.Protected, f.Workspace, treeProtected...)
	f.set.Add(memfile.Protected, "", managed...)
	for _, dir := range above(f.Workspace) {
		// A host reads the instructions of every folder above as well.
		for _, name := range aboveProtected {
			f.set.Add(memfile.Protected, "", dir+"/"+name)
		}
	}
	if home != "" {
		f.set.home = real(home)
		f.set.Add(memfile.Memory, f.set.home, homeMemory...)
		f.set.Add(memfile.Protected, f.set.home, homeProtected...)
		for _, extra := range rules.Extra {
			if below, ok := strings.CutPrefix(extra, "~/"); ok {
				extra = f.Home + "/" + below
			}
			f.set.Add(memfile.Memory, "", strings.TrimSuffix(extra, "/")+"/**")
		}
	}
	f.guardHosts(f.set.home)
	if own != "" {
		f.own = real(own)
		f.set.Add(memfile.Protected, "", f.own+"/**", f.own)
	}
	// Untrusted trees are a set of their own: whose words they hold, not who may write.
	f.untrusted.Add(memfile.Memory, f.Workspace, rules.Untrusted...)
	return f
}

// root is the top of the tree that dir lies in: the folder with a .git, else dir itself.
// A home directory that is a repository is not one workspace.
func (f *Files) root(dir string) string {
	for at := dir; at != "" && at != f.Home && at != "/"; {
		if _, err := os.Lstat(filepath.FromSlash(at + "/.git")); err == nil {
			return at
		}
		up := filepath.ToSlash(filepath.Dir(filepath.FromSlash(at)))
		if up == at {
			break
		}
		at = up
	}
	return dir
}

// Resolve makes a name as spelt in dir a real, absolute path.
func (f *Files) Resolve(dir, name string) string { return f.Real(f.absolute(dir, name)) }

// absolute makes a name as spelt in dir an absolute path.
func (f *Files) absolute(dir, name string) string {
	if below, ok := strings.CutPrefix(name, "~/"); ok && f.Home != "" {
		name = f.Home + "/" + below
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	return name
}

// ambiguous reports whether a name as spelt in dir may be one below the user's home or, for
// hosts that do not know that spelling, one below a file "~" that is there.
func (f *Files) ambiguous(dir, name string) bool {
	if !strings.HasPrefix(name, "~/") {
		return false
	}
	_, err := os.Lstat(filepath.Join(dir, "~"))
	return !errors.Is(err, fs.ErrNotExist)
}

// twoWays is why an ambiguous name is refused.
const twoWays = "Refused: that name can be read in two ways, because there is a file or folder called ~ here. Use the whole path of the file."

// Exists reports whether there is such a file, or a link of that name.
func (f *Files) Exists(dir, name string) bool {
	_, err := os.Lstat(filepath.FromSlash(f.absolute(dir, name)))
	return err == nil
}

// Class returns how a resolved path is guarded. What is guarded and is named in a way
// that leads elsewhere is nobody's to write; see [Files.Refusal].
func (f *Files) Class(name string) memfile.Class {
	c := f.set.Class(name)
	switch {
	case c == memfile.Protected:
	case f.Refusal(name) != "":
		c = memfile.Protected
	case c == memfile.Ordinary:
		c = f.set.linked(name)
	}
	return c
}

// inside reports whether a resolved path lies in the workspace.
func (f *Files) inside(name string) bool { return f.Workspace != "" && beneath(name, f.Workspace) }

// beneath reports whether a path is the folder or lies in it.
func beneath(name, dir string) bool {
	return name == dir || strings.HasPrefix(name, strings.TrimSuffix(dir, "/")+"/")
}

// ours reports whether a resolved path is Hearsay's home or lies in it. What is held lies
// there: an agent does not read it.
func (f *Files) ours(name string) bool { return f.own != "" && beneath(name, f.own) }

// source says where the text of a resolved path comes from.
func (h *Handler) source(ctx context.Context, name string) hearsay.Source {
	s := hearsay.Source{Type: "document", Ref: name}
	switch {
	case h.Guard.ForeignTree(ctx, h.caller.Principal, name):
	case h.Guard.WrittenTainted(ctx, h.caller.Principal, name):
		s.Type = "dependency"
	case h.Files.untrusted.Class(name) == memfile.Memory:
		s.Type = "dependency"
	case real(name) != name:
		// A link in the tree that leads out of it: what is read lies elsewhere.
	case h.Files.set.Set.Class(name) != memfile.Ordinary, h.Files.inside(name):
		// By its name: that a file is imported makes it guarded, and nobody's own tree.
		s.Type = "workspace_file"
	case h.Files.transcript(name):
		s.Type = "transcript"
	}
	return s
}

// transcript reports whether a resolved path is what a host keeps of its sessions.
func (f *Files) transcript(name string) bool {
	if f.Home == "" {
		return false
	}
	for _, dir := range [...]string{"/.claude/projects/", "/.codex/sessions/", "/.copilot/session-state/", "/.gemini/tmp/", "/.cursor/projects/"} {
		if strings.HasPrefix(name, f.Home+dir) {
			return true
		}
	}
	return false
}
