package hook

import (
	"slices"

	"github.com/hearsay-memory/hearsay/internal/hosts"
	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/internal/shell"
	"github.com/hearsay-memory/hearsay/policy"
)

// Grave reports whether an event must not go on without an answer: a tool call that
// writes memory or instructions, or that the policy calls privileged. It asks nobody
// but the file system, and is what the hook falls back on when the store cannot be
// asked; p is the policy in force, nil where even that is not known.
func (f *Files) Grave(e hosts.Event, p *policy.Policy) bool {
	if e.Kind != hosts.BeforeTool && e.Kind != hosts.Permission {
		return false
	}
	var names []string
	c := shell.Context{Dir: f.Real(e.Dir), Home: f.Home, Workspace: []string{f.Workspace}}
	switch e.Tool.Class {
	case hosts.Read, hosts.Search, hosts.Plan, hosts.Question, hosts.Web, hosts.WebSearch, hosts.MCPResource, hosts.SubAgent, hosts.Skill:
		return false
	case hosts.Write, hosts.EditFile, hosts.Patch, hosts.Notebook:
		if len(e.Tool.Edits) == 0 {
			return true
		}
		names = []string{"file.write"}
		for _, edit := range e.Tool.Edits {
			for _, name := range []string{edit.Path, edit.MoveTo} {
				if name == "" {
					continue
				}
				unclear := f.ambiguous(e.Dir, name)
				name = f.Resolve(e.Dir, name)
				if unclear || f.Class(name) != memfile.Ordinary {
					return true
				}
				names = append(names, shell.Writes(c, name)...)
			}
		}
	case hosts.Shell:
		if len(e.Tool.Command) > maxCommand {
			return true
		}
		if e.Tool.Shell == hosts.PowerShell {
			c.Dialect = shell.PowerShell
		}
		c.Untrusted = func(string) bool { return true } // whose tree it is cannot be asked
		effects := shell.Analyze(e.Tool.Command, c)
		for _, name := range slices.Concat(effects.Writes, effects.Deletes) {
			if f.set.Holds(f.Real(name)) != memfile.Ordinary {
				return true
			}
		}
		names = effects.Actions
	case hosts.MCP:
		names = []string{mcpAction(e.Tool.ServerTool, e.Server.Source)}
	default:
		return true
	}
	d := p.DecideAction(names, true)
	return d.Privileged
}
