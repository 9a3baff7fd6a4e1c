package shell

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

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
			failed = few(union(failed, succeeded))
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
		failed = few(union(failed, w.env.dirs))
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
