package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// expansion is the reading of one word.
type expansion struct {
	alts  []value // what it may be, each not yet split
	chose bool    // several because a variable may have several values, not by braces
	soft  bool    // it has an unquoted expansion and nothing quoted, so that it may vanish
}

// words expands words as the arguments of a command. Where the first word may be
// several things of which only one is there, those are the first result.
func (w *walker) words(list []*syntax.Word) (heads [][]value, out []value) {
	out = make([]value, 0, len(list))
	for i, word := range list {
		x := w.expand(word)
		if i == 0 && x.chose {
			for _, v := range x.alts[:min(len(x.alts), maxChoices)] {
				heads = append(heads, appendFields(nil, v, x.soft))
			}
			if len(x.alts) > maxChoices {
				w.opaque()
			}
			continue
		}
		for _, v := range x.alts {
			if len(out) > maxFound {
				w.opaque()
				return heads, out
			}
			if out = appendFields(out, v, x.soft); !w.spend(perWord) {
				return heads, out
			}
		}
	}
	return heads, out
}

// items expands words of which each is there.
func (w *walker) items(list []*syntax.Word) []value {
	heads, out := w.words(list)
	for _, head := range heads {
		out = append(out, head...)
	}
	return out
}

// appendFields splits a word where an unquoted expansion brought white space.
func appendFields(out []value, v value, soft bool) []value {
	if v.s == "" && soft {
		return out
	}
	if strings.IndexByte(v.s, splitByte) < 0 {
		return append(out, v)
	}
	at := 0
	for f := range strings.SplitSeq(v.s, splitText) {
		if f != "" {
			part := literal(f)
			if v.glob > at && v.glob-at <= len(f) {
				part.glob = v.glob - at
			}
			out = append(out, part)
		}
		at += len(f) + 1
	}
	return out
}

// text expands a word that stays one, such as a file name or a value.
func (w *walker) text(word *syntax.Word) []value {
	if word == nil {
		return []value{{}}
	}
	x := w.expand(word)
	for i := range x.alts {
		x.alts[i].s = strings.ReplaceAll(x.alts[i].s, splitText, " ")
	}
	return x.alts
}

// one expands a word of which only one meaning is of use.
func (w *walker) one(word *syntax.Word) value {
	if alts := w.text(word); len(alts) == 1 {
		return alts[0]
	}
	return unknownValue
}

func (w *walker) expand(word *syntax.Word) expansion {
	if len(word.Parts) == 1 { // most words are one literal
		if lit, ok := word.Parts[0].(*syntax.Lit); ok && strings.IndexByte(lit.Value, '{') < 0 {
			return expansion{alts: []value{w.lit(value{}, lit.Value, true)}}
		}
	}
	braces := 0
	for _, part := range word.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			braces += strings.Count(lit.Value, "{")
		}
	}
	if braces > maxDepth {
		w.opaque()
		w.nested(word)
		return expansion{alts: []value{unknownValue}}
	}
	if braces > 0 {
		word = &syntax.Word{Parts: slices.Clone(word.Parts)}
		syntax.SplitBraces(word)
	}
	x := expansion{alts: []value{{}}, soft: true}
	w.parts(&x, word.Parts)
	return x
}

func (w *walker) parts(x *expansion, parts []syntax.WordPart) {
	for i, part := range parts {
		switch part := part.(type) {
		case *syntax.Lit:
			x.soft = false
			for j, v := range x.alts {
				x.alts[j] = w.lit(v, part.Value, i == 0 && v.s == "")
			}
		case *syntax.SglQuoted:
			x.soft = false
			s := part.Value
			if part.Dollar {
				s = ansiC(s)
			}
			w.append(x, []value{literal(s)})
		case *syntax.DblQuoted:
			x.soft = x.soft && len(part.Parts) == 1 && listed(part.Parts[0])
			w.quoted(x, part.Parts, false)
		case *syntax.ExtGlob:
			x.soft = false
			w.append(x, []value{{s: "*", glob: 1}})
		case *syntax.BraceExp:
			x.soft = false
			w.braces(x, part)
		default:
			w.append(x, splitFields(w.dynamic(x, part)))
		}
	}
}

// quoted appends what stands in double quotes or in a here-document.
func (w *walker) quoted(x *expansion, parts []syntax.WordPart, heredoc bool) {
	for _, part := range parts {
		if lit, ok := part.(*syntax.Lit); ok {
			w.append(x, []value{literal(unescapeQuoted(lit.Value, heredoc))})
			continue
		}
		w.append(x, w.dynamic(x, part))
	}
}

// append puts each choice behind each alternative.
func (w *walker) append(x *expansion, choices []value) {
	if len(choices) == 0 {
		choices = []value{{}}
	}
	if len(x.alts)*len(choices) > maxWords {
		w.unsure()
		choices = []value{unknownValue}
		if len(x.alts) > maxWords/2 {
			x.alts = x.alts[:1]
			x.alts[0] = unknownValue
		}
	}
	out := make([]value, 0, len(x.alts)*len(choices))
	for _, a := range x.alts {
		for _, c := range choices {
			if len(a.s)+len(c.s) > maxValue || !w.spend(len(a.s)+len(c.s)) {
				out = append(out, value{s: a.s + unknownText, glob: a.glob})
				continue
			}
			glob := a.glob
			if glob == 0 && c.glob > 0 {
				glob = len(a.s) + c.glob
			}
			out = append(out, value{s: a.s + c.s, glob: glob})
		}
	}
	x.alts = out
}

func (w *walker) braces(x *expansion, b *syntax.BraceExp) {
	if b.Sequence {
		w.append(x, []value{unknownValue})
		return
	}
	var choices []value
	for _, elem := range b.Elems {
		part := expansion{alts: []value{{}}}
		w.parts(&part, elem.Parts)
		choices = append(choices, part.alts...)
	}
	w.append(x, choices)
}

// dynamic returns what an expansion may be.
func (w *walker) dynamic(x *expansion, part syntax.WordPart) []value {
	switch part := part.(type) {
	case *syntax.ParamExp:
		choices := w.param(part)
		x.chose = x.chose || len(choices) > 1 && !listed(part)
		return choices
	case *syntax.CmdSubst:
		out := w.subshell(part.Stmts, w.in)
		return []value{out.substituted()}
	case *syntax.ProcSubst:
		if part.Op == syntax.CmdOut {
			w.subshell(part.Stmts, stream{there: true})
			return []value{literal("/dev/fd/63")}
		}
		w.fed = w.subshell(part.Stmts, stream{})
		return []value{literal("/dev/fd/63")}
	}
	w.nested(part)
	return []value{unknownValue}
}

// substituted is the word that a command's output becomes.
func (s stream) substituted() value {
	if s.known && len(s.text) <= maxValue {
		return literal(strings.TrimRight(s.text, "\n"))
	}
	if len(s.names) == 1 {
		v := s.names[0]
		if v.open() || v.glob > 0 {
			return v
		}
		return value{s: v.s + "/" + unknownText}
	}
	return unknownValue
}

// nested runs the commands within a node that is not read itself.
func (w *walker) nested(node syntax.Node) {
	if node == nil {
		return
	}
	syntax.Walk(node, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			w.subshell(n.Stmts, w.in)
			return false
		case *syntax.ProcSubst:
			w.subshell(n.Stmts, stream{there: n.Op == syntax.CmdOut})
			return false
		}
		return true
	})
}

// splitFields marks the white space that splits an unquoted expansion into words.
func splitFields(choices []value) []value {
	for i, c := range choices {
		if strings.ContainsAny(c.s, " \t\n") {
			choices[i].s = strings.NewReplacer(" ", splitText, "\t", splitText, "\n", splitText).Replace(c.s)
		}
		if c.glob == 0 {
			choices[i].glob = strings.IndexAny(c.s, "*?[") + 1
		}
	}
	return choices
}
