package event

import (
	"encoding/base64"
	"errors"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/hearsay-memory/hearsay"
)

// encoder appends the canonical form: what encoding/json writes without HTML escapes,
// members in the order of the struct's fields. It is written by hand because sealing
// is most of what a write costs the store; a test holds the two against each other.
type encoder struct {
	b   []byte
	err error
}

var errNotUTF8 = errors.New("a name is not UTF-8")

// key begins a member.
func (e *encoder) key(name string) {
	if n := len(e.b); n > 0 && e.b[n-1] != '{' {
		e.b = append(e.b, ',')
	}
	e.b = append(e.b, '"')
	e.b = append(e.b, name...)
	e.b = append(e.b, '"', ':')
}

func (e *encoder) int(name string, n int64) {
	e.key(name)
	e.b = strconv.AppendInt(e.b, n, 10)
}

func (e *encoder) str(name, s string) {
	e.key(name)
	e.string(s)
}

// The opt methods leave out what is empty, as omitempty does.

func (e *encoder) optStr(name, s string) {
	if s != "" {
		e.str(name, s)
	}
}

func (e *encoder) optTrue(name string, v bool) {
	if v {
		e.key(name)
		e.b = append(e.b, "true"...)
	}
}

func (e *encoder) optFloat(name string, f float64) {
	if f != 0 {
		e.float(name, f)
	}
}

func (e *encoder) bytes(name string, p []byte) {
	e.key(name)
	if p == nil {
		e.b = append(e.b, "null"...)
		return
	}
	e.b = append(e.b, '"')
	e.b = base64.StdEncoding.AppendEncode(e.b, p)
	e.b = append(e.b, '"')
}

func (e *encoder) optBytes(name string, p []byte) {
	if len(p) > 0 {
		e.bytes(name, p)
	}
}

func (e *encoder) optIDs(name string, ids []hearsay.RecordID) {
	if len(ids) == 0 {
		return
	}
	e.key(name)
	list(e, ids, func(id hearsay.RecordID) { e.id(id) })
}

// list appends an array.
func list[T any](e *encoder, s []T, one func(T)) {
	e.b = append(e.b, '[')
	for i, v := range s {
		if i > 0 {
			e.b = append(e.b, ',')
		}
		one(v)
	}
	e.b = append(e.b, ']')
}

func (e *encoder) id(id hearsay.RecordID) {
	e.b = append(e.b, '"')
	e.b, _ = id.AppendText(e.b) // never fails
	e.b = append(e.b, '"')
}

// float writes as ECMAScript does, which is what encoding/json follows.
func (e *encoder) float(name string, f float64) {
	e.key(name)
	if math.IsInf(f, 0) || math.IsNaN(f) {
		e.err = errors.New("a number is not finite")
		return
	}
	format := byte('f')
	if a := math.Abs(f); a != 0 && (a < 1e-6 || a >= 1e21) {
		format = 'e'
	}
	e.b = strconv.AppendFloat(e.b, f, format, -1, 64)
	if n := len(e.b); format == 'e' && n >= 4 && e.b[n-4] == 'e' && e.b[n-3] == '-' && e.b[n-2] == '0' {
		e.b[n-2] = e.b[n-1]
		e.b = e.b[:n-1]
	}
}

// string appends a quoted string. Text that is not UTF-8 is an error: replaced, two
// names would become one.
func (e *encoder) string(s string) {
	e.b = append(e.b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			switch {
			case r == utf8.RuneError && n == 1:
				e.err = errNotUTF8
			case r == '\u2028' || r == '\u2029':
				e.b = append(e.b, s[start:i]...)
				e.b = append(e.b, `\u202`...)
				e.b = append(e.b, hexDigits[r&0xf])
				start = i + n
			}
			i += n
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}
		e.b = append(e.b, s[start:i]...)
		switch c {
		case '"', '\\':
			e.b = append(e.b, '\\', c)
		case '\b':
			e.b = append(e.b, '\\', 'b')
		case '\f':
			e.b = append(e.b, '\\', 'f')
		case '\n':
			e.b = append(e.b, '\\', 'n')
		case '\r':
			e.b = append(e.b, '\\', 'r')
		case '\t':
			e.b = append(e.b, '\\', 't')
		default:
			e.b = append(e.b, `\u00`...)
			e.b = append(e.b, hexDigits[c>>4], hexDigits[c&0xf])
		}
		i++
		start = i
	}
	e.b = append(e.b, s[start:]...)
	e.b = append(e.b, '"')
}

const hexDigits = "0123456789abcdef"
