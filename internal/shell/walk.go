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
	var list []*syntax.Stmt
	broken := false
	// Read to the end first: the parser hands out a command before its here-documents.
	for stmt, err := range syntax.NewParser(syntax.Variant(syntax.LangBash)).StmtsSeq(strings.NewReader(text)) {
		if err != nil {
			broken = true
			break
		}
		list = append(list, stmt)
	}
	out := w.stmts(list, in)
	if broken {
		w.opaque()
		w.coarse(text)
	}
	return out
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

func (w *walker) command(cmd syntax.Command) stream {
	switch cmd := cmd.(type) {
	case *syntax.CallExpr:
		return w.callExpr(cmd)
	case *syntax.BinaryCmd:
		return w.binary(cmd)
	case *syntax.Block:
		return w.stmts(cmd.Stmts, w.in)
	case *syntax.Subshell:
		return w.subshell(cmd.Stmts, w.in)
	case *syntax.IfClause:
		return w.ifClause(cmd)
	case *syntax.WhileClause:
		return w.loop(func() stream {
			w.stmts(cmd.Cond, w.in)
			return w.stmts(cmd.Do, w.in)
		})
	case *syntax.ForClause:
		return w.forClause(cmd)
	case *syntax.CaseClause:
		return w.caseClause(cmd)
	case *syntax.FuncDecl:
		w.define(cmd)
	case *syntax.DeclClause:
		w.declare(cmd)
	case *syntax.TimeClause:
		return w.stmt(cmd.Stmt, w.in)
	case *syntax.CoprocClause:
		w.found.Background = true
		return w.apart(func() stream { return w.stmt(cmd.Stmt, stream{there: true}) })
	case *syntax.TestClause:
		w.nested(cmd)
	case *syntax.ArithmCmd:
		w.nested(cmd)
	case *syntax.LetClause:
		w.nested(cmd)
	default:
		w.opaque()
	}
	return stream{}
}

// binary runs "a && b", "a || b" and "a | b". Long chains lean to the left, and
// are followed without recursion.
func (w *walker) binary(cmd *syntax.BinaryCmd) stream {
	list := []*syntax.Stmt{cmd.Y}
	ops := []syntax.BinCmdOperator{cmd.Op}
	first := cmd.X
	for {
		b, ok := first.Cmd.(*syntax.BinaryCmd)
		if !ok || piped(b.Op) != piped(cmd.Op) || len(first.Redirs) > 0 || first.Background {
			break
		}
		list = append(list, b.Y)
		ops = append(ops, b.Op)
		first = b.X
	}
	if piped(cmd.Op) {
		return w.pipeline(first, list)
	}
	failed := w.env.dirs // where it may be when what ran so far did not succeed
	out := w.stmt(first, w.in)
	for i := len(list) - 1; i >= 0; i-- {
		succeeded := w.env.dirs
		w.maybe++
		if ops[i] == syntax.AndStmt {
			out = out.then(w.stmt(list[i], w.in))
			failed = union(failed, succeeded)
			w.maybe--
			continue
		}
		w.setDirs(failed)
		out = out.then(w.stmt(list[i], w.in))
		w.maybe--
		if exits(list[i]) {
			failed = nil
			w.setDirs(succeeded)
			continue
		}
		failed = union(failed, w.env.dirs)
		w.setDirs(union(succeeded, w.env.dirs))
	}
	w.setDirs(union(w.env.dirs, failed))
	out.known = false
	return out
}

func piped(op syntax.BinCmdOperator) bool { return op == syntax.Pipe || op == syntax.PipeAll }

func (w *walker) pipeline(first *syntax.Stmt, list []*syntax.Stmt) stream {
	flow := w.apart(func() stream { return w.stmt(first, w.in) })
	for i := len(list) - 1; i >= 0; i-- {
		flow.there = true
		web := flow.web
		if i == 0 { // some shells run the last part themselves
			flow = w.perhaps(func() stream { return w.stmt(list[i], flow) })
		} else {
			flow = w.apart(func() stream { return w.stmt(list[i], flow) })
		}
		flow.web = flow.web || web
	}
	return flow
}

func (w *walker) ifClause(cmd *syntax.IfClause) stream {
	var out stream
	for c := cmd; c != nil; c = c.Else {
		if len(c.Cond) > 0 {
			out = out.then(w.perhaps(func() stream { return w.stmts(c.Cond, w.in) }))
		}
		out = out.then(w.perhaps(func() stream { return w.stmts(c.Then, w.in) }))
	}
	out.known = false
	return out
}

// loop runs a body twice where it changes what it depends on.
func (w *walker) loop(body func() stream) stream {
	changes := w.changes
	out := w.perhaps(body)
	if w.changes != changes {
		out = out.then(w.perhaps(body))
	}
	out.known = false
	return out
}

func (w *walker) forClause(cmd *syntax.ForClause) stream {
	iter, ok := cmd.Loop.(*syntax.WordIter)
	if !ok {
		w.nested(cmd.Loop)
		return w.loop(func() stream { return w.stmts(cmd.Do, w.in) })
	}
	items := []value{unknownValue}
	if iter.InPos.IsValid() {
		items = w.items(iter.Items)
	} else if w.env.known {
		items = w.env.args
	}
	if len(items) == 0 {
		items = []value{unknownValue} // it may not run, but what is read must be seen
	}
	w.set(iter.Name.Value, loopValues(items))
	return w.loop(func() stream { return w.stmts(cmd.Do, w.in) })
}

// loopValues returns what the variable of a loop may be. What a pattern stands
// for lies beneath its directory.
func loopValues(items []value) []string {
	var out []string
	for _, v := range items {
		s := v.s
		if v.glob > 0 {
			if s, _ = v.literalPath(); s == "" {
				s = "./"
			}
			s += unknownText
		}
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
		if len(out) > maxChoices {
			return []string{unknownText}
		}
	}
	return out
}

func (w *walker) caseClause(cmd *syntax.CaseClause) stream {
	w.text(cmd.Word)
	var out stream
	for _, item := range cmd.Items {
		for _, p := range item.Patterns {
			w.text(p)
		}
		out = out.then(w.perhaps(func() stream { return w.stmts(item.Stmts, w.in) }))
	}
	out.known = false
	return out
}

// define remembers a function, beside what the name may have meant before.
func (w *walker) define(cmd *syntax.FuncDecl) {
	if cmd.Name == nil || cmd.Body == nil {
		w.opaque()
		return
	}
	name := cmd.Name.Value
	old := w.env.function(name)
	if len(old) >= maxChoices {
		w.opaque()
		return
	}
	if w.env.funcs == nil {
		w.env.funcs = make(map[string][]*syntax.Stmt)
	}
	if !slices.Contains(old, cmd.Body) {
		w.env.funcs[name] = append(slices.Clone(old), cmd.Body)
		w.changes++
	}
}
