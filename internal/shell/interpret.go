package shell

import (
	"path"
	"strings"
)

// codePrograms are interpreters. texts are options whose value is a program.
func codePrograms() map[string]program {
	return map[string]program{
		"bash": {kind: kindShell}, "sh": {kind: kindShell}, "zsh": {kind: kindShell}, "dash": {kind: kindShell}, "ksh": {kind: kindShell}, "ash": {kind: kindShell}, "rbash": {kind: kindShell}, "mksh": {kind: kindShell}, "fish": {kind: kindShell},
		"csh": {kind: kindShell}, "tcsh": {kind: kindShell}, "pwsh": {kind: kindCode, takes: " -c -Command -File -f -EncodedCommand -e -enc -ec ", long: true, texts: " -c -Command "}, "powershell": {kind: kindCode, takes: " -c -Command -File -f -EncodedCommand -e -enc -ec -ExecutionPolicy ", long: true, texts: " -c -Command "},
		"python": {kind: kindCode, takes: " -c -m -W -X ", texts: " -c "}, "pypy": {kind: kindCode, takes: " -c -m -W -X ", texts: " -c "}, "ipython": {kind: kindCode, takes: " -c -m ", texts: " -c "}, "py": {kind: kindCode, takes: " -c -m ", texts: " -c "},
		"node": {kind: kindCode, long: true, takes: " -pe -e -p -r --eval --print --require --import --loader ", texts: " -e -p --eval --print -pe "}, "nodejs": {kind: kindCode, long: true, takes: " -pe -e -p -r --eval --print --require ", texts: " -e -p -pe --eval --print "}, "tsx": {kind: kindCode, takes: " -e --eval ", texts: " -e --eval "}, "ts-node": {kind: kindCode, takes: " -e -p ", texts: " -e -p "},
		"deno": {kind: kindCode, takes: " -A ", texts: " "}, "bun": {kind: kindTool, takes: " -e --eval --cwd "}, "perl": {kind: kindCode, takes: " -e -E -I -M -m ", texts: " -e -E "}, "ruby": {kind: kindCode, takes: " -e -I -r -C ", texts: " -e "}, "php": {kind: kindCode, takes: " -r -f -d -B -E ", texts: " -r -B -E "},
		"lua": {kind: kindCode, takes: " -e -l ", texts: " -e "}, "luajit": {kind: kindCode, takes: " -e -l ", texts: " -e "}, "Rscript": {kind: kindCode, takes: " -e ", texts: " -e "}, "julia": {kind: kindCode, takes: " -e -E ", texts: " -e -E "}, "osascript": {kind: kindCode, takes: " -e -l ", texts: " -e "}, "tclsh": {kind: kindCode}, "expect": {kind: kindCode, takes: " -c ", texts: " -c "},
		"groovy": {kind: kindCode, takes: " -e ", texts: " -e "}, "scala": {kind: kindCode, takes: " -e ", texts: " -e "}, "elixir": {kind: kindCode, takes: " -e ", texts: " -e "}, "java": {kind: kindCode, takes: " -cp -classpath -jar ", long: true}, "dotnet": {kind: kindTool}, "swift": {kind: kindTool}, "irb": {kind: kindCode}, "ghci": {kind: kindCode}, "bc": {kind: kindQuiet}, "dc": {kind: kindQuiet}, "jshell": {kind: kindCode}, "mshta": {kind: kindCode}, "wscript": {kind: kindCode}, "cscript": {kind: kindCode},
	}
}

// shell runs a shell: on the text of -c, on a script, on what flows in, or waiting
// for commands.
func (w *walker) shell(c *call) stream {
	text := false
	args := c.args
	for len(args) > 0 && (args[0].option() || strings.HasPrefix(args[0].s, "+") || args[0].open()) && args[0].s != "-" && args[0].s != "--" {
		s := args[0].s
		if args[0].open() {
			w.opaque()
		}
		args = args[1:]
		switch {
		case strings.HasPrefix(s, "--rcfile"), strings.HasPrefix(s, "--init-file"), s == "-o" || s == "+o" || s == "-O" || s == "+O":
			_, after, ok := strings.Cut(s, "=")
			if !ok && len(args) > 0 {
				after, args = args[0].s, args[1:]
			}
			if s[1] == '-' {
				for _, p := range w.paths(literal(after)) {
					w.runFile(p, nil, w.in)
				}
			}
		case s[0] == '-' && len(s) > 1 && s[1] != '-':
			text = text || strings.Contains(s, "c")
			if strings.Contains(s, "s") && !text {
				args = nil
			}
			w.found.Interactive = w.found.Interactive || strings.Contains(s, "i") && !text
		case s == "--command":
			text = true
		}
	}
	if len(args) > 0 && (args[0].s == "--" || args[0].s == "-") {
		args = args[1:]
	}
	switch {
	case text && len(args) > 0:
		return w.apart(func() stream {
			w.env.known = true
			w.env.args = nil
			if len(args) > 2 {
				w.env.args = args[2:]
			}
			return w.runText(args[0].s, w.in)
		})
	case text:
		w.opaque()
	case len(args) > 0:
		if v := args[0]; v.s == "/dev/fd/63" || v.s == "/dev/stdin" {
			from := w.in
			if v.s == "/dev/fd/63" {
				from = w.fed
			}
			return w.apart(func() stream { return w.interpret("", from) })
		}
		if address(args[0].s) {
			w.web(args[0].s)
			w.opaque()
		}
		for _, p := range w.paths(args[0]) {
			w.runFile(p, args[1:], w.in)
		}
	case w.in.there:
		return w.apart(func() stream { return w.interpret("", w.in) })
	default:
		w.found.Interactive = true
	}
	return stream{there: true, web: w.in.web}
}

// interpret runs what flows in as a program of a language; "" is the shell.
func (w *walker) interpret(lang string, from stream) stream {
	switch {
	case from.web:
		w.does(shellInstall | shellUntrusted)
		w.opaque()
	case from.known && lang == "":
		return w.runText(from.text, stream{there: true})
	case from.known:
		w.code(lang, from.text)
	case from.file != "":
		w.runFile(from.file, nil, stream{there: true})
	default:
		w.opaque()
	}
	return stream{there: true, web: from.web}
}

// interpreter runs an interpreter of a language that is not a shell.
func (w *walker) interpreter(c *call) stream {
	out := stream{there: true, web: w.in.web}
	if c.name == "deno" {
		return w.deno(c)
	}
	args, p := leading(c.args, c.takes, c.long, 0)
	lang := language(c.name)
	for _, o := range p.opts {
		switch {
		case o.has && valued(c.texts, o.name):
			text := o.val.s
			if lang == "powershell" {
				text = text + " " + join(args)
			}
			w.code(lang, text)
			if lang == "perl" || lang == "ruby" {
				w.oneLiner(p, args)
			} else {
				w.mentions(args)
			}
			return out
		case lang == "python" && o.name == "-m" && o.has:
			return w.module(o.val, args)
		case lang == "powershell" && len(o.name) > 1 && strings.HasPrefix("-encodedcommand", strings.ToLower(o.name)):
			w.opaque()
			return out
		case o.has && (o.name == "-r" || o.name == "--require" || o.name == "--import" || o.name == "--loader" || o.name == "-f" || o.name == "-File" || o.name == "-jar"):
			if strings.ContainsAny(o.val.s, "./") {
				for _, f := range w.paths(o.val) {
					w.runFile(f, args, w.in)
				}
			}
			if o.name == "-f" || o.name == "-File" || o.name == "-jar" {
				return out
			}
		case o.name == "--version" || o.name == "-V" || o.name == "-v" && lang != "perl" || o.name == "--help" || o.name == "-version":
			return out
		case lang == "node" && (o.name == "--test" || o.name == "--check"):
			return w.runner(c)
		}
	}
	switch {
	case len(args) > 0 && args[0].s != "-":
		if args[0].s == "/dev/stdin" || args[0].s == "/dev/fd/63" {
			from := w.in
			if args[0].s == "/dev/fd/63" {
				from = w.fed
			}
			return w.interpret(lang, from)
		}
		for _, f := range w.paths(args[0]) {
			w.runFile(f, args[1:], w.in)
		}
		w.mentions(args[1:])
	case w.in.there:
		return w.interpret(lang, w.in)
	default:
		w.found.Interactive = true
	}
	return out
}

// mentions reads the addresses among the arguments of a script.
func (w *walker) mentions(args []value) {
	for _, v := range args {
		if address(v.s) {
			w.web(v.s)
		}
	}
}

// oneLiner reads the operands of perl -e and ruby -e, which -i edits.
func (w *walker) oneLiner(p parsed, args []value) {
	w.readAll(args)
	for _, o := range p.opts {
		if o.name == "-i" {
			w.writeAll(args)
			return
		}
	}
}

// module runs a module of Python.
func (w *walker) module(name value, args []value) stream {
	switch name.s {
	case "json.tool", "venv", "virtualenv", "timeit", "py_compile", "compileall", "unittest", "doctest", "ensurepip", "site", "platform", "this", "ast", "dis", "cProfile", "pdb", "trace":
		if name.s == "venv" || name.s == "virtualenv" {
			w.writeAll(parse(args, "", false).args)
		}
		return w.runner(&call{name: name.s, args: args})
	case "http.server":
		w.does(shellNetwork)
		return stream{there: true}
	}
	if known(name) {
		return w.dispatch(programName(name.s), args)
	}
	w.runsHere()
	w.unsure()
	return stream{there: true}
}

func (w *walker) deno(c *call) stream {
	p := parse(c.args, " -c --config ", false)
	if len(p.args) == 0 {
		w.found.Interactive = !w.in.there
		return stream{there: true}
	}
	rest := p.args[1:]
	switch p.args[0].s {
	case "eval":
		for _, v := range rest {
			w.code("node", v.s)
		}
	case "run", "test", "serve", "install", "task":
		for _, v := range rest[:min(1, len(rest))] {
			if address(v.s) || strings.HasPrefix(v.s, "npm:") || strings.HasPrefix(v.s, "jsr:") {
				w.web(v.s)
				w.does(shellUntrusted | shellInstall)
			} else if p.args[0].s != "task" {
				for _, f := range w.paths(v) {
					w.runFile(f, rest[1:], w.in)
				}
			}
		}
		w.runsHere()
	}
	return stream{there: true}
}

// language returns the language that an interpreter reads.
func language(name string) string {
	switch name {
	case "python", "pypy", "ipython", "py":
		return "python"
	case "node", "nodejs", "tsx", "ts-node", "bun", "deno":
		return "node"
	case "pwsh", "powershell":
		return "powershell"
	}
	return name
}

// languageOf returns the language of a script by its first line or its name; ""
// is the shell.
func languageOf(file, text string) string {
	if rest, ok := strings.CutPrefix(text, "#!"); ok {
		line, _, _ := strings.Cut(rest, "\n")
		for f := range strings.FieldsSeq(line) {
			name := programName(f)
			if name == "env" || strings.HasPrefix(f, "-") {
				continue
			}
			if programs()[name].kind == kindShell {
				return ""
			}
			return language(name)
		}
	}
	switch path.Ext(file) {
	case ".py":
		return "python"
	case ".js", ".mjs", ".cjs", ".ts":
		return "node"
	case ".pl":
		return "perl"
	case ".rb":
		return "ruby"
	case ".php":
		return "php"
	case ".ps1":
		return "powershell"
	case ".awk":
		return "awk"
	}
	return ""
}
