package mark

// HasMarkers reports whether text bears what looks like a marker around external
// text, or a boundary between the turns of a conversation: this package's own
// markers and notices, or the forms that other programs and models use, such as
// <<<EXTERNAL_UNTRUSTED_CONTENT>>>, [BEGIN UNTRUSTED DATA] or <|im_start|>. Such a
// text passed through a frame on its way, or pretends to have, and counts as
// external. The time is linear in the length of the text.
func HasMarkers(text string) bool {
	for at := candidate(text, 0); at < len(text); {
		end, kind := opening(text, at)
		if kind == bracketKind && framed(text[at:end], text[end:]) {
			return true
		}
		at = candidate(text, max(end, at+1))
	}
	return false
}

// bracketing is the least that the opening of a marker has; each form has what
// the ones before it have.
type bracketing uint8

const (
	anyBracket bracketing = iota
	oneAngle              // <
	twoAngles             // <<
)

// frames are what may follow the bracket of a marker, without spaces and
// punctuation. Forms that honest text has in plainer brackets, a link of Markdown
// or a type parameter, count only in those that it does not use. Where closer is
// set the word must end there: "[INST]" is a marker, "[install]" is none.
var frames = []struct {
	words  string
	open   bracketing
	closer byte
}{
	{"hearsayexternal", anyBracket, 0}, {"hearsayunverified", anyBracket, 0},
	{"externaluntrusted", anyBracket, 0}, {"beginexternal", anyBracket, 0}, {"startexternal", anyBracket, 0}, {"endexternal", anyBracket, 0},
	{"beginuntrusted", anyBracket, 0}, {"startuntrusted", anyBracket, 0}, {"enduntrusted", anyBracket, 0},
	{"untrustedcontent", oneAngle, 0}, {"untrusteddata", oneAngle, 0}, {"untrustedinput", oneAngle, 0},
	{"untrustedtext", oneAngle, 0}, {"untrustedexternal", oneAngle, 0},
	{"begintoolcall", twoAngles, 0}, {"starttoolcall", twoAngles, 0}, {"endtoolcall", twoAngles, 0},
	{"toolcallresult", twoAngles, 0}, {"begintoolresult", twoAngles, 0}, {"endtoolresult", twoAngles, 0},
	// Turn boundaries of chat templates.
	{"imstart", oneAngle, '|'}, {"imend", oneAngle, '|'}, {"imsep", oneAngle, '|'}, {"endoftext", oneAngle, '|'},
	{"beginoftext", oneAngle, '|'}, {"startheaderid", oneAngle, '|'}, {"endheaderid", oneAngle, '|'},
	{"eotid", oneAngle, '|'}, {"eomid", oneAngle, '|'},
	{"system", oneAngle, '|'}, {"user", oneAngle, '|'}, {"assistant", oneAngle, '|'},
	{"startofturn", oneAngle, '>'}, {"endofturn", oneAngle, '>'},
	{"inst", anyBracket, ']'}, {"sys", twoAngles, '>'},
}

// framed reports whether opening, a run of brackets and fillers, and the text
// behind it begin a marker.
func framed(opening, behind string) bool {
	if behind == "" {
		return false
	}
	first := fold(next(behind).r)
	have := anyBracket
	measured := false
	for i := range frames {
		m := &frames[i]
		if first.first() != m.words[0] && !filler(first) {
			continue
		}
		if m.open > anyBracket && !measured {
			have, measured = angles(opening), true
		}
		if have < m.open {
			continue
		}
		if end, ok := word(behind, m.words); ok && (m.closer == 0 || closes(behind[end:], m.closer)) {
			return true
		}
	}
	return false
}

// angles says how many angle brackets an opening has, as far as it matters.
func angles(opening string) bracketing {
	n := anyBracket
	for i := 0; i < len(opening) && n < twoAngles; {
		u := next(opening[i:])
		if fold(u.r).first() == '<' {
			n++
		}
		i += u.size
	}
	return n
}

// closes reports whether the first character of s that shows is closer.
func closes(s string, closer byte) bool {
	for s != "" {
		u := next(s)
		if f := fold(u.r); f != 0 {
			return f.is(closer)
		}
		s = s[u.size:]
	}
	return false
}
