package shell

import (
	"path"
	"strings"
)

// code reads the text of a program in another language by its words: names that
// open the network, start programs, change files, or make code from text, and the
// strings that they are given. What the program computes is not known.
func (w *walker) code(lang, text string) {
	switch lang {
	case "":
		w.runText(text, stream{there: true})
		return
	case "powershell":
		w.apart(func() stream { w.powerShell(text); return stream{} })
		return
	}
	w.unsure()
	if !w.spend(8 * len(text)) {
		return
	}
	if strings.IndexByte(text, unknownByte) >= 0 {
		w.opaque()
	}
	r := codeReader{w: w, lang: lang}
	r.scan(text)
	r.conclude()
}

// codeReader reads one program.
type codeReader struct {
	w        *walker
	lang     string
	marks    mark
	last     mark   // of the name before
	strs     []code // strings, at most maxFound
	process  bool   // a module that starts programs is named
	fresh    bool   // the last name's first argument is not yet seen
	printing bool   // awk: within a print, where ">" writes
	group    int    // the last string continues a list of strings
}

// code is a string in a program.
type code struct {
	text   string
	after  mark // the name that it is the first argument of
	joined bool // it continues the list that the string before is in
	part   bool // something is appended to it
}

// scan tells names from strings. Comments are read as code, which can only add.
func (r *codeReader) scan(text string) {
	for i := 0; i < len(text); {
		c := text[i]
		r.printing = r.printing && c != ';' && c != '\n' && c != '{' && c != '}'
		switch {
		case c == '"' || c == '\'' || c == '`':
			i = r.str(text, i)
		case nameByte(c):
			start := i
			for i < len(text) && (nameByte(text[i]) || text[i] == '.' || text[i] == ':' || text[i] == '-' && r.lang == "perl") {
				i++
			}
			r.printing = r.printing || text[start:i] == "print" || text[start:i] == "printf"
			r.name(text[start:i])
		case c == '>' && r.lang == "awk" && r.printing: // elsewhere it compares
			r.marks |= markWrite
			r.last, r.fresh = markWrite, true
			i++
		case c == '|' && (r.lang == "awk" || r.lang == "perl"):
			if r.lang == "awk" && i+1 < len(text) && text[i+1] != '|' && (i == 0 || text[i-1] != '|') {
				r.marks |= markRun
				r.process = true
			}
			i++
		case c == ' ' || c == '\t' || c == '\n' || c == '(' || c == '[' || c == ',' || c == '\\':
			if c == ',' && len(r.strs) > 0 && r.group == 1 {
				r.group = 2
			}
			if c == ',' {
				r.called()
			}
			i++
		default:
			if c != '{' && c != '$' && c != '@' && c != '%' {
				r.called()
			}
			if (c == '+' || c == '%' || c == '.') && len(r.strs) > 0 && r.group > 0 {
				r.strs[len(r.strs)-1].part = true
			}
			r.group = 0
			i++
		}
	}
	r.called()
}

// called says that the last name's first argument, if it has one, is no string.
func (r *codeReader) called() {
	if r.fresh && r.last&markRun != 0 {
		r.w.opaque()
	}
	r.fresh, r.last = false, 0
}

func nameByte(c byte) bool {
	return c == '_' || c == '$' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || c >= 0x80
}

// name reads a name with its dots.
func (r *codeReader) name(s string) {
	r.group = 0
	if len(s) <= 3 && len(s) > 0 && strings.Trim(strings.ToLower(s), "fbru") == "" {
		return // the prefix of a string in Python
	}
	r.called()
	for part := range strings.FieldsFuncSeq(s, func(c rune) bool { return c == '.' || c == ':' }) {
		m := codeMarks()[part]
		if m&markModule != 0 {
			r.process = true
		}
		if m&markRunIfModule != 0 && r.process {
			m |= markRun
		}
		r.marks |= m
		r.last |= m
		if strings.HasPrefix(part, "$") && r.last&markRun != 0 {
			r.w.opaque()
		}
	}
	r.fresh = r.last != 0
}

// str reads a string and returns where it ends.
func (r *codeReader) str(text string, i int) int {
	quote := text[i]
	long := i+2 < len(text) && text[i+1] == quote && text[i+2] == quote && quote != '`'
	start := i + 1
	if long {
		start = i + 3
	}
	end := start
	for end < len(text) {
		if text[end] == '\\' {
			end += 2
			continue
		}
		if text[end] == quote && (!long || strings.HasPrefix(text[end:], text[i:i+3])) {
			break
		}
		end++
	}
	end = min(end, len(text))
	s := code{text: text[start:end], joined: r.group == 2}
	if r.fresh {
		s.after = r.last
	}
	if quote == '`' && r.lang != "node" { // runs a command
		r.marks |= markRun
		s.after |= markRun
	}
	r.fresh = false
	if len(r.strs) < maxFound {
		r.strs = append(r.strs, s)
	} else {
		r.w.opaque()
	}
	r.group = 1
	if long {
		return min(end+3, len(text))
	}
	return min(end+1, len(text))
}

// conclude says what the marks and the strings together mean.
func (r *codeReader) conclude() {
	w := r.w
	if r.marks&markDynamic != 0 {
		w.opaque()
	}
	if r.marks&markNet != 0 {
		w.does(shellNetwork)
	}
	for _, s := range r.strs {
		text := s.text
		switch {
		case writeMode(text, r.lang) && r.marks&markOpen != 0:
			r.marks |= markWrite
		case text == "base64" || text == "hex" || strings.Contains(text, "shell script"):
			w.opaque()
		}
		if address(text) && r.marks&(markNet|markRead|markOpen|markModule) != 0 {
			w.web(text)
		}
	}
	if r.marks&markNet != 0 {
		w.source("web", "")
	}
	if r.marks&markDestroy != 0 {
		w.does(shellDestroy)
	}
	if r.marks&markRun != 0 {
		r.commands()
	}
	if r.marks&(markOpen|markRead|markWrite|markRemove) != 0 {
		r.files()
	}
}

// writeMode reports whether a string is a mode of open that may write.
func writeMode(s, lang string) bool {
	if lang == "perl" && (strings.HasPrefix(s, ">") || strings.HasPrefix(s, "+")) {
		return true
	}
	return s != "" && len(s) <= 4 && strings.Trim(s, "rwaxbtU+c") == "" && strings.ContainsAny(s, "wax+c")
}

// commands reads the strings that may be commands.
func (r *codeReader) commands() {
	for i := 0; i < len(r.strs); {
		words := literals(r.strs[i].text)
		end := i + 1
		for end < len(r.strs) && r.strs[end].joined && end-i < maxWords {
			words = append(words, literal(r.strs[end].text))
			end++
		}
		s := r.strs[i]
		text := interpolated(s.text)
		if s.part {
			text += unknownText
		}
		first, _, _ := strings.Cut(strings.TrimLeft(text, " \t\n"), " ")
		switch {
		case end-i > 1 && known(words[0]):
			r.w.perhaps(func() stream { return r.w.apart(func() stream { return r.w.invoke(words) }) })
		case s.after&markRun != 0 || known(literal(first)) && first != "" || strings.Contains(first, "/") && s.after == 0:
			r.w.perhaps(func() stream { return r.w.apart(func() stream { return r.w.runText(text, stream{there: true}) }) })
		}
		i = end
	}
}

// interpolated marks what a string takes from variables as unknown.
func interpolated(s string) string {
	for _, open := range []string{"${", "#{", "{"} {
		if i := strings.Index(s, open); i >= 0 {
			if j := strings.IndexByte(s[i:], '}'); j > 0 {
				return s[:i] + unknownText + s[i+j+1:]
			}
		}
	}
	return s
}

// files reads the strings that may be paths.
func (r *codeReader) files() {
	changed := false
	for _, s := range r.strs {
		text := strings.TrimLeft(s.text, "<>+ ")
		direct := s.after&(markOpen|markWrite|markRemove) != 0
		if !direct && !pathLike(text) || address(s.text) || strings.ContainsAny(s.text, "\n\x00") || s.text == "" || writeMode(s.text, "") {
			continue
		}
		text = interpolated(text)
		if s.part {
			text += unknownText
		}
		v := r.w.lit(value{}, text, true)
		for _, p := range r.w.paths(v) {
			r.w.read(p)
			if r.marks&markWrite != 0 {
				changed = true
				r.w.write(p)
			}
			if r.marks&markRemove != 0 {
				changed = true
				r.w.remove(p)
				if r.marks&markDestroy != 0 {
					r.w.removesProject(v, []string{p})
				}
			}
		}
	}
	if changed {
		return
	}
	if r.marks&markWrite != 0 {
		r.w.writeAll([]value{unknownValue})
	}
	if r.marks&markRemove != 0 {
		r.w.remove("/")
	}
}

// pathLike reports whether a string looks like the path of a file.
func pathLike(s string) bool {
	if s == "" || len(s) > 1024 || strings.ContainsAny(s, " \t\n%{}()<>|;\"'$,") {
		return false
	}
	ext := path.Ext(s)
	return strings.Contains(s, "/") || len(ext) > 1 && len(ext) <= 8 || s[0] == '~' || s[0] == '.' && len(s) > 1
}
