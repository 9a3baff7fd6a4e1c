package attrib

import "strings"

// Bounds of what a person types, or a memory holds. What is beyond them is a paste.
const (
	mostLine    = 400     // bytes of a line
	mostTurn    = 2 << 10 // bytes
	mostText    = 8 << 10 // bytes of a text that is asked about
	mostLines   = 100
	mostClauses = 256
)

// clause is a part of a text that can say something by itself.
type clause struct {
	tokens    []string // as lexed: before persons and articles are folded
	lead      []string // what governs it: the line that its list hangs on, its heading
	labelled  bool     // its lead is a label for preferences
	end       byte     // what ended it: one of . ! ? ; or 0 for the end of the line
	paragraph int
	last      bool // on its line
	question  bool
	void      bool // nobody's: quoted, reported, qualified, unfinished
}

// outline is a text cut into clauses.
type outline struct {
	turn    bool // of a turn, not of a text that is asked about
	clauses []clause
	left    bool // parts were left out: quotations, code, pastes
	report  bool // someone else's words are reported

	paragraph      int
	quoted, single bool // inside quotation marks
	heading        lead
	block          lead // the line that a list hangs on
	open           lead // a lead that ended in a colon, over the lines of openAt
	openAt         int  // paragraph
	stack          []nest
}

// lead is what governs the clauses after it.
type lead struct {
	tokens   []string
	labelled bool
}

// nest is a list item that deeper ones hang on.
type nest struct {
	indent int
	lead
}

// cut cuts a text into clauses. It reports false where the text as a whole is nobody's.
func cut(text string, turn bool) (*outline, bool) {
	if len(text) > mostText || turn && len(text) > mostTurn {
		return nil, false
	}
	s, ok := plain(text)
	if !ok || strings.Count(s, "\n") > mostLines {
		return nil, false
	}
	o := &outline{turn: turn}
	o.lines(s)
	if len(o.clauses) > mostClauses {
		return nil, false
	}
	if o.quoted || o.single {
		o.left = true
	}
	o.judge()
	return o, true
}

func (o *outline) lines(s string) {
	fence, quote, after := "", false, true
	var pending []string // lines that go on in the next
	turned := false      // a negation or condition stands in them
	var at line
	flush := func() {
		if len(pending) > 0 {
			o.line(at, strings.Join(pending, " "))
		}
		pending, turned = pending[:0], false
	}
	for raw := range strings.SplitSeq(strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n").Replace(s), "\n") {
		trimmed := strings.TrimSpace(raw)
		if fence != "" {
			if strings.HasPrefix(trimmed, fence) {
				fence = ""
			}
			continue
		}
		if mark := fenceMark(trimmed); mark != "" {
			flush()
			fence, o.left = mark, true
			continue
		}
		if trimmed == "" {
			flush()
			quote, after = false, true
			o.paragraph++
			continue
		}
		l := lineOf(raw)
		code := after && l.indent >= 4 && !l.item && len(o.stack) == 0
		quote = quote && !l.item || strings.HasPrefix(trimmed, ">")
		if quote || code || len(raw) > mostLine {
			flush()
			o.left = true
			continue
		}
		after = false
		if l.body == "" { // a rule, or a mark without anything
			flush()
			continue
		}
		if n := len(pending); n > 0 && (l.item || l.heading || !wraps(pending[n-1], l.body, &turned)) {
			flush()
		}
		if len(pending) == 0 {
			at = l
		}
		pending = append(pending, l.body)
	}
	flush()
}

func fenceMark(s string) string {
	for _, m := range []string{"```", "~~~"} {
		if strings.HasPrefix(s, m) {
			return m
		}
	}
	return ""
}

// wraps reports whether a sentence goes on from one line to the next, so that the
// second alone could say the contrary of both. It notes in turned whether a negation or a
// condition stands in the sentence so far.
func wraps(line, next string, turned *bool) bool {
	last := line[len(line)-1]
	if strings.IndexByte(".!?;:", last) >= 0 {
		return false
	}
	tokens := lex(line)
	for _, t := range tokens {
		*turned = *turned || turning[t]
	}
	switch {
	case len(tokens) == 0:
		return false
	case last == ',', openEnd[tokens[len(tokens)-1]]:
		return true
	case next[0] >= 'A' && next[0] <= 'Z':
		return false
	}
	return len(line) >= 40 || *turned
}

// line is one line without what marks its place.
type line struct {
	indent        int
	item, heading bool
	body          string
}

func lineOf(raw string) line {
	var l line
	i := 0
	for ; i < len(raw) && (raw[i] == ' ' || raw[i] == '\t'); i++ {
		l.indent++
		if raw[i] == '\t' {
			l.indent += 3
		}
	}
	s := strings.TrimSpace(raw)
	if rest := strings.TrimLeft(s, "#"); rest != s && (rest == "" || rest[0] == ' ') {
		l.heading, s = true, strings.TrimSpace(rest)
	} else if n := bullet(s); n > 0 {
		l.item, s = true, strings.TrimSpace(s[n:])
	}
	if rule := strings.Trim(s, "-*_= "); rule == "" {
		s = ""
	}
	l.body = s
	return l
}

// bullet returns the length of the mark of a list item at the start of s: a sign,
// or a number or letter with a point or bracket, and a space.
func bullet(s string) int {
	for _, sign := range []string{"- ", "* ", "+ ", "• ", "•"} {
		if strings.HasPrefix(s, sign) {
			return len(sign)
		}
	}
	i := 0
	if s != "" && s[0] == '(' {
		i++
	}
	start := i
	for i < len(s) && i-start < 2 && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	if i == start && i < len(s) && (s[i]|0x20 >= 'a' && s[i]|0x20 <= 'z') {
		i++
	}
	if i > start && i+1 < len(s) && (s[i] == '.' || s[i] == ')') && s[i+1] == ' ' {
		return i + 2
	}
	return 0
}

// line cuts one line and keeps track of what governs what.
func (o *outline) line(l line, body string) {
	if l.heading {
		o.heading, o.block, o.open, o.stack = lead{}, lead{}, lead{}, nil
	}
	switch {
	case l.item:
		for len(o.stack) > 0 && o.stack[len(o.stack)-1].indent >= l.indent {
			o.stack = o.stack[:len(o.stack)-1]
		}
	case l.indent == 0 || len(o.stack) == 0:
		o.stack = nil
		switch {
		case endsOpen(o.block.tokens):
			o.open, o.openAt = o.block, o.paragraph
		case o.openAt == o.paragraph:
			o.block = o.open
		default:
			o.block, o.open = lead{}, lead{}
		}
	}
	first := len(o.clauses)
	governor := o.governor()
	o.sentences(body, governor)
	if len(o.clauses) == first {
		return
	}
	o.clauses[len(o.clauses)-1].last = true
	here := leadOf(o.clauses[first:], o.clauses[first].lead)
	switch {
	case l.heading:
		o.heading = here
	case l.item:
		o.stack = append(o.stack, nest{l.indent, here})
	default:
		o.block = here
	}
}

// governor returns what governs a clause here.
func (o *outline) governor() lead {
	if n := len(o.stack); n > 0 {
		return o.stack[n-1].lead
	}
	if len(o.block.tokens) > 0 || o.block.labelled {
		return o.block
	}
	return o.heading
}

// leadOf returns the lead that the clauses of a line make, which are themselves governed
// by above: none where they only announce what follows.
func leadOf(line []clause, above []string) lead {
	last := &line[len(line)-1]
	var l lead
	framed := true
	for i := range line {
		framed = framed && announces(line[i].tokens)
	}
	if framed && len(above) == 0 {
		l.labelled = labelsPreference(last.tokens)
		return l
	}
	l.tokens = append(l.tokens, above...)
	for i := range line {
		l.tokens = append(l.tokens, line[i].tokens...)
		l.tokens = append(l.tokens, breakMark)
	}
	return l
}

// endsOpen reports whether a lead ends in a colon or says nothing by itself, so that
// it governs the paragraph after it, too.
func endsOpen(lead []string) bool {
	n := len(lead)
	if n < 2 {
		return false
	}
	return lead[n-2] == colon || !hasContent(lead)
}

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
