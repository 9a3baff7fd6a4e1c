package hosts

import (
	"bytes"
	"errors"

	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// hasLoneSurrogate reports whether a payload was refused because an escape names half
// of a character, as is left of an emoji that was cut in two.
func hasLoneSurrogate(err error) bool {
	fault, ok := errors.AsType[*strictjson.SyntaxError](err)
	return ok && fault.Kind == strictjson.LoneSurrogate
}

// mend returns a copy of a payload in which each escape of half a character is one of
// U+FFFD, which stands for what cannot be read. It changes nothing else.
func mend(payload []byte) []byte {
	out := bytes.Clone(payload)
	for i := 0; i < len(out); {
		next := bytes.IndexByte(out[i:], '\\')
		if next < 0 {
			break
		}
		i += next
		unit, ok := escapedUnit(out, i)
		switch {
		case !ok:
			i += 2
		case unit < 0xd800 || unit > 0xdfff:
			i += 6
		default:
			if low, ok := escapedUnit(out, i+6); ok && unit < 0xdc00 && low >= 0xdc00 && low <= 0xdfff {
				i += 12
				continue
			}
			copy(out[i:], `\ufffd`)
			i += 6
		}
	}
	return out
}

// escapedUnit reads the escape \uXXXX at i.
func escapedUnit(b []byte, i int) (unit uint16, ok bool) {
	if i+6 > len(b) || b[i] != '\\' || b[i+1] != 'u' {
		return 0, false
	}
	for _, c := range b[i+2 : i+6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		unit = unit<<4 | uint16(c)
	}
	return unit, true
}
