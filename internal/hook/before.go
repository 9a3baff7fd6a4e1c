package hook

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/hosts"
	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/internal/shell"
)

// plan is what a tool call amounts to, before anybody is asked.
type plan struct {
	names   []string         // of the action; empty: it is none
	target  string           // of the action, for people
	sources []hearsay.Source // what its result holds
	memory  []hosts.Edit     // writes to memory files, with resolved paths
	refuse  string           // why it is refused whatever the session read; empty: it is not
	words   bool             // its words are looked for in what the session took in
	served  bool             // it is decided by a proxy of ours
	touches []string         // memory files that a command would change by itself
	reads   []string         // files whose text comes in, resolved
	loose   bool             // what it does to files nobody knows: they are looked at before and after it
}

// before decides a tool call that is about to run.
func (h *Handler) before(ctx context.Context, e hosts.Event) (hosts.Answer, error) {
	p, err := h.plan(ctx, e)
	if err != nil {
		return hosts.Answer{}, err
	}
	if p.refuse != "" {
		return hosts.Answer{Verdict: hosts.Deny, Reason: p.refuse}, nil
	}
	if p.served {
		return hosts.Answer{}, h.Guard.Announce(ctx, h.caller, announced(e))
	}
	if len(p.touches) > 0 {
		label, err := h.Guard.SessionLabel(ctx, h.caller)
		if err != nil {
			return hosts.Answer{}, err
		}
		if label.Tainted() {
			what := "A shell command"
			if !isShell(e) {
				what = "This tool"
			}
			return hosts.Answer{Verdict: hosts.Deny, Reason: what + " may not change memory files after this session took in text from outside: use the write or edit tool, so that the change can be reviewed."}, nil
		}
	}
	if len(p.memory) > 0 {
		if a, err := h.remember(ctx, e, p.memory); err != nil || a.Verdict != hosts.None {
			return a, err
		}
	}
	if len(p.names) > 0 {
		if a, err := h.ask(ctx, e, p); err != nil || a.Verdict == hosts.Deny || a.Verdict == hosts.Ask {
			// What a person lets go on is read after all, by the event after the tool.
			return a, err
		}
	}
	for _, s := range p.sources {
		if err := h.observe(ctx, guard.Observation{Source: s, Tool: e.Tool.Name}); err != nil {
			return hosts.Answer{}, err
		}
	}
	if len(p.touches) > 0 {
		// What it moves or copies is taken in only now.
		if err := h.Guard.Note(ctx, h.caller, cleanlyNote+e.CallID, lookedFor); err != nil {
			return hosts.Answer{}, err
		}
	}
	for _, name := range p.reads {
		if err := h.takeIn(ctx, name); err != nil {
			return hosts.Answer{}, err
		}
	}
	if p.loose {
		return hosts.Answer{}, h.beforeShell(ctx, e)
	}
	return hosts.Answer{}, nil
}

// isShell reports whether a call is a command, or what is typed into one.
func isShell(e hosts.Event) bool { return e.Tool.Class == hosts.Shell || e.Tool.Class == hosts.ShellIO }

// ask asks whether an action may go on.
func (h *Handler) ask(ctx context.Context, e hosts.Event, p plan) (hosts.Answer, error) {
	a := guard.Action{
		Names: p.names, Tool: e.Tool.Name, Target: p.target, Dir: h.Files.Real(e.Dir), Args: e.Tool.Args,
	}
	if !e.Derived {
		a.Call = e.CallID // else an equal call that goes on later would answer this question
	}
	if p.words {
		// What a page says to run is not the user's own tree any more.
		known, err := h.Guard.Foreign(ctx, h.caller, p.target)
		if err != nil {
			return hosts.Answer{}, err
		}
		if known {
			a.Names = append(slices.Clone(a.Names), "shell.untrusted")
		}
	}
	got, err := h.Guard.Check(ctx, h.caller, a)
	if err != nil {
		return hosts.Answer{}, err
	}
	switch got.Verdict {
	case hearsay.AllowAction:
		return hosts.Answer{}, nil
	case hearsay.Deny:
		return hosts.Answer{Verdict: hosts.Deny, Reason: "Denied: " + got.Reason + "."}, nil
	}
	return hosts.Answer{
		Verdict: hosts.Ask, Reason: "Needs a person: " + got.Reason + ".",
		Approve: fmt.Sprintf("%s review approve %s", h.Command, got.ID), // where the host cannot ask
	}, nil
}

// plan reads a tool call.
func (h *Handler) plan(ctx context.Context, e hosts.Event) (plan, error) {
	t := e.Tool
	p := plan{target: t.Name}
	switch t.Class {
	case hosts.Plan, hosts.Question:
	case hosts.Read, hosts.Search:
		p.names = []string{"file.read"}
		for _, name := range t.Paths {
			if h.Files.ours(h.Files.Resolve(e.Dir, name)) {
				p.refuse = "Refused: Hearsay's own files hold text that waits for a person; an agent does not read them."
				return p, nil
			}
		}
		for _, name := range t.Paths {
			p.reads = append(p.reads, h.Files.Resolve(e.Dir, name))
		}
		p.sources = h.sources(ctx, e.Dir, t.Paths)
	case hosts.Write, hosts.EditFile, hosts.Patch, hosts.Notebook:
		h.planEdits(e, &p)
	case hosts.Shell, hosts.ShellIO:
		h.planShell(ctx, e, &p)
	case hosts.Web:
		p.names, p.target, p.sources = []string{"web.fetch"}, t.URL, []hearsay.Source{{Type: "web", Ref: t.URL}}
	case hosts.WebSearch:
		p.names, p.sources = []string{"web.search"}, []hearsay.Source{{Type: "web_search", Ref: t.Query}}
	case hosts.MCP:
		var err error
		if p.served, err = h.served(ctx, e); err != nil {
			return p, err
		}
		if !p.served {
			p.names, p.target, p.sources = []string{mcpAction(t.ServerTool, e.Server.Source)}, clip(t.Server+"/"+t.ServerTool+" "+string(t.Args)), []hearsay.Source{mcpSource(t.Server)}
			h.planGiven(e, &p)
		}
	case hosts.MCPResource:
		p.names, p.target, p.sources = []string{"mcp.read"}, t.Server, []hearsay.Source{mcpSource(t.Server)}
	case hosts.SubAgent:
		p.names = []string{"agent.spawn"} // it runs in this session
	case hosts.Schedule:
		p.names = []string{"agent.schedule"}
	case hosts.Message:
		p.names = []string{"message.send"}
	case hosts.Skill:
		p.names = []string{"skill.load"}
	default:
		// It may do anything, and return anybody's words.
		p.names, p.sources = []string{"tool.unknown"}, []hearsay.Source{{Type: hearsay.UnknownTag, Ref: t.Name}}
		h.planGiven(e, &p)
	}
	return p, nil
}

// maxShown bounds what a person is shown of a call's arguments, in bytes. An approval is
// of all of them.
const maxShown = 8 << 10

func clip(s string) string {
	if len(s) <= maxShown {
		return s
	}
	return strings.ToValidUTF8(s[:maxShown], "") + " …"
}

// planEdits sorts the changes of files by how the files are guarded.
func (h *Handler) planEdits(e hosts.Event, p *plan) {
	for _, edit := range e.Tool.Edits {
		if h.Files.ambiguous(e.Dir, edit.Path) || h.Files.ambiguous(e.Dir, edit.MoveTo) {
			p.refuse = twoWays
			return
		}
		edit.Path = h.Files.Resolve(e.Dir, edit.Path)
		names, memory := []string{edit.Path}, false
		if edit.MoveTo != "" {
			edit.MoveTo = h.Files.Resolve(e.Dir, edit.MoveTo)
			names = append(names, edit.MoveTo)
		}
		for _, name := range names {
			switch h.Files.Class(name) {
			case memfile.Protected:
				if p.refuse = h.Files.Refusal(name); p.refuse != "" {
					return
				}
				p.refuse = "Refused: instruction files, settings of the agent and Hearsay's own files are changed by the user, not by an agent's tools. Ask the user to make the change."
				return
			case memfile.Memory:
				memory = true
				continue
			}
			p.names = append(p.names, "file.write")
			effects := shell.Writes(h.shellContext(e, false), name)
			p.names = append(p.names, effects...)
			p.target = name
		}
		if memory {
			p.memory = append(p.memory, edit)
		}
	}
	slices.Sort(p.names)
	p.names = slices.Compact(p.names)
	if len(e.Tool.Edits) > 0 {
		return
	}
	p.names = []string{"file.write"}
	for _, name := range e.Tool.Paths {
		if h.Files.ambiguous(e.Dir, name) || h.Files.Class(h.Files.Resolve(e.Dir, name)) != memfile.Ordinary {
			p.refuse = "Refused: this call changes a memory or an instruction file and does not say how."
			return
		}
	}
}

// maxCommand bounds a command that is read, in bytes: nobody could be asked about a longer
// one, and reading it would take longer than a host waits.
const maxCommand = 64 << 10

// planShell reads a command.
func (h *Handler) planShell(ctx context.Context, e hosts.Event, p *plan) {
	if len(e.Tool.Command) > maxCommand {
		p.loose = true
		p.refuse = fmt.Sprintf("Refused: a command of more than %d KiB cannot be looked at. Write what it holds to a file with the write tool, and use that.", maxCommand>>10)
		return
	}
	c := h.shellContext(e, e.Tool.Shell == hosts.PowerShell)
	c.Untrusted = func(name string) bool {
		return h.Guard.ForeignTree(ctx, h.caller.Principal, name) || h.Files.untrusted.Class(name) == memfile.Memory
	}
	effects := shell.Analyze(e.Tool.Command, c)
	p.names, p.target, p.words, p.loose = effects.Actions, e.Tool.Command, true, true
	p.sources = h.readBy(ctx, effects)
	if e.Tool.Class == hosts.ShellIO && e.Tool.Command == "" {
		p.names, p.words, p.loose = []string{"shell.execute"}, false, false // it only looks at what a command says
	}
	if effects.Interactive {
		// What is typed into it later may raise no event.
		p.names = append(slices.Clone(p.names), "shell.untrusted")
	}
	if slices.ContainsFunc(effects.Programs, func(name string) bool { return name == "hearsay" || name == "hearsay-hook" }) {
		p.refuse = "Refused: a person runs Hearsay's commands, not an agent. Ask the user to run it."
		return
	}
	for _, name := range effects.Reads {
		p.reads = append(p.reads, h.Files.Real(name))
		if h.Files.ours(h.Files.Real(name)) {
			p.refuse = "Refused: Hearsay's own files hold text that waits for a person; an agent does not read them."
			return
		}
	}
	deletes := len(effects.Writes)
	for i, name := range slices.Concat(effects.Writes, effects.Deletes) {
		real := h.Files.Real(name)
		switch h.classOf(real, i >= deletes || effects.Unsure) {
		case memfile.Protected:
			if p.refuse = h.Files.Refusal(real); p.refuse != "" {
				return
			}
			p.refuse = "Refused: this command would change instruction files, settings of the agent or Hearsay's own files. The user changes those, not an agent's tools."
			return
		case memfile.Memory:
			p.touches = append(p.touches, real)
		}
	}
	if listsOnly(effects.Programs) && !effects.Opaque && !effects.Unsure {
		p.reads = nil
	}
	// A second name of a memory file, or a program that nobody knows and is given one.
	if effects.Unsure || slices.Contains(effects.Programs, "ln") {
		for _, name := range effects.Reads {
			if real := h.Files.Real(name); h.Files.Class(real) == memfile.Memory {
				p.touches = append(p.touches, real)
			}
		}
	}
}

// classOf is how what a command changes is guarded; all says that it may change whatever
// lies beneath. A folder stands for that too, but where it is the workspace itself, or
// lies around it, what really changed is found after the command.
func (h *Handler) classOf(real string, all bool) memfile.Class {
	around := beneath(h.Files.Workspace, real)
	switch {
	case all && (h.Files.own != "" && beneath(h.Files.own, real) || h.Files.Home != "" && beneath(h.Files.Home, real)):
		return memfile.Protected
	case all && around:
		return memfile.Memory
	case all:
		return h.Files.set.Holds(real)
	}
	if info, err := os.Stat(filepath.FromSlash(real)); err == nil && info.IsDir() && !around {
		return h.Files.set.Holds(real)
	}
	return h.Files.Class(real)
}

// readBy says what flows into a command's output. Paths are looked at as the read tool
// looks at them, links resolved.
func (h *Handler) readBy(ctx context.Context, effects shell.Effects) []hearsay.Source {
	out := make([]hearsay.Source, 0, len(effects.Sources))
	for _, s := range effects.Sources {
		switch s.Type {
		case "workspace_file", "dependency", "document":
			if path.IsAbs(s.Ref) {
				s = h.source(ctx, h.Files.Real(s.Ref))
			}
		}
		out = append(out, s)
	}
	return out
}

func (h *Handler) shellContext(e hosts.Event, power bool) shell.Context {
	c := shell.Context{Dir: h.Files.Real(e.Dir), Home: h.Files.Home, Workspace: []string{h.Files.Workspace}}
	if power {
		c.Dialect = shell.PowerShell
	}
	return c
}

// sources says what files and folders hold. A search without a path is of the workspace.
func (h *Handler) sources(ctx context.Context, dir string, names []string) []hearsay.Source {
	if len(names) == 0 {
		names = []string{dir}
	}
	var out []hearsay.Source
	for _, name := range names {
		out = append(out, h.source(ctx, h.Files.Resolve(dir, name)))
	}
	return out
}

// announced is the call as a proxy of ours will see it.
func announced(e hosts.Event) guard.Call {
	return guard.Call{ID: e.CallID, Digest: guard.CallDigest(e.Tool.ServerTool, e.Tool.Args)}
}
