package shell

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// env is what a command may change for those after it. A subshell has its own,
// whose parent it reads and does not change.
type env struct {
	parent *env
	vars   map[string][]string // the values that each may have; empty: unset
	funcs  map[string][]*syntax.Stmt
	alias  map[string][]string
	dirs   []string // the directories that may be the current one
	args   []value  // $1 …; nil with known false
	known  bool     // args are known
	strict bool     // set -e
}

// child returns the environment of a subshell.
func (e *env) child() *env {
	return &env{parent: e, dirs: e.dirs, args: e.args, known: e.known, strict: e.strict}
}

// lookup returns the values of a variable and whether the command set it.
func (e *env) lookup(name string) ([]string, bool) {
	for ; e != nil; e = e.parent {
		if v, ok := e.vars[name]; ok {
			return v, true
		}
	}
	return nil, false
}

func (e *env) function(name string) []*syntax.Stmt {
	for ; e != nil; e = e.parent {
		if f, ok := e.funcs[name]; ok {
			return f
		}
	}
	return nil
}

func (e *env) aliased(name string) []string {
	for ; e != nil; e = e.parent {
		if a, ok := e.alias[name]; ok {
			return a
		}
	}
	return nil
}

// set gives a variable a value: instead of those it had, or beside them where it
// is not sure that the command runs.
func (w *walker) set(name string, values []string) {
	e := w.env
	if e.vars == nil {
		e.vars = make(map[string][]string)
	}
	if w.maybe > 0 {
		old, ok := e.lookup(name)
		if !ok {
			old = []string{w.fromOutside(name)}
		}
		values = union(old, values)
	}
	if len(values) > maxChoices {
		values = []string{unknownText}
	}
	e.vars[name] = values
	w.changes++
}

// setDirs gives the directories that may be the current one.
func (w *walker) setDirs(dirs []string) {
	if len(dirs) > maxChoices {
		w.unsure()
		dirs = []string{""}
	}
	if !slices.Equal(w.env.dirs, dirs) {
		w.env.dirs = dirs
		w.changes++
	}
}

// few returns the directories, or that they are not known where they are too many.
func few(dirs []string) []string {
	if len(dirs) > maxChoices {
		return []string{""}
	}
	return dirs
}

// union returns the members of both, each once, in order. It may return a itself.
func union(a, b []string) []string {
	if slices.Equal(a, b) {
		return a
	}
	out := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// fromOutside is the value that a variable has before the command sets it.
func (w *walker) fromOutside(name string) string {
	switch name {
	case "HOME":
		if w.ctx.Home != "" {
			return w.ctx.Home
		}
	case "PWD":
		if len(w.env.dirs) == 1 && absolute(w.env.dirs[0]) {
			return w.env.dirs[0]
		}
	case "OLDPWD":
		if absolute(w.ctx.Dir) {
			return w.ctx.Dir
		}
	case "TMPDIR", "TEMP", "TMP":
		return "/tmp"
	case "IFS":
		return " "
	}
	return unknownText
}
