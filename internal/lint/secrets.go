package lint

import "strings"

// keyShape is the form of one issuer's keys: a prefix, then from min to max
// characters of a set. Length and randomness alone are no key: digests, tokens
// that carry their own claims and identifiers look the same.
type keyShape struct {
	prefixes []string
	set      func(c byte) bool
	min, max int
	mixed    bool // needs a digit beside a letter, which no name in words has
}

func (k keyShape) check(text string, _, start, _ int) bool {
	text = text[start:]
	for _, p := range k.prefixes {
		if body, ok := strings.CutPrefix(text, p); ok {
			return k.body(body)
		}
	}
	return false
}

func (k keyShape) body(s string) bool {
	n, digit, upper, lower := 0, false, false, false
	for n < len(s) && n <= k.max && k.set(s[n]) {
		digit = digit || s[n] >= '0' && s[n] <= '9'
		upper = upper || s[n] >= 'A' && s[n] <= 'Z'
		lower = lower || s[n] >= 'a' && s[n] <= 'z'
		n++
	}
	return n >= k.min && n <= k.max && (!k.mixed || digit && (upper || lower))
}

func upperDigit(c byte) bool { return c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' }
func alnum(c byte) bool      { return upperDigit(c) || c >= 'a' && c <= 'z' }
func alnumLine(c byte) bool  { return alnum(c) || c == '_' }
func alnumDash(c byte) bool  { return alnum(c) || c == '_' || c == '-' }

// pemHeader reports whether "BEGIN … PRIVATE KEY" stands between the dashes of a
// PEM header (RFC 7468, section 2).
func pemHeader(text string, _, start, end int) bool {
	rest := strings.TrimPrefix(text[end:], " BLOCK")
	return strings.HasSuffix(text[:start], "-----") && strings.HasPrefix(rest, "-----")
}
