package shell

import "strings"

// sed runs sed: a script may write files and run commands, and -i writes its
// operands.
func (w *walker) sed(c *call) stream {
	// -i takes a value only when it is attached, so that its letters are no options.
	p := parse(sedInPlace(c.args), c.takes, false)
	scripts := p.values("-e", "--expression")
	args := p.args
	if !p.has("-e", "-f", "--expression", "--file") && len(args) > 0 {
		scripts, args = args[:1], args[1:]
	}
	w.readAll(p.values("-f", "--file"))
	if p.has("-f", "--file") {
		w.unsure()
	}
	for _, s := range scripts {
		w.sedScript(s.s)
	}
	w.readAll(args)
	if p.has("--in-place") {
		w.writeAll(args)
	}
	return stream{there: true, web: w.in.web}
}

// sedInPlace spells out the option -i.
func sedInPlace(args []value) []value {
	out := make([]value, 0, len(args)+1)
	for _, v := range args {
		s := v.s
		if len(s) > 1 && s[0] == '-' && s[1] != '-' {
			flags := s[1:]
			if i := strings.IndexByte(flags, 'i'); i >= 0 && !strings.ContainsAny(flags[:i], "efl") {
				out = append(out, literal("--in-place"))
				if i > 0 {
					out = append(out, literal("-"+flags[:i]))
				}
				continue
			}
		}
		out = append(out, v)
	}
	return out
}

// sedScript looks for the commands of sed that write files or run commands: w, W
// and e, also behind s///.
func (w *walker) sedScript(s string) {
	if strings.IndexByte(s, unknownByte) >= 0 {
		w.unsure()
	}
	for i := 0; i < len(s); {
		i = sedAddress(s, i)
		if i >= len(s) {
			return
		}
		cmd := s[i]
		i++
		switch cmd {
		case 's', 'y':
			if i >= len(s) {
				return
			}
			delim := s[i]
			i = sedPast(s, i+1, delim)
			replacement := i
			i = sedPast(s, i, delim)
			for i < len(s) && strings.IndexByte("gpiImMew0123456789", s[i]) >= 0 {
				switch s[i] {
				case 'e':
					w.runText(s[replacement:max(replacement, i-1)], stream{there: true})
					w.opaque()
				case 'w':
					i = w.sedFile(s, i+1)
					continue
				}
				i++
			}
		case 'w', 'W':
			i = w.sedFile(s, i)
		case 'r', 'R':
			name, end := sedLine(s, i)
			w.readAll([]value{literal(strings.TrimSpace(name))})
			i = end
		case 'e':
			text, end := sedLine(s, i)
			if text = strings.TrimSpace(text); text == "" {
				w.opaque()
			} else {
				w.runText(text, stream{there: true})
			}
			i = end
		case 'a', 'i', 'c':
			_, i = sedLine(s, i)
		}
	}
}

// sedAddress returns where the command stands that follows the addresses at i.
func sedAddress(s string, i int) int {
	for i < len(s) {
		switch c := s[i]; {
		case c == '/':
			i = sedPast(s, i+1, '/')
		case c == '\\' && i+1 < len(s):
			i = sedPast(s, i+2, s[i+1])
		case strings.IndexByte(" \t\n;{}$,!+~0123456789IM", c) >= 0:
			i++
		default:
			return i
		}
	}
	return i
}

// sedPast returns where it goes on behind the next delimiter.
func sedPast(s string, i int, delim byte) int {
	for ; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case delim:
			return i + 1
		}
	}
	return len(s)
}

func sedLine(s string, i int) (string, int) {
	i = min(i, len(s))
	line, _, _ := strings.Cut(s[i:], "\n")
	return line, i + len(line)
}

func (w *walker) sedFile(s string, i int) int {
	name, end := sedLine(s, i)
	w.writeAll([]value{literal(strings.TrimSpace(name))})
	return end
}

// awk runs awk: a program may write files and run commands.
func (w *walker) awk(c *call) stream {
	p := parse(c.args, c.takes, false)
	args := p.args
	if p.has("-f") {
		for _, v := range p.values("-f") {
			for _, f := range w.paths(v) {
				w.runFile(f, nil, w.in)
			}
		}
	} else if len(args) > 0 {
		w.code("awk", args[0].s)
		args = args[1:]
	}
	for _, v := range args {
		if !strings.Contains(v.s, "=") {
			w.readAll([]value{v})
		}
	}
	if p.has("-i") {
		w.writeAll(args)
	}
	return stream{there: true, web: w.in.web}
}

// patch carries out a patch: what it changes stands in its text.
func (w *walker) patch(c *call) stream {
	p := parse(c.args, c.takes, false)
	run := func() stream {
		for _, v := range p.values("-i", "--input") {
			for _, f := range w.paths(v) {
				w.read(f)
				w.in = w.contents(f)
			}
		}
		w.writeAll(p.values("-o", "--output"))
		text := w.in
		if c.name == "apply_patch" && len(p.args) > 0 {
			text = textStream(p.args[0].s)
		} else if len(p.args) > 0 {
			w.writeAll(p.args[:1])
			for _, v := range p.args[1:] {
				for _, f := range w.paths(v) {
					w.read(f)
					text = w.contents(f)
				}
			}
		}
		w.patched(text)
		return stream{there: true}
	}
	if dirs := p.values("-d", "--directory"); len(dirs) > 0 {
		return w.apart(func() stream { w.cd(dirs); return run() })
	}
	return run()
}

// patched says which files a patch changes, or that any beneath the directory may be.
func (w *walker) patched(text stream) {
	found := false
	if text.known {
		for line := range strings.SplitSeq(text.text, "\n") {
			for _, mark := range patchMarks {
				name, ok := strings.CutPrefix(line, mark)
				if !ok {
					continue
				}
				name, _, _ = strings.Cut(strings.TrimSpace(name), "\t")
				if name == "/dev/null" || name == "" {
					continue
				}
				found = true
				if mark == "*** Delete File: " {
					for _, f := range w.paths(literal(name)) {
						w.remove(f)
					}
					continue
				}
				w.writeAll([]value{literal(name)})
				if _, after, ok := strings.Cut(name, "/"); ok && mark[0] != '*' {
					w.writeAll([]value{literal(after)}) // with -p1
				}
			}
		}
		if strings.IndexByte(text.text, unknownByte) < 0 && found {
			return
		}
	}
	w.unsure()
	w.writeAll(literals("."))
}

var patchMarks = []string{"+++ ", "--- ", "rename to ", "copy to ", "*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "}
