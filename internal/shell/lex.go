package shell

import "strings"

// clause is one simple command of a text that is read by its words.
type clause struct {
	words   []value
	targets []value // of redirections
	piped   bool    // the clause before flows into it
}

// coarse reads a text that the parser does not take: every clause counts as a
// command, and quotes count for nothing, so that none can hide one.
func (w *walker) coarse(text string) {
	if !w.spend(4 * len(text)) {
		return
	}
	text = strings.NewReplacer(`"`, "", "'", "", `\`, "").Replace(text)
	var flow stream
	for _, c := range clauses(text, false) {
		if !c.piped {
			flow = stream{}
		}
		flow = w.clause(c, flow)
		if w.work < 0 {
			return
		}
	}
}

// clause runs one clause and returns what flows out of it.
func (w *walker) clause(c clause, in stream) stream {
	for _, t := range c.targets {
		w.output(t)
	}
	if len(c.words) == 0 {
		return stream{}
	}
	in.there = in.there || c.piped
	outer := w.in
	w.in = in
	for len(c.words) > 1 && keyword(c.words[0].s) {
		c.words = c.words[1:]
	}
	out := w.perhaps(func() stream { return w.invoke(c.words) })
	w.in = outer
	out.known = false
	out.web = out.web || in.web
	return out
}

func keyword(s string) bool {
	return opens(s) || s == "!" || s == "{" || s == "}" || s == "fi" || s == "done" || s == "esac" || strings.Contains(s, "=") && !strings.Contains(s, "/")
}

// clauses splits a text into clauses. With quotes, it is PowerShell: quotes hold
// words together, "`" quotes a character and "$" begins a variable.
func clauses(text string, quotes bool) []clause {
	var out []clause
	var cur clause
	var word strings.Builder
	begun, target, open := false, false, false
	flush := func() {
		if !begun {
			return
		}
		v := literal(word.String())
		if open {
			v = value{s: v.s + unknownText}
		}
		if i := strings.IndexAny(v.s, "*?"); i >= 0 && quotes {
			v.glob = i + 1
		}
		if target {
			cur.targets = append(cur.targets, v)
		} else {
			cur.words = append(cur.words, v)
		}
		word.Reset()
		begun, target, open = false, false, false
	}
	end := func(piped bool) {
		flush()
		target = false
		if len(cur.words)+len(cur.targets) > 0 {
			out = append(out, cur)
		}
		cur = clause{piped: piped}
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quotes && (c == '"' || c == '\''):
			begun = true
			for i++; i < len(text) && text[i] != c; i++ {
				switch {
				case c == '"' && text[i] == '`' && i+1 < len(text):
					i++
					word.WriteByte(text[i])
				case c == '"' && text[i] == '$':
					word.WriteByte(unknownByte)
					i += variable(text[i:]) - 1
				default:
					word.WriteByte(text[i])
				}
			}
		case quotes && c == '`' && i+1 < len(text):
			i++
			if text[i] != '\n' && text[i] != '\r' {
				begun = true
				word.WriteByte(text[i])
			}
		case quotes && c == '$':
			begun = true
			if n := variable(text[i:]); n > 1 {
				word.WriteByte(unknownByte)
				i += n - 1
			} else {
				open = true
			}
		case c == ' ' || c == '\t' || c == '\r' || quotes && c == ',':
			flush()
		case c == '|':
			end(i+1 >= len(text) || text[i+1] != '|')
		case c == '\n' || c == ';' || c == '(' || c == ')' || c == '{' || c == '}' || c == '`':
			end(false)
		case c == '&':
			if quotes && !begun && len(cur.words) == 0 { // the call operator
				continue
			}
			if i > 0 && (text[i-1] == '>' || text[i-1] == '<') || i+1 < len(text) && text[i+1] == '>' {
				continue
			}
			end(false)
		case c == '>':
			if s := word.String(); s == "1" || s == "2" || s == "*" {
				word.Reset()
				begun = false
			}
			flush()
			target = true
		case c == '<':
			flush()
		default:
			begun = true
			word.WriteByte(c)
		}
	}
	end(false)
	return out
}

// variable returns how long the variable is that begins with "$" at the beginning
// of s.
func variable(s string) int {
	n := 1
	if n < len(s) && s[n] == '{' {
		if i := strings.IndexByte(s, '}'); i > 0 {
			return i + 1
		}
		return n
	}
	for n < len(s) && (s[n] == '_' || s[n] == ':' || '0' <= s[n] && s[n] <= '9' || 'a' <= s[n]|0x20 && s[n]|0x20 <= 'z') {
		n++
	}
	return n
}
