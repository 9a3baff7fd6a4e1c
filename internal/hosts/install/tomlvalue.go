package install

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// key reads a key and the blanks after it; last is where its last part begins.
func (t *toml) key() (parts []string, last int, err error) {
	for {
		last = t.at
		var part string
		switch t.peek() {
		case '"', '\'':
			if t.has(`"""`) || t.has(`'''`) {
				return nil, 0, t.fail(t.at, "a key of several lines")
			}
			v, err := t.str()
			if err != nil {
				return nil, 0, err
			}
			part = v.text
		default:
			for t.at < len(t.data) && plain(string(t.data[t.at:t.at+1]), "") {
				t.at++
			}
			if part = string(t.data[last:t.at]); part == "" {
				return nil, 0, t.fail(t.at, "this is not a key")
			}
		}
		if parts = append(parts, part); len(parts) > maxKeyParts {
			return nil, 0, t.fail(last, "a key of too many parts")
		}
		t.blanks()
		if t.peek() != '.' {
			return parts, last, nil
		}
		t.at++
		t.blanks()
	}
}

// value reads a value; path and node are those of its key.
func (t *toml) value(path []string, node int) (tomlValue, error) {
	if t.depth++; t.depth > maxKeyParts {
		return tomlValue{}, t.fail(t.at, "too many brackets in each other")
	}
	defer func() { t.depth-- }()
	v := tomlValue{start: t.at}
	switch t.peek() {
	case '"', '\'':
		return t.str()
	case '[':
		return t.array()
	case '{':
		v.kind = '{'
		return t.table(v, path, node)
	}
	v.kind = 'x'
	for t.at < len(t.data) && plain(string(t.data[t.at:t.at+1]), "+.:") {
		t.at++
		// A date and its time may be a blank apart.
		if t.at-v.start == len("1979-05-27") && t.peek() == ' ' && t.data[t.at-3] == '-' && t.at+1 < len(t.data) && '0' <= t.data[t.at+1] && t.data[t.at+1] <= '9' {
			t.at++
		}
	}
	v.end = t.at
	if v.text = string(t.data[v.start:v.end]); v.text == "" {
		return v, t.fail(t.at, "this is not a value")
	}
	if c := v.text[0]; v.text != "true" && v.text != "false" && !strings.HasSuffix(v.text, "inf") && !strings.HasSuffix(v.text, "nan") && (c < '0' || c > '9') && c != '+' && c != '-' {
		return v, t.fail(v.start, "this is not a value")
	}
	return v, nil
}

func (t *toml) array() (tomlValue, error) {
	v := tomlValue{start: t.at, kind: '['}
	t.at++
	for {
		if err := t.space(); err != nil {
			return v, err
		}
		if t.peek() != ']' {
			// What inline tables in an array hold is of no interest, but read.
			item, err := t.value([]string{""}, t.node())
			if err != nil {
				return v, err
			}
			v.items = append(v.items, item)
			if err := t.space(); err != nil {
				return v, err
			}
			if t.peek() == ',' {
				t.at++
				continue
			}
		}
		if t.peek() != ']' {
			return v, t.fail(t.at, "an array without its ]")
		}
		t.at++
		v.end = t.at
		return v, nil
	}
}

// table reads an inline table, of one line or, as TOML 1.1 has it, of several.
func (t *toml) table(v tomlValue, path []string, node int) (tomlValue, error) {
	t.at++
	for {
		if err := t.space(); err != nil {
			return v, err
		}
		if t.peek() != '}' {
			if err := t.entry(path, node, true); err != nil {
				return v, err
			}
			if err := t.space(); err != nil {
				return v, err
			}
			if t.peek() == ',' {
				t.at++
				continue
			}
		}
		if t.peek() != '}' {
			return v, t.fail(t.at, "an inline table without its }")
		}
		t.at++
		v.end = t.at
		return v, nil
	}
}

// str reads a string of one of the four kinds.
func (t *toml) str() (tomlValue, error) {
	v := tomlValue{start: t.at, kind: '"'}
	quote := string(t.data[t.at : t.at+1])
	long := t.has(quote + quote + quote)
	if long {
		quote += quote + quote
	}
	t.at += len(quote)
	if long && t.peek() == '\n' {
		t.at++
	} else if long && t.has("\r\n") {
		t.at += 2
	}
	var b strings.Builder
	for {
		if t.at >= len(t.data) {
			return v, t.fail(v.start, "a string without its end")
		}
		if t.has(quote) {
			// Up to two quotation marks may stand before the closing three.
			for extra := 0; long && extra < 2 && t.has(quote+quote[:1]); extra++ {
				b.WriteByte(quote[0])
				t.at++
			}
			t.at += len(quote)
			v.end, v.text = t.at, b.String()
			return v, nil
		}
		c := t.data[t.at]
		switch {
		case c == '\\' && quote[0] == '"':
			if err := t.escape(&b, long); err != nil {
				return v, err
			}
			continue
		case c == '\n' && long, c == '\r' && long && t.has("\r\n"), c == '\t':
		case c < ' ' || c == 0x7f:
			return v, t.fail(t.at, "a control character in a string")
		}
		b.WriteByte(c)
		t.at++
	}
}

func (t *toml) escape(b *strings.Builder, long bool) error {
	start := t.at
	t.at++
	c := t.peek()
	t.at++
	if i := strings.IndexByte(`btnfre"\`, c); c != 0 && i >= 0 {
		b.WriteByte("\b\t\n\f\r\x1b\"\\"[i])
		return nil
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
	if digits > 0 && t.at+digits <= len(t.data) {
		n, err := strconv.ParseUint(string(t.data[t.at:t.at+digits]), 16, 32)
		if err == nil && n <= utf8.MaxRune && utf8.ValidRune(rune(n)) {
			b.WriteRune(rune(n))
			t.at += digits
			return nil
		}
	}
	if long {
		// A backslash at the end of a line takes away the white space up to the next word.
		t.at = start + 1
		t.blanks()
		if t.peek() == '\n' || t.has("\r\n") {
			for t.at < len(t.data) && strings.IndexByte(" \t\r\n", t.data[t.at]) >= 0 {
				t.at++
			}
			return nil
		}
	}
	return t.fail(start, "an unknown escape in a string")
}
