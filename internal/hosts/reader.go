package hosts

import (
	"strings"

	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// Bounds of what is read. Lengths are in bytes.
const (
	mostMembers = 1_024 // members of an object whose fields are read
	mostID      = 256
	mostLabel   = 512
	mostPath    = 4_096
	mostURL     = 16_384
	mostEdits   = 4_096
	mostPatch   = 4 << 20
)

// limits bound a payload.
var limits = strictjson.Limits{MaxBytes: 64 << 20, MaxDepth: 128}

// need says whether a field must be there.
type need bool

const (
	required need = true
	optional need = false
)

// reader reads the fields of one object. The first fault stays; after it every field
// reads as absent. The parser has refused equal keys and keys that differ by case
// only; done refuses one that resembles an absent field, which a reader that matches
// loosely would take for it.
type reader struct {
	v      strictjson.Value
	prefix string   // of the names of fields in faults
	missed []string // fields looked for that are not there
	fault  *fault

	spell func(string) string // how the host spells a field; nil: as it is asked for
}

// fault is what was wrong first.
type fault struct{ field, reason string }

func newReader(v strictjson.Value, prefix string) *reader {
	r, name := &reader{v: v, prefix: prefix}, strings.TrimSuffix(prefix, ".")
	switch {
	case v.Kind() != strictjson.KindObject:
		r.fault = &fault{name, "is not an object"}
	case v.Len() > mostMembers:
		r.fault = &fault{name, "has too many fields"}
	}
	return r
}

func (r *reader) fail(key, reason string) {
	if r.fault == nil {
		r.fault = &fault{strings.TrimSuffix(r.prefix+r.spelt(key), "."), reason}
	}
}

func (r *reader) spelt(key string) string {
	if r.spell == nil {
		return key
	}
	return r.spell(key)
}

// has reports whether there is a field, null or not.
func (r *reader) has(key string) bool {
	_, ok := r.v.Get(key)
	return ok
}

// done returns the first fault of r.
func (r *reader) done() *fault {
	if r.fault == nil && len(r.missed) > 0 {
		if err := strictjson.CheckReserved(r.v, r.missed...); err != nil {
			r.fault = &fault{strings.TrimSuffix(r.prefix, "."), "has a field whose name differs from a known one by case"}
		}
	}
	return r.fault
}

// get returns a field. One that is null counts as absent where it is optional.
func (r *reader) get(key string, n need) (strictjson.Value, bool) {
	if r.fault != nil {
		return strictjson.Value{}, false
	}
	v, ok := r.v.Get(r.spelt(key))
	if !ok {
		r.missed = append(r.missed, r.spelt(key))
	}
	if ok && v.Kind() != strictjson.KindNull {
		return v, true
	}
	if n == required {
		r.fail(key, "is missing")
	}
	return strictjson.Value{}, false
}

// text returns a string of any content.
func (r *reader) text(key string, n need) string {
	v, ok := r.get(key, n)
	if !ok {
		return ""
	}
	if v.Kind() != strictjson.KindString {
		r.fail(key, "is not a string")
		return ""
	}
	return v.String()
}

// flag returns a boolean, false where it is absent.
func (r *reader) flag(key string) bool {
	v, ok := r.get(key, optional)
	if ok && v.Kind() != strictjson.KindBool {
		r.fail(key, "is not a boolean")
	}
	return v.Bool()
}

// object returns a reader of an object; nil where it is absent. Its faults are to be
// taken over with join.
func (r *reader) object(key string, n need) *reader {
	v, ok := r.get(key, n)
	if !ok {
		return nil
	}
	return newReader(v, r.prefix+r.spelt(key)+".")
}

// join takes over the fault of a reader inside r.
func (r *reader) join(in *reader) {
	if f := in.done(); f != nil && r.fault == nil {
		r.fault = f
	}
}

// bounded returns a string of 1 to most bytes, each of which ok accepts.
func (r *reader) bounded(key string, n need, most int, ok func(byte) bool) string {
	s := r.text(key, n)
	if s == "" && n == optional || r.fault != nil {
		return ""
	}
	if s == "" || len(s) > most {
		r.fail(key, "is empty or too long")
		return ""
	}
	for i := range len(s) {
		if !ok(s[i]) {
			r.fail(key, "holds a character that it may not hold")
			return ""
		}
	}
	return s
}

// id returns a name that may become part of a key or of a file's name.
func (r *reader) id(key string, n need) string {
	s := r.bounded(key, n, mostID, func(b byte) bool { return b > 0x20 && b < 0x7f && b != '/' && b != '\\' })
	if s != "" && s[0] == '.' {
		r.fail(key, "begins with a dot")
		return ""
	}
	return s
}

// noControl accepts the bytes of a text on one line.
func noControl(b byte) bool { return b >= 0x20 && b != 0x7f }

func (r *reader) label(key string, n need) string { return r.bounded(key, n, mostLabel, noControl) }
func (r *reader) path(key string, n need) string  { return r.bounded(key, n, mostPath, noControl) }
func (r *reader) url(key string, n need) string   { return r.bounded(key, n, mostURL, noControl) }

// paths returns a path as the only element of a list; nil where it is absent.
func (r *reader) paths(key string, n need) []string {
	if p := r.path(key, n); p != "" {
		return []string{p}
	}
	return nil
}

// command returns a command line: a string, or a list of words, which is quoted as a
// shell would need it.
func (r *reader) command(key string, n need) string {
	v, ok := r.get(key, n)
	if !ok {
		return ""
	}
	if v.Kind() == strictjson.KindString {
		return v.String()
	}
	if v.Kind() != strictjson.KindArray {
		r.fail(key, "is not a command")
		return ""
	}
	var line []byte
	for i, word := range v.Elements() {
		if word.Kind() != strictjson.KindString {
			r.fail(key, "holds a word that is not a string")
			return ""
		}
		if i > 0 {
			line = append(line, ' ')
		}
		line = appendQuoted(line, word.String())
	}
	return string(line)
}

// appendQuoted appends a word so that a POSIX shell reads exactly it.
func appendQuoted(dst []byte, word string) []byte {
	plain := word != ""
	for i := range len(word) {
		b := word[i]
		plain = plain && (b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' ||
			b == '-' || b == '_' || b == '.' || b == '/' || b == ':' || b == '@' || b == '%' || b == '+' || b == ',')
	}
	if plain {
		return append(dst, word...)
	}
	dst = append(dst, '\'')
	for i := range len(word) {
		if word[i] == '\'' {
			dst = append(dst, `'\''`...)
		} else {
			dst = append(dst, word[i])
		}
	}
	return append(dst, '\'')
}
