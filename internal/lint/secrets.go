package lint

import "strings"

// keyShape is the form of one issuer's keys: a prefix, then from min to max
// characters of a set. Length and randomness alone are no key: digests, tokens
// that carry their own claims and identifiers look the same.
type keyShape struct {
	prefixes []string
	set      *charset
	min, max int
	mixed    bool // needs a digit beside a letter, which no name in words has
}

// check also wants the key to begin a run of its characters. Without that, a run
// of prefixes would be read again from each of them.
func (k *keyShape) check(_ *Scratch, text string, _, start, _ int) bool {
	if start > 0 && k.set[text[start-1]] {
		return false
	}
	text = text[start:]
	for _, p := range k.prefixes {
		if last := len(p) - 1; len(text) > last && text[last] == p[last] && text[:last] == p[:last] {
			return k.body(text[len(p):])
		}
	}
	return false
}

func (k *keyShape) body(s string) bool {
	if len(s) < k.min {
		return false
	}
	n, digit, letter := 0, false, false
	for n < len(s) && n <= k.max && k.set[s[n]] {
		digit = digit || s[n] <= '9' && s[n] >= '0'
		letter = letter || s[n] >= 'A' && s[n] != '_'
		n++
	}
	return n >= k.min && n <= k.max && (!k.mixed || digit && letter)
}

// charset tells which bytes a key is made of.
type charset [256]bool

var (
	upperDigit = newCharset("")
	alnum      = newCharset("abcdefghijklmnopqrstuvwxyz")
	alnumLine  = newCharset("abcdefghijklmnopqrstuvwxyz_")
	alnumDash  = newCharset("abcdefghijklmnopqrstuvwxyz_-")
)

// newCharset returns the set of digits, capitals and what is in more.
func newCharset(more string) *charset {
	var set charset
	for _, c := range []byte("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ" + more) {
		set[c] = true
	}
	return &set
}

// pemHeader reports whether "BEGIN … PRIVATE KEY" stands between the dashes of a
// PEM header (RFC 7468, section 2).
func pemHeader(_ *Scratch, text string, _, start, end int) bool {
	rest := strings.TrimPrefix(text[end:], " BLOCK")
	return strings.HasSuffix(text[:start], "-----") && strings.HasPrefix(rest, "-----")
}
