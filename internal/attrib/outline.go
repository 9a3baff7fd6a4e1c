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
