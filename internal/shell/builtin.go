package shell

import (
	"slices"
	"strings"
)

// quietPrograms touch nothing that their arguments name, or change the shell
// itself.
func quietPrograms() map[string]program {
	return map[string]program{
		"true": {}, "false": {}, ":": {}, "echo": {}, "printf": {}, "test": {}, "[": {}, "pwd": {}, "sleep": {}, "date": {}, "whoami": {}, "id": {}, "uname": {},
		"hostname": {}, "seq": {}, "expr": {}, "basename": {}, "dirname": {}, "which": {}, "type": {}, "exit": {}, "return": {}, "break": {}, "continue": {},
		"wait": {}, "jobs": {}, "times": {}, "umask": {}, "ulimit": {}, "tput": {}, "clear": {}, "reset": {}, "stty": {}, "tty": {}, "nproc": {}, "free": {}, "uptime": {}, "ps": {},
		"top": {}, "lsof": {}, "df": {}, "groups": {}, "locale": {}, "arch": {}, "getconf": {}, "printenv": {}, "history": {}, "fg": {}, "bg": {}, "yes": {},
		"chmod": {}, "chown": {}, "chgrp": {}, "pgrep": {}, "man": {}, "help": {}, "getopts": {}, "shopt": {}, "let": {}, "unset": {}, "unalias": {}, "factor": {}, "cal": {},
		"kill": {}, "pkill": {}, "killall": {}, "mktemp": {}, "ssh-keygen": {}, "sw_vers": {}, "lscpu": {}, "lsblk": {}, "dmesg": {}, "vmstat": {}, "ss": {}, "netstat": {}, "ifconfig": {}, "ip": {},

		"cd": {kind: kindBuiltin}, "chdir": {kind: kindBuiltin}, "pushd": {kind: kindBuiltin}, "popd": {kind: kindBuiltin}, "eval": {kind: kindBuiltin},
		"source": {kind: kindBuiltin}, ".": {kind: kindBuiltin}, "alias": {kind: kindBuiltin}, "read": {kind: kindBuiltin}, "mapfile": {kind: kindBuiltin},
		"readarray": {kind: kindBuiltin}, "set": {kind: kindBuiltin}, "shift": {kind: kindBuiltin}, "trap": {kind: kindBuiltin}, "hash": {kind: kindBuiltin},
		"enable": {kind: kindBuiltin}, "bind": {kind: kindBuiltin}, "complete": {kind: kindBuiltin}, "compgen": {kind: kindBuiltin}, "disown": {kind: kindBuiltin},
		"export": {kind: kindBuiltin}, "declare": {kind: kindBuiltin}, "local": {kind: kindBuiltin}, "readonly": {kind: kindBuiltin}, "typeset": {kind: kindBuiltin},
	}
}

// quiet runs a program that touches nothing, for what it prints.
func (w *walker) quiet(c *call) stream {
	switch c.name {
	case "echo":
		return echo(c.args)
	case "printf":
		return w.printf(c.args)
	case "pwd":
		if len(w.env.dirs) == 1 && absolute(w.env.dirs[0]) {
			return textStream(w.env.dirs[0] + "\n")
		}
	case "mktemp":
		return stream{there: true, names: []value{literal("/tmp")}}
	case "dirname":
		if len(c.args) == 1 && !c.args[0].open() {
			if i := strings.LastIndexByte(c.args[0].s, '/'); i > 0 {
				return textStream(c.args[0].s[:i])
			}
			return textStream(".")
		}
	case "kill", "pkill", "killall":
		if slices.ContainsFunc(c.args[min(1, len(c.args)):], func(v value) bool { return v.s == "-1" }) {
			w.does(shellDestroy)
		}
	case "chmod":
		return stream{}
	}
	return stream{there: true}
}

func echo(args []value) stream {
	newline := "\n"
	for len(args) > 0 && len(args[0].s) > 1 && args[0].s[0] == '-' && strings.Trim(args[0].s[1:], "neE") == "" {
		if strings.Contains(args[0].s, "n") {
			newline = ""
		}
		args = args[1:]
	}
	text := join(args) + newline
	if strings.IndexByte(text, '\\') >= 0 {
		text = unescapeEcho(text)
	}
	return textStream(text)
}

// unescapeEcho undoes the escapes that some shells undo; where both readings
// differ in more than the ends of lines, the text is not known from there on.
func unescapeEcho(s string) string {
	s = strings.ReplaceAll(s, `\n`, "\n")
	if before, _, ok := strings.Cut(s, `\`); ok {
		return before + unknownText
	}
	return s
}

func (w *walker) printf(args []value) stream {
	if len(args) > 1 && args[0].s == "-v" {
		w.set(args[1].s, []string{unknownText})
		return stream{}
	}
	if len(args) > 0 && args[0].s == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return stream{there: true}
	}
	format := unescapeEcho(args[0].s)
	rest := args[1:]
	var b strings.Builder
	for {
		used := false
		for i := 0; i < len(format); i++ {
			switch {
			case format[i] != '%':
				b.WriteByte(format[i])
			case i+1 < len(format) && format[i+1] == '%':
				b.WriteByte('%')
				i++
			case i+1 < len(format) && format[i+1] == 's':
				if len(rest) > 0 {
					b.WriteString(rest[0].s)
					rest, used = rest[1:], true
				}
				i++
			default:
				return textStream(b.String() + unknownText)
			}
		}
		if len(rest) == 0 || !used || b.Len() > maxText {
			return textStream(b.String())
		}
	}
}

// builtin changes the shell.
func (w *walker) builtin(c *call) stream {
	args := c.args
	switch c.name {
	case "cd", "chdir", "pushd":
		w.cd(args)
	case "popd":
		w.setDirs([]string{""})
	case "eval":
		return w.runText(join(args), w.in)
	case "source", ".":
		return w.sourceFile(args)
	case "alias":
		w.alias(args)
	case "read", "mapfile", "readarray":
		w.readInto(args)
	case "set":
		w.setOptions(args)
	case "shift":
		w.env.args, w.env.known = nil, false
	case "trap":
		if len(args) > 0 && !args[0].option() {
			w.perhaps(func() stream { return w.runText(args[0].s, stream{}) })
		}
	case "hash":
		if len(args) > 0 && strings.HasPrefix(args[0].s, "-p") {
			w.opaque()
		}
	case "enable", "bind", "complete", "compgen":
		if len(args) > 1 {
			w.opaque()
		}
	case "disown":
		w.found.Background = true
	default: // export and its like, where their name was hidden from the parser
		for _, v := range args {
			if name, val, ok := strings.Cut(v.s, "="); ok {
				w.set(name, []string{val})
				w.steering(name, []string{val})
			}
		}
	}
	return stream{}
}

func (w *walker) cd(args []value) {
	p := parse(args, "", false)
	switch {
	case len(p.args) == 0 && len(args) > 0 && args[0].s == "-":
		w.setDirs(union(w.env.dirs, w.paths(literal("."))))
	case len(p.args) == 0:
		w.setDirs(w.paths(literal(w.fromOutside("HOME"))))
	case p.args[0].s == "-":
		w.setDirs([]string{""})
		if absolute(w.ctx.Dir) && len(w.env.dirs) == 1 {
			w.setDirs([]string{"", cleanPath(w.ctx.Dir)})
		}
	default:
		var dirs []string
		for _, v := range p.args {
			if s, cut := v.literalPath(); cut && s == "" {
				w.unsure()
				dirs = union(dirs, []string{""})
				continue
			}
			dirs = union(dirs, w.paths(v))
		}
		w.setDirs(dirs)
	}
}

func (w *walker) sourceFile(args []value) stream {
	if len(args) == 0 {
		return stream{}
	}
	v := args[0]
	if v.s == "/dev/fd/63" || v.s == "/dev/stdin" {
		from := w.in
		if v.s == "/dev/fd/63" {
			from = w.fed
		}
		return w.interpret("", from)
	}
	for _, p := range w.paths(v) {
		w.runFile(p, args[1:], w.in)
	}
	// What it sets is not known.
	w.unsure()
	return stream{there: true}
}

func (w *walker) alias(args []value) {
	for _, v := range args {
		name, text, ok := strings.Cut(v.s, "=")
		if !ok {
			continue
		}
		if w.env.alias == nil {
			w.env.alias = make(map[string][]string)
		}
		if old := w.env.aliased(name); len(old) < maxChoices {
			w.env.alias[name] = union(old, []string{text})
		} else {
			w.opaque()
		}
	}
}

// readInto sets variables from what flows in.
func (w *walker) readInto(args []value) {
	p := parse(args, " -d -i -n -N -p -t -u -a -O -s -c -C ", false)
	values := []string{unknownText}
	if words := w.in.words(); w.in.there && len(words) > 0 {
		values = loopValues(words)
		if len(w.in.names) > 0 {
			values = values[:0]
			for _, v := range w.in.names {
				values = append(values, stream{names: []value{v}}.substituted().s)
			}
		}
	}
	if line := strings.TrimSpace(w.in.text); w.in.known && len(line) <= maxValue {
		values = union(values, []string{line})
	}
	for _, v := range p.args {
		w.set(v.s, values)
	}
	if len(p.args) == 0 {
		w.set("REPLY", values)
	}
}

func (w *walker) setOptions(args []value) {
	for i, v := range args {
		switch {
		case v.s == "--":
			w.env.args, w.env.known = args[i+1:], true
			return
		case v.option() && v.s[1] != '-' && strings.Contains(v.s, "e"), v.s == "errexit":
			w.env.strict = w.maybe == 0
		case v.s == "+e":
			w.env.strict = false
		}
	}
}
