package shell

import (
	"slices"
	"strings"
)

// find runs find and fd: their roots are read, and what they find may be deleted or
// given to a command.
func (w *walker) find(c *call) stream {
	if c.name != "find" {
		return w.fd(c)
	}
	args := c.args
	for len(args) > 0 && args[0].option() && (args[0].s == "-H" || args[0].s == "-L" || args[0].s == "-P") {
		args = args[1:]
	}
	n := slices.IndexFunc(args, func(v value) bool { return v.option() || v.s == "(" || v.s == "!" })
	if n < 0 {
		n = len(args)
	}
	roots, tests := args[:n], args[n:]
	if len(roots) == 0 {
		roots = literals(".")
	}
	w.readAll(roots)
	filtered := false
	for i := 0; i < len(tests); i++ {
		switch s := tests[i].s; s {
		case "-delete":
			w.does(shellDestroy)
			w.deletes(roots, filtered)
		case "-exec", "-execdir", "-ok", "-okdir":
			end := slices.IndexFunc(tests[i+1:], func(v value) bool { return v.s == ";" || v.s == "+" })
			if end < 0 {
				end = len(tests) - i - 1
			}
			w.each(tests[i+1:i+1+end], roots, "{}")
			i += end + 1
		case "-fprint", "-fprint0", "-fls", "-fprintf":
			if i+1 < len(tests) {
				w.writeAll(tests[i+1 : i+2])
			}
			i++
		case "-name", "-iname", "-path", "-regex", "-newer", "-mtime", "-mmin", "-size", "-empty", "-perm", "-user":
			filtered = true
		}
	}
	return stream{there: true, names: beneathAll(roots)}
}

// deletes says what "find roots -delete" deletes.
func (w *walker) deletes(roots []value, filtered bool) {
	for _, v := range roots {
		paths := w.paths(v)
		for _, p := range paths {
			w.remove(p)
		}
		if !filtered {
			w.removesProject(v, paths)
		}
	}
	w.unsure()
}

func (w *walker) fd(c *call) stream {
	args, command := c.args, []value(nil)
	if i := slices.IndexFunc(args, func(v value) bool {
		return v.s == "-x" || v.s == "-X" || v.s == "--exec" || v.s == "--exec-batch"
	}); i >= 0 {
		args, command = args[:i], args[i+1:]
	}
	p := parse(args, " -e -E -t -d -g --extension --exclude --type --max-depth ", false)
	roots := literals(".")
	if len(p.args) > 1 {
		roots = p.args[1:]
	}
	w.readAll(roots)
	if len(command) > 0 {
		w.each(command, roots, "{}")
	}
	return stream{there: true, names: beneathAll(roots)}
}

// each runs a command for each of the files beneath the roots. Where the command
// does not say where a file goes, it goes last.
func (w *walker) each(command, roots []value, place string) {
	var args []value
	placed := false
	for _, v := range command {
		if !strings.Contains(v.s, place) {
			args = append(args, v)
			continue
		}
		placed = true
		for _, r := range beneathAll(roots) {
			args = append(args, value{s: strings.ReplaceAll(v.s, place, r.s)})
		}
	}
	if !placed && place == "" {
		args = append(args, beneathAll(roots)...)
	}
	if len(args) > maxFound {
		w.opaque()
		return
	}
	in := w.in
	w.in = stream{there: true}
	w.perhaps(func() stream { return w.apart(func() stream { return w.invoke(args) }) })
	w.in = in
}

// beneathAll are words for what lies beneath the roots.
func beneathAll(roots []value) []value {
	out := make([]value, 0, len(roots))
	for _, v := range roots {
		s, _ := v.literalPath()
		if s == "" && v.glob > 0 {
			s = "."
		}
		if s != "" && !strings.HasSuffix(s, "/") {
			s += "/"
		}
		out = append(out, literal(s+unknownText))
	}
	return out
}

// xargs runs the command that its arguments are, with what flows in.
func (w *walker) xargs(c *call) stream {
	rest, p := leading(c.args, c.takes, false, 0)
	place := ""
	if v := append(p.values("-I", "-J", "--replace"), p.values("-i")...); len(v) > 0 {
		place = v[0].s
	} else if p.has("-i", "-I", "--replace") {
		place = "{}"
	}
	words := w.in.words()
	if v := p.values("-a", "--arg-file"); len(v) > 0 {
		w.readAll(v)
		words = []value{unknownValue}
	}
	if len(rest) == 0 {
		if c.name == "parallel" {
			w.opaque()
		}
		return stream{there: true, web: w.in.web}
	}
	var args []value
	for _, v := range rest {
		if place != "" && strings.Contains(v.s, place) || c.name == "parallel" && strings.Contains(v.s, "{}") {
			mark := place
			if mark == "" {
				mark = "{}"
			}
			for _, in := range words[:min(len(words), maxChoices*2)] {
				args = append(args, value{s: strings.ReplaceAll(v.s, mark, in.s)})
			}
			if len(words) > maxChoices*2 {
				args = append(args, value{s: strings.ReplaceAll(v.s, mark, unknownText)})
			}
			continue
		}
		args = append(args, v)
	}
	if place == "" {
		args = append(args, words...)
	}
	web := w.in.web
	in := w.in
	w.in = stream{there: true, web: web}
	if c.name == "parallel" && len(rest) == 1 {
		w.runText(args[0].s, w.in)
	}
	out := w.perhaps(func() stream { return w.apart(func() stream { return w.invoke(args) }) })
	w.in = in
	out.web = out.web || web
	return out
}
