package shell

import "strings"

// The bytes that a value uses for itself. They are taken out of commands first.
const (
	unknownByte = 0
	splitByte   = 2
	unknownText = "\x00"
	splitText   = "\x02"
)

// value is a word after quoting and expansion. An unknown part of it is one
// unknownByte.
type value struct {
	s    string
	glob int // one past the place of the first character of a pattern; 0: no pattern
}

var unknownValue = value{s: unknownText}

func literal(s string) value { return value{s: s} }

// open reports whether a part of the word is not known.
func (v value) open() bool { return strings.IndexByte(v.s, unknownByte) >= 0 }

// option reports whether the word is surely an option.
func (v value) option() bool { return len(v.s) > 1 && v.s[0] == '-' }

func literals(words ...string) []value {
	out := make([]value, len(words))
	for i, s := range words {
		out[i] = literal(s)
	}
	return out
}

// join returns the words as one text, as "echo" and "eval" do.
func join(words []value) string {
	switch len(words) {
	case 0:
		return ""
	case 1:
		return words[0].s
	}
	var b strings.Builder
	for i, v := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(v.s)
		if b.Len() > maxText {
			return b.String()[:maxText] + unknownText
		}
	}
	return b.String()
}

// stream is what flows from one command into another.
type stream struct {
	there bool    // something flows: a pipe, a file, a text
	known bool    // text is exactly what flows
	text  string  // with unknownByte for parts that are not known
	names []value // the words that flow are these, or lie beneath them
	file  string  // it is what lies in this file
	web   bool    // part of it comes from the network
}

// textStream is a stream of a text that is known but for its unknown parts.
func textStream(s string) stream { return stream{there: true, known: true, text: s} }

// then returns what flows when b is written after a.
func (a stream) then(b stream) stream {
	if !a.there {
		return b
	}
	if !b.there {
		return a
	}
	out := stream{there: true, web: a.web || b.web}
	if a.known && b.known && len(a.text)+len(b.text) <= maxText {
		out.known, out.text = true, a.text+b.text
	}
	if len(a.names) > 0 && len(b.names) > 0 && len(a.names)+len(b.names) <= maxWords {
		out.names = append(append(make([]value, 0, len(a.names)+len(b.names)), a.names...), b.names...)
	}
	return out
}

// words returns the words that flow, as far as they can be told.
func (a stream) words() []value {
	switch {
	case len(a.names) > 0:
		return a.names
	case !a.known:
		return []value{unknownValue}
	}
	var out []value
	for f := range strings.FieldsSeq(a.text) {
		if len(out) == maxWords {
			return append(out, unknownValue)
		}
		out = append(out, literal(strings.Trim(f, `"'`)))
	}
	return out
}
