package event

import (
	"bytes"
	"encoding"
	"encoding/base64"
	"strconv"
	"unicode/utf8"

	"github.com/hearsay-memory/hearsay"
)

// decoder reads what the encoder of this package and that of [Side] write. It knows the
// members in their order, and strings without escapes. It never guesses: what it does not
// know it reports, and encoding/json reads that instead. It is there because reading is
// most of what an audit of many records costs; tests hold the two against each other.
type decoder struct {
	b      []byte // what is left
	first  bool   // nothing of the open object was read yet
	failed bool
}

// done reports whether all of it was read.
func (d *decoder) done() bool { return !d.failed && len(d.b) == 0 }

func (d *decoder) fail() { d.b, d.failed = nil, true }

// token reads one character.
func (d *decoder) token(c byte) {
	if len(d.b) == 0 || d.b[0] != c {
		d.fail()
		return
	}
	d.b = d.b[1:]
}

func (d *decoder) open() { d.token('{'); d.first = true }

func (d *decoder) close() { d.token('}'); d.first = false }

// key reads a member's name and reports whether it is the next one.
func (d *decoder) key(name string) bool {
	rest := d.b
	if !d.first {
		if len(rest) == 0 || rest[0] != ',' {
			return false
		}
		rest = rest[1:]
	}
	n := len(name)
	if len(rest) < n+3 || rest[0] != '"' || string(rest[1:n+1]) != name || rest[n+1] != '"' || rest[n+2] != ':' {
		return false
	}
	d.b, d.first = rest[n+3:], false
	return true
}

// raw reads a string and returns what stands between its quotes. One with an escape in it
// fails.
func (d *decoder) raw() []byte {
	d.token('"')
	n := bytes.IndexByte(d.b, '"')
	if n < 0 {
		d.fail()
		return nil
	}
	s := d.b[:n]
	for _, c := range s {
		if c < ' ' || c == '\\' {
			d.fail()
			return nil
		}
	}
	d.b = d.b[n+1:]
	return s
}

func (d *decoder) string() string {
	s := d.raw()
	if !utf8.Valid(s) {
		d.fail()
	}
	return string(s)
}

// text reads a value that has a form of its own in a string.
func (d *decoder) text(v encoding.TextUnmarshaler) {
	if s := d.raw(); !d.failed && v.UnmarshalText(s) != nil {
		d.fail()
	}
}

func (d *decoder) id() (id hearsay.RecordID) { d.text(&id); return id }

// bytes reads base64.
func (d *decoder) bytes() []byte {
	s := d.raw()
	p := make([]byte, base64.StdEncoding.DecodedLen(len(s)))
	n, err := base64.StdEncoding.Decode(p, s)
	if err != nil {
		d.fail()
	}
	return p[:n]
}

// number reads up to what ends a number.
func (d *decoder) number() string {
	n := bytes.IndexAny(d.b, ",}]")
	if n < 0 {
		d.fail()
		return ""
	}
	s := string(d.b[:n])
	d.b = d.b[n:]
	return s
}

func (d *decoder) int() int64 {
	n, err := strconv.ParseInt(d.number(), 10, 64)
	if err != nil {
		d.fail()
	}
	return n
}

func (d *decoder) float() float64 {
	f, err := strconv.ParseFloat(d.number(), 64)
	if err != nil {
		d.fail()
	}
	return f
}

// items reads an array. One that has nothing in it is no nil.
func items[T any](d *decoder, one func() T) []T {
	d.token('[')
	out := []T{}
	for !d.failed && len(d.b) > 0 && d.b[0] != ']' {
		if len(out) > 0 {
			d.token(',')
		}
		out = append(out, one())
	}
	d.token(']')
	return out
}

// The members. One that is not the next is left as it is.

func member[T ~string](d *decoder, name string, into *T) {
	if d.key(name) {
		*into = T(d.string())
	}
}

func (d *decoder) optText(name string, into encoding.TextUnmarshaler) {
	if d.key(name) {
		d.text(into)
	}
}

func (d *decoder) optInt(name string, into *int64) {
	if d.key(name) {
		*into = d.int()
	}
}

func (d *decoder) optFloat(name string, into *float64) {
	if d.key(name) {
		*into = d.float()
	}
}

func (d *decoder) optTrue(name string, into *bool) {
	if d.key(name) {
		rest, ok := bytes.CutPrefix(d.b, []byte("true"))
		if !ok {
			d.fail()
			return
		}
		*into, d.b = true, rest
	}
}

func (d *decoder) optStrings(name string, into *[]string) {
	if d.key(name) {
		*into = items(d, d.string)
	}
}

func (d *decoder) optIDs(name string, into *[]hearsay.RecordID) {
	if d.key(name) {
		*into = items(d, d.id)
	}
}

func (d *decoder) optBytes(name string, into *[]byte) {
	if d.key(name) {
		*into = d.bytes()
	}
}
