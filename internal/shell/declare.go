package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// assign carries out an assignment.
func (w *walker) assign(a *syntax.Assign) {
	if a.Index != nil {
		w.nested(a.Index)
	}
	if a.Array != nil {
		for _, elem := range a.Array.Elems {
			if elem.Index != nil {
				w.nested(elem.Index)
			}
			if elem.Value != nil {
				w.text(elem.Value)
			}
		}
	}
	if a.Name == nil {
		if a.Value != nil {
			w.unsure()
			w.text(a.Value)
		}
		return
	}
	if a.Naked {
		return
	}
	if a.Array != nil || a.Index != nil {
		w.set(a.Name.Value, []string{unknownText})
		if a.Value != nil {
			w.text(a.Value)
		}
		return
	}
	values := plainTexts(w.text(a.Value))
	if len(values) > maxChoices {
		values = []string{unknownText}
	}
	if a.Append {
		old, _ := w.parameter(a.Name.Value)
		var joined []string
		for _, o := range old {
			for _, v := range values {
				if s := o.s + v; len(s) <= maxValue && w.spend(len(s)) {
					joined = append(joined, s)
				} else {
					joined = append(joined, unknownText)
				}
			}
		}
		values = joined
	}
	w.set(a.Name.Value, values)
	w.steering(a.Name.Value, values)
}

// declare carries out export, declare, local, readonly and typeset.
func (w *walker) declare(d *syntax.DeclClause) {
	for _, a := range d.Args {
		if a.Naked && a.Name == nil && a.Value != nil && strings.HasPrefix(a.Value.Lit(), "-") {
			continue
		}
		w.assign(a)
	}
}

// steering reads a variable by which programs choose what they run or load.
func (w *walker) steering(name string, values []string) {
	kind, ok := steeringVars[name]
	if !ok && strings.HasPrefix(name, "GIT_CONFIG_") {
		kind, ok = steersUnread, true
	}
	if !ok {
		return
	}
	for _, v := range values {
		switch kind {
		case steersCommand:
			if v != "" {
				w.perhaps(func() stream { return w.apart(func() stream { return w.runText(v, stream{there: true}) }) })
			}
		case steersFile:
			if strings.Contains(v, "/") || strings.Contains(v, unknownText) {
				for _, p := range w.paths(literal(v)) {
					w.runFile(p, nil, stream{there: true})
				}
			}
		case steersPath:
			w.searchPath(v)
		case steersOptions:
			if strings.Contains(v, "-r") || strings.Contains(v, "--import") || strings.Contains(v, "-M") || strings.Contains(v, "-I") || strings.Contains(v, unknownText) {
				w.opaque()
			}
		default:
			w.opaque()
		}
	}
}

// searchPath reads a list of directories in which programs are looked for.
func (w *walker) searchPath(list string) {
	for dir := range strings.SplitSeq(list, ":") {
		if dir == "" || dir == unknownText {
			continue
		}
		for _, p := range w.paths(literal(dir)) {
			if w.untrusted(p) || w.temporary(p) {
				w.does(shellUntrusted)
			}
		}
	}
}

type steer uint8

const (
	steersUnread  steer = iota // cannot be read here
	steersCommand              // is a command
	steersFile                 // is a program's file
	steersPath                 // is a list of directories
	steersOptions              // holds options that may load a file
)

var steeringVars = map[string]steer{
	"EDITOR": steersCommand, "VISUAL": steersCommand, "GIT_EDITOR": steersCommand, "GIT_SEQUENCE_EDITOR": steersCommand,
	"PAGER": steersCommand, "GIT_PAGER": steersCommand, "MANPAGER": steersCommand, "BROWSER": steersCommand,
	"GIT_SSH_COMMAND": steersCommand, "GIT_SSH": steersCommand, "GIT_EXTERNAL_DIFF": steersCommand, "GIT_ASKPASS": steersCommand,
	"SSH_ASKPASS": steersCommand, "GIT_PROXY_COMMAND": steersCommand, "PROMPT_COMMAND": steersCommand, "LESSOPEN": steersCommand,
	"LESSCLOSE": steersCommand, "RSYNC_RSH": steersCommand, "TAR_OPTIONS": steersUnread,
	"BASH_ENV": steersFile, "ENV": steersFile, "PYTHONSTARTUP": steersFile, "LD_PRELOAD": steersFile, "DYLD_INSERT_LIBRARIES": steersFile,
	"PATH": steersPath, "PYTHONPATH": steersPath, "NODE_PATH": steersPath, "LD_LIBRARY_PATH": steersPath, "PERL5LIB": steersPath, "RUBYLIB": steersPath,
	"NODE_OPTIONS": steersOptions, "PERL5OPT": steersOptions, "RUBYOPT": steersOptions, "JAVA_TOOL_OPTIONS": steersUnread,
}
