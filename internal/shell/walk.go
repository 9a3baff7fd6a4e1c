package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// walker goes through a command in the order in which it would run.
type walker struct {
	collector
	env     *env
	in      stream // what the command at hand reads as its input
	fed     stream // what the last <(…) gives
	depth   int
	maybe   int // above zero, it is not sure that this runs
	changes int // how often the environment changed
}

func newWalker(c Context, length int) *walker {
	w := &walker{env: &env{}}
	w.ctx = c
	dir := ""
	if absolute(c.Dir) {
		dir = cleanPath(c.Dir)
	}
	w.env.dirs = []string{dir}
	w.ctx.Workspace = nil
	for _, root := range c.Workspace {
		if absolute(root) {
			w.ctx.Workspace = append(w.ctx.Workspace, cleanPath(root))
		}
	}
	w.ctx.Home = ""
	if absolute(c.Home) {
		w.ctx.Home = cleanPath(c.Home)
	}
	w.work = baseWork + workRate*min(length, maxCommand)
	return w
}

// program runs a text as a shell does: what stands before an error runs.
func (w *walker) program(text string, in stream) stream {
	text = w.clean(text)
	if w.depth >= maxDepth || !w.spend(len(text)) {
		w.opaque()
		return stream{there: true}
	}
	if nesting(text) > maxNesting {
		w.opaque()
		w.coarse(text)
		return stream{there: true}
	}
	w.depth++
	defer func() { w.depth-- }()
	list, broken := statementsOf(text)
	out := w.stmts(list, in)
	if broken {
		w.opaque()
		w.coarse(text)
	}
	return out
}

// statementsOf parses a text. It returns what stands before an error, and whether
// there is one. All is read before any of it is used, because the parser hands out
// a statement before its here-documents.
func statementsOf(text string) (list []*syntax.Stmt, broken bool) {
	defer func() { // a fault of the parser must not become one of the firewall
		if recover() != nil {
			broken = true
		}
	}()
	for stmt, err := range syntax.NewParser(syntax.Variant(syntax.LangBash)).StmtsSeq(strings.NewReader(text)) {
		// It goes on after an error, and must not be stopped.
		if broken = broken || err != nil; !broken {
			list = append(list, stmt)
		}
	}
	return list, broken
}

// runText runs a text that was put together: what is not known of it may be anything.
func (w *walker) runText(text string, in stream) stream {
	if strings.IndexByte(text, unknownByte) >= 0 {
		w.opaque()
		text = strings.ReplaceAll(text, unknownText, "$_")
	}
	return w.program(text, in)
}

// apart runs something that cannot change the environment of what follows.
func (w *walker) apart(run func() stream) stream {
	outer, changes := w.env, w.changes
	w.env = outer.child()
	out := run()
	w.env, w.changes = outer, changes
	return out
}

func (w *walker) subshell(list []*syntax.Stmt, in stream) stream {
	return w.apart(func() stream { return w.stmts(list, in) })
}

// perhaps runs something of which it is not sure that it runs.
func (w *walker) perhaps(run func() stream) stream {
	before := w.env.dirs
	w.maybe++
	out := run()
	w.maybe--
	w.setDirs(union(before, w.env.dirs))
	return out
}

func (w *walker) stmts(list []*syntax.Stmt, in stream) stream {
	if w.depth >= maxDepth {
		w.opaque()
		return stream{there: true}
	}
	w.depth++
	defer func() { w.depth-- }()
	var out stream
	for i, st := range list {
		before := w.env.dirs
		out = out.then(w.stmt(st, in))
		// A "cd" that fails leaves what follows where it was.
		if i+1 < len(list) && !w.env.strict && !leaves(st) && !slices.Equal(before, w.env.dirs) {
			w.setDirs(union(w.env.dirs, before))
		}
	}
	return out
}

// leaves reports whether a list such as "cd x || exit 1" ends the program where
// its first part fails.
func leaves(st *syntax.Stmt) bool {
	b, ok := st.Cmd.(*syntax.BinaryCmd)
	return ok && b.Op == syntax.OrStmt && exits(b.Y)
}

// exits reports whether a statement surely ends the program.
func exits(st *syntax.Stmt) bool {
	if block, ok := st.Cmd.(*syntax.Block); ok && len(block.Stmts) > 0 {
		st = block.Stmts[len(block.Stmts)-1]
	}
	call, ok := st.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 || st.Background {
		return false
	}
	name := call.Args[0].Lit()
	return name == "exit" || name == "return"
}

func (w *walker) stmt(st *syntax.Stmt, in stream) stream {
	if st == nil || !w.spend(perStep) {
		return stream{there: true}
	}
	if w.depth >= maxDepth {
		w.opaque()
		return stream{there: true}
	}
	w.depth++
	defer func() { w.depth-- }()
	if st.Background || st.Coprocess || st.Disown {
		w.found.Background = true
		return w.apart(func() stream { return w.redirected(st, in) })
	}
	if before := w.env.dirs; st.Negated {
		out := w.redirected(st, in)
		w.setDirs(union(w.env.dirs, before))
		return out
	}
	return w.redirected(st, in)
}

// redirected runs a command with its redirections.
func (w *walker) redirected(st *syntax.Stmt, in stream) stream {
	outer := w.in
	w.in = in
	var targets []string
	for _, r := range st.Redirs {
		targets = append(targets, w.redirect(r)...)
	}
	out := stream{}
	if st.Cmd != nil {
		out = w.command(st.Cmd)
	}
	if w.in.web {
		out.web = true
	}
	w.in = outer
	if len(targets) == 0 {
		return out
	}
	w.wrote(targets, out)
	return stream{web: out.web}
}

// wrote remembers what was written into files.
func (w *walker) wrote(targets []string, out stream) {
	if w.away > 0 {
		return
	}
	for _, t := range targets {
		if out.web && !pseudo(t) {
			w.fetch(t)
		}
		if w.written == nil {
			w.written = make(map[string]stream)
		}
		if len(w.written) < maxFound {
			old := w.written[t]
			if old.known && !out.known {
				old.known = false
			}
			out.there = true
			w.written[t] = old.then(out)
		} else {
			w.opaque()
		}
	}
}
