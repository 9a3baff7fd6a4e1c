package attrib

import "strings"

// sentences cuts the body of a line.
func (o *outline) sentences(body string, g lead) {
	inline := g
	for len(body) > 0 {
		n, end := sentenceEnd(body)
		s := body[:n]
		body = strings.TrimSpace(body[n:])
		void := o.quotes(s)
		o.left = o.left || void
		tokens := unframe(s, o.turn)
		if len(tokens) > 0 {
			c := clause{tokens: tokens, end: end, void: void, paragraph: o.paragraph, lead: inline.tokens, labelled: inline.labelled}
			o.clauses = append(o.clauses, c)
		}
		if end != ';' {
			inline = g
		} else if i := lastColon(tokens); i >= 0 && !announces(tokens[:i]) {
			inline = lead{tokens: append(append(append([]string{}, g.tokens...), tokens[:i+1]...), breakMark)}
		}
	}
}

func lastColon(tokens []string) int {
	for i := len(tokens) - 1; i >= 0; i-- {
		if tokens[i] == colon {
			return i
		}
	}
	return -1
}

// sentenceEnd returns where the first sentence of s ends, past its mark, and the mark.
func sentenceEnd(s string) (n int, end byte) {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '.', '!', '?', ';':
		default:
			continue
		}
		j, mark := i, s[i]
		for j < len(s) && strings.IndexByte(".!?;", s[j]) >= 0 {
			if s[j] == '?' {
				mark = '?'
			}
			j++
		}
		k := j
		for k < len(s) && strings.IndexByte(`)]}"'*_`+"`", s[k]) >= 0 {
			k++
		}
		if k < len(s) && s[k] != ' ' && s[k] != '\t' {
			i = j - 1
			continue
		}
		if k < len(s) && (s[i] == '.' && j == i+1 && abbreviated(s[:i]) || strings.Trim(s[i:j], ".") == "" && j > i+1) {
			i = j - 1 // a pause is no end: "under no circumstances ... deploy"
			continue
		}
		return k, mark
	}
	return len(s), 0
}

// abbreviated reports whether the point after s ends no sentence.
func abbreviated(s string) bool {
	w := s[strings.LastIndexAny(s, " \t(")+1:]
	if len(w) == 1 && w[0]|0x20 >= 'a' && w[0]|0x20 <= 'z' {
		return true
	}
	return abbreviations[strings.ToLower(w)]
}

// quotes follows quotation marks through s, and reports whether any part is quoted.
func (o *outline) quotes(s string) bool {
	void := o.quoted || o.single
	for i := range len(s) {
		switch s[i] {
		case '"':
			o.quoted = !o.quoted
			void = true
		case '\'':
			opens := (i == 0 || strings.IndexByte(" \t([{", s[i-1]) >= 0) && i+1 < len(s) && s[i+1] != ' '
			closes := i+1 == len(s) || !wordByte(s[i+1])
			if !o.single && opens {
				o.single, void = true, true
			} else if o.single && closes {
				o.single = false
			}
		}
	}
	return void
}

func wordByte(c byte) bool { return byteClass[c|0x20] == letter || byteClass[c] == digit || c >= 0x80 }
