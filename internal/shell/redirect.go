package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// redirect carries out a redirection and returns the files that the command's
// output goes to.
func (w *walker) redirect(r *syntax.Redirect) []string {
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		w.in = textStream(w.heredoc(r))
		return nil
	case syntax.WordHdoc:
		w.in = textStream(w.one(r.Word).s + "\n")
		return nil
	}
	var out []string
	for _, v := range w.text(r.Word) {
		switch r.Op {
		case syntax.RdrIn, syntax.DplIn:
			if r.Op == syntax.DplIn && descriptor(v.s) {
				continue
			}
			w.input(v)
		case syntax.RdrInOut:
			w.input(v)
			w.output(v)
		default:
			if r.Op == syntax.DplOut && descriptor(v.s) {
				continue
			}
			paths := w.output(v)
			if r.N == nil || r.N.Value == "1" {
				out = append(out, paths...)
			}
		}
	}
	return out
}

// heredoc returns the text of a here-document.
func (w *walker) heredoc(r *syntax.Redirect) string {
	if r.Hdoc == nil {
		return ""
	}
	x := expansion{alts: []value{{}}}
	quoted := quotedWord(r.Word)
	var b strings.Builder
	for _, part := range r.Hdoc.Parts {
		s := unknownText
		if lit, ok := part.(*syntax.Lit); ok {
			s = lit.Value
			if !quoted {
				s = unescapeQuoted(s, true)
			}
		} else if choices := w.dynamic(&x, part); len(choices) == 1 {
			s = choices[0].s
		}
		b.WriteString(s)
	}
	text := b.String()
	if r.Op == syntax.DashHdoc {
		lines := strings.Split(text, "\n")
		for i, line := range lines {
			lines[i] = strings.TrimLeft(line, "\t")
		}
		text = strings.Join(lines, "\n")
	}
	if len(text) > maxText || !w.spend(len(text)) {
		return unknownText
	}
	return text
}

func quotedWord(word *syntax.Word) bool {
	for _, part := range word.Parts {
		switch part := part.(type) {
		case *syntax.SglQuoted, *syntax.DblQuoted:
			return true
		case *syntax.Lit:
			if strings.IndexByte(part.Value, '\\') >= 0 {
				return true
			}
		}
	}
	return false
}

// input opens a file as the command's input.
func (w *walker) input(v value) {
	w.in = stream{there: true}
	if v.s == "/dev/fd/63" {
		w.in = w.fed
		w.in.there = true
		return
	}
	if host, ok := networkDevice(v.s); ok {
		w.web(host)
		w.in.web = true
		return
	}
	for _, p := range w.paths(v) {
		w.read(p)
		w.in = w.contents(p)
	}
}

// output opens a file for what the command writes.
func (w *walker) output(v value) []string {
	if host, ok := networkDevice(v.s); ok {
		w.web(host)
		w.does(dataExport)
		return nil
	}
	paths := w.paths(v)
	for _, p := range paths {
		w.write(p)
	}
	return paths
}

// contents is what lies in a file, as far as the command wrote it itself.
func (w *walker) contents(p string) stream {
	if s, ok := w.written[p]; ok {
		s.file, s.there = p, true
		return s
	}
	return stream{there: true, file: p}
}

// networkDevice returns the host of /dev/tcp/host/port.
func networkDevice(s string) (string, bool) {
	for _, prefix := range []string{"/dev/tcp/", "/dev/udp/"} {
		if rest, ok := strings.CutPrefix(s, prefix); ok {
			host, _, _ := strings.Cut(rest, "/")
			return host, true
		}
	}
	return "", false
}

// descriptor reports whether the target of ">&" is an open file or its closing.
func descriptor(s string) bool { return s != "" && strings.Trim(s, "0123456789-") == "" }
