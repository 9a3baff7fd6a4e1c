package shell

import (
	"slices"
	"strings"
	"sync"
)

// git runs git.
func (w *walker) git(c *call) stream {
	// The options before the subcommand are those of git itself.
	rest, global := leading(c.args, " -C -c --git-dir --work-tree --exec-path --namespace --config-env ", false, 0)
	for _, o := range global.opts {
		switch o.name {
		case "-c", "--config-env":
			w.gitConfig(o.val.s, false)
		case "--exec-path":
			if o.has {
				w.opaque()
			}
		}
	}
	dirs := append(global.values("-C"), global.values("--work-tree")...)
	if len(dirs) == 0 {
		return w.gitCommand(c, rest)
	}
	return w.apart(func() stream {
		for _, d := range dirs {
			w.cd([]value{d})
		}
		w.here()
		return w.gitCommand(c, rest)
	})
}

func (w *walker) gitCommand(c *call, args []value) stream {
	out := stream{there: true}
	if len(args) == 0 {
		return out
	}
	sub := args[0].s
	if args[0].open() {
		w.opaque()
		return out
	}
	p := parse(args[1:], c.takes, false)
	switch sub {
	case "push":
		w.gitPush(args[1:], p)
		out.web = true
	case "clone":
		w.gitClone(p)
		out.web = true
	case "fetch", "pull", "ls-remote", "remote-update":
		w.web(remote(p.args))
		w.gitPrograms(p.args, p)
		out.web = true
	case "remote":
		if len(p.args) > 0 && (p.args[0].s == "update" || p.args[0].s == "show") || p.has("-f") {
			w.web(remote(p.args[1:]))
			out.web = true
		}
	case "submodule", "subtree", "lfs", "svn", "annex", "send-email", "request-pull", "archive":
		w.gitOutside(sub, p)
	case "reset":
		if p.has("--hard") {
			w.does(shellDestroy)
		}
	case "clean":
		if p.has("-f", "--force", "-d", "-x") && !p.has("-n", "--dry-run") {
			w.does(shellDestroy)
			w.writeAll(literals("."))
		}
	case "filter-branch", "filter-repo":
		w.does(shellDestroy)
		for _, v := range append(p.values("--tree-filter", "--index-filter", "--msg-filter", "--env-filter"), args[1:]...) {
			if strings.Contains(v.s, " ") {
				w.runText(v.s, stream{there: true})
			}
		}
	case "config":
		w.gitConfigures(p)
	case "rm":
		w.gitRemoves(p)
	case "mv":
		w.copies(&call{name: "mv", args: args[1:], program: programs()["mv"]})
	case "apply", "am":
		w.gitApplies(p)
	case "rebase":
		for _, v := range append(p.values("-x", "--exec"), execOf(args)...) {
			w.runText(v.s, stream{there: true})
		}
	case "bisect", "foreach":
		if len(p.args) > 1 && p.args[0].s == "run" {
			w.invoke(args[2:])
		}
	case "grep":
		w.readAll(literals("."))
	case "show", "cat-file", "blame":
		w.unsure()
	case "rev-parse":
		if p.has("--show-toplevel") {
			return w.toplevel()
		}
	case "ls-files", "diff", "log", "status":
		if p.has("--output") {
			w.writeAll(p.values("--output"))
		}
		if sub == "ls-files" || p.has("--name-only") {
			out.names = beneathAll(literals("."))
		}
	case "worktree":
		if len(p.args) > 1 && p.args[0].s == "add" {
			w.writeAll(p.args[1:2])
		}
	case "instaweb", "daemon", "http-backend", "credential":
		w.does(shellNetwork)
	case "init":
		w.writeAll(p.args)
	}
	if !gitCommands()[sub] {
		w.unsure() // an alias, or a program of that name
	}
	return out
}

// gitCommands are the subcommands that touch nothing but the repository, or that
// are read above.
var gitCommands = sync.OnceValue(func() map[string]bool {
	all := make(map[string]bool)
	for name := range strings.FieldsSeq(`add am annotate apply archive bisect blame branch bundle cat-file check-ignore checkout cherry cherry-pick clean clone commit config count-objects
		describe diff diff-tree fetch filter-branch for-each-ref format-patch fsck gc grep hash-object help init log ls-files ls-remote ls-tree merge merge-base mv name-rev notes pull push range-diff
		rebase reflog remote reset restore rev-list rev-parse revert rm shortlog show show-ref sparse-checkout stash status submodule switch symbolic-ref tag update-index version whatchanged worktree write-tree`) {
		all[name] = true
	}
	return all
})

// execOf returns the values of --exec in either form.
func execOf(args []value) []value {
	var out []value
	for i, v := range args {
		if (v.s == "--exec" || v.s == "-x") && i+1 < len(args) {
			out = append(out, args[i+1])
		}
	}
	return out
}

// remote returns the operand that names where a command goes to.
func remote(args []value) string {
	if len(args) == 0 {
		return ""
	}
	return args[0].s
}

func (w *walker) gitPush(args []value, p parsed) {
	w.web(remote(p.args))
	w.gitPrograms(p.args, p)
	force := p.has("-f", "--force", "--force-with-lease", "--force-if-includes", "--mirror", "--delete", "-d", "--prune")
	for i, v := range p.args {
		if i > 0 && (strings.HasPrefix(v.s, "+") || strings.HasPrefix(v.s, ":")) {
			force = true
		}
	}
	if force || slices.ContainsFunc(args, func(v value) bool { return v.option() && v.open() }) {
		w.does(shellDestroy)
	}
}

func (w *walker) gitClone(p parsed) {
	for _, v := range p.values("-c", "--config") {
		w.gitConfig(v.s, false)
	}
	w.gitPrograms(p.args, p)
	if len(p.args) == 0 {
		w.web("")
		return
	}
	if from := p.args[0]; address(from.s) || from.open() || remoteName(from.s) {
		w.web(from.s)
	} else {
		w.does(shellNetwork)
		w.readAll(p.args[:1])
	}
	w.cloned(p.args)
}

// gitPrograms reads the programs that a transport runs.
func (w *walker) gitPrograms(args []value, p parsed) {
	for _, v := range p.values("-u", "--upload-pack", "--receive-pack", "--exec") {
		if strings.ContainsAny(v.s, " ;/|&$`") {
			w.runText(v.s, stream{there: true})
		}
	}
	for _, v := range args {
		if cmd, ok := strings.CutPrefix(v.s, "ext::"); ok {
			w.runText(cmd, stream{there: true})
		}
	}
}

func (w *walker) gitOutside(sub string, p parsed) {
	first := remote(p.args)
	switch sub {
	case "archive":
		w.writeAll(p.values("-o", "--output"))
		if p.has("--remote") {
			w.web("")
		}
		return
	case "send-email":
		w.does(dataExport)
	case "submodule":
		switch first {
		case "foreach":
			w.runText(join(p.args[1:]), stream{there: true})
			return
		case "add":
			if len(p.args) > 1 {
				w.web(p.args[1].s)
				w.cloned(p.args[1:])
			}
			return
		case "update", "sync", "":
		default:
			return
		}
		for _, v := range p.args[min(1, len(p.args)):] {
			for _, f := range w.paths(v) {
				w.fetch(f)
			}
		}
		w.unsure()
	case "lfs":
		if first == "install" || first == "track" || first == "ls-files" {
			return
		}
	}
	w.web("")
}

func (w *walker) gitRemoves(p parsed) {
	if p.has("--cached") {
		return
	}
	for _, v := range p.args {
		paths := w.paths(v)
		for _, f := range paths {
			w.remove(f)
		}
		if p.has("-r") {
			w.does(shellDestroy)
			w.removesProject(v, paths)
		}
	}
}

func (w *walker) gitApplies(p parsed) {
	if p.has("--check", "--stat", "--numstat", "--abort", "--skip") {
		return
	}
	text := w.in
	for _, v := range p.args {
		for _, f := range w.paths(v) {
			w.read(f)
			text = w.contents(f)
		}
	}
	if text.there {
		w.patched(text)
	}
}

// toplevel returns the root of the repository: a root of the workspace, as far as
// it can be told.
func (w *walker) toplevel() stream {
	if len(w.env.dirs) != 1 {
		return stream{there: true}
	}
	for _, root := range w.ctx.Workspace {
		if beneath(w.env.dirs[0], root) {
			return textStream(root)
		}
	}
	return stream{there: true}
}
