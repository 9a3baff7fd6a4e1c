package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call is a program that is run with arguments.
type call struct {
	name string // by which it is looked up: base name, folded where needed
	args []value
	program
}

func (w *walker) callExpr(cmd *syntax.CallExpr) stream {
	for _, a := range cmd.Assigns {
		w.assign(a)
		if len(cmd.Args) == 0 && a.Name != nil && a.Name.Value == "IFS" {
			if v := w.one(a.Value); strings.Trim(v.s, " \t\n") != "" {
				w.opaque() // words are split elsewhere than is read here
			}
		}
	}
	if len(cmd.Args) == 0 {
		return stream{}
	}
	in := w.in
	heads, args := w.words(cmd.Args)
	w.in = in
	if len(heads) == 0 {
		if len(args) == 0 {
			return stream{}
		}
		return w.invoke(args)
	}
	var out stream // of which program it is, nobody knows: of each that it may be
	for _, head := range heads {
		if full := append(head, args...); len(full) > 0 {
			out = w.perhaps(func() stream { return w.invoke(full) })
		}
	}
	out.known = false
	return out
}

// invoke runs a command that is given as words.
func (w *walker) invoke(args []value) stream {
	cost := perStep
	for _, v := range args {
		cost += perWord + len(v.s)
	}
	if len(args) == 0 || !w.spend(cost) {
		return stream{there: true}
	}
	if w.depth >= maxDepth {
		w.opaque()
		return stream{there: true}
	}
	w.depth++
	defer func() { w.depth-- }()
	head := args[0]
	if head.open() || head.glob > 0 && len(head.s) > 1 {
		w.opaque()
		if name := programName(head.s[strings.LastIndexByte(head.s, unknownByte)+1:]); name != "" {
			w.perhaps(func() stream { return w.dispatch(name, args[1:]) })
		}
		if len(args) > 1 && known(args[1]) { // the first word may vanish
			w.perhaps(func() stream { return w.invoke(args[1:]) })
		}
		return stream{there: true}
	}
	if texts := w.env.aliased(head.s); texts != nil {
		for _, text := range texts {
			w.perhaps(func() stream { return w.runText(text+" "+quoteAll(args[1:]), w.in) })
		}
	}
	if bodies := w.env.function(head.s); bodies != nil {
		out := w.function(bodies, args[1:])
		if _, ok := programs()[head.s]; !ok {
			return out
		}
	}
	if strings.Contains(head.s, "/") && !address(head.s) {
		for _, p := range w.paths(head) {
			if !systemProgram(p) {
				w.runFile(p, args[1:], w.in)
			}
		}
	}
	name := programName(head.s)
	return w.dispatch(name, args[1:])
}

// known reports whether a word is the name of a program that the tables hold.
func known(v value) bool {
	if v.open() {
		return false
	}
	_, ok := programs()[programName(v.s)]
	return ok
}

// function runs the bodies that a function may have.
func (w *walker) function(bodies []*syntax.Stmt, args []value) stream {
	outerArgs, outerKnown := w.env.args, w.env.known
	w.env.args, w.env.known = args, true
	in := w.in
	var out stream
	for _, body := range bodies {
		if len(bodies) == 1 {
			out = w.stmt(body, in)
			continue
		}
		out = out.then(w.perhaps(func() stream { return w.stmt(body, in) }))
		out.known = false
	}
	w.env.args, w.env.known = outerArgs, outerKnown
	return out
}

// programName returns the name by which a program is looked up: without its
// directory and ".exe", in lower case where only that is known, without a version
// where only that is known.
func programName(s string) string {
	s = s[strings.LastIndexByte(s, '/')+1:]
	s = strings.TrimPrefix(s, "=") // zsh: the full path of a program
	if _, ok := programs()[s]; ok {
		return s
	}
	s = strings.ToLower(s)
	for _, ext := range []string{".exe", ".cmd", ".bat", ".ps1"} {
		s = strings.TrimSuffix(s, ext)
	}
	if _, ok := programs()[s]; ok {
		return s
	}
	base := strings.TrimRight(s, "0123456789.-")
	if _, ok := programs()[base]; ok {
		return base
	}
	return s
}

// dispatch reads what a program of the tables does with its arguments.
func (w *walker) dispatch(name string, args []value) stream {
	w.runs(name)
	p, ok := programs()[name]
	if !ok {
		return w.stranger(args)
	}
	c := call{name: name, args: args, program: p}
	w.does(p.does)
	if p.does&shellNetwork != 0 && p.kind != kindFetch && p.kind != kindRemote && p.kind != kindCopiesAway {
		w.web(w.remoteOf(&c))
	}
	if p.kind != kindQuiet && p.kind != kindBuiltin {
		w.here()
	}
	return w.byKind(&c)
}

// here says that a program reads what lies about it, where that is not trusted.
func (w *walker) here() {
	if w.away > 0 {
		return
	}
	for _, dir := range w.env.dirs {
		if absolute(dir) && w.untrusted(dir) {
			w.source("dependency", dir)
		}
	}
}

// fileName reports whether a word looks like the name of a file: letters, a dot, letters.
func fileName(s string) bool {
	dot := strings.LastIndexByte(s, '.')
	return dot > 0 && dot < len(s)-1 && !strings.ContainsAny(s, " \t\n=")
}

// stranger runs a program that no table holds. What looks like a path or an
// address among its arguments is taken for what it works on.
func (w *walker) stranger(args []value) stream {
	w.unsure()
	w.here()
	for _, v := range args {
		s := v.s
		if v.option() {
			_, after, ok := strings.Cut(s, "=")
			if !ok {
				continue
			}
			v = literal(after)
			s = after
		}
		switch {
		case address(s):
			w.web(s)
		case strings.Contains(s, "/") || v.open() || fileName(s):
			for _, p := range w.paths(v) {
				w.read(p)
			}
		}
	}
	return stream{there: true, web: w.in.web}
}

// runFile runs a script or program that lies in a file.
func (w *walker) runFile(p string, args []value, in stream) stream {
	if w.away > 0 {
		return stream{there: true}
	}
	w.read(p)
	if p == "/" { // a path of which nothing is known
		w.opaque()
		return stream{there: true}
	}
	if w.untrusted(p) {
		w.does(shellUntrusted)
	}
	text, ok := w.written[p]
	if !ok || text.web {
		return stream{there: true, web: in.web}
	}
	if !text.known {
		w.opaque()
		return stream{there: true}
	}
	lang := languageOf(p, text.text)
	if lang == "" {
		w.script(text.text, args, in)
	} else {
		w.code(lang, text.text)
	}
	return stream{there: true}
}

// script runs the text of a shell script with its arguments.
func (w *walker) script(text string, args []value, in stream) stream {
	return w.apart(func() stream {
		w.env.args, w.env.known = args, true
		return w.runText(text, in)
	})
}

// address reports whether a word is the address of something on a network.
func address(s string) bool {
	i := strings.Index(s, "://")
	return i > 0 && i < 16 && !strings.HasPrefix(s, "file:") || strings.HasPrefix(s, "git@")
}

// remoteOf returns the first argument that names something on a network, or the
// host that the program talks to by itself.
func (w *walker) remoteOf(c *call) string {
	for _, v := range c.args {
		if address(v.s) {
			return v.s
		}
	}
	if c.host != "" || c.kind == kindTool {
		return c.host
	}
	for _, v := range c.args {
		if !v.option() && strings.ContainsAny(v.s, ".:") {
			return v.s
		}
	}
	return ""
}
