package hosts

import (
	"bytes"
	"strings"

	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// skim calls f with each member of the object that b holds, key decoded and value as
// it stands, without checking what lies inside the values. It is false where b is not
// one object that ends where b ends. For what a strict reader accepts it finds
// exactly that reader's members; beyond that it serves to tell which event it is
// that cannot be read.
func skim(b []byte, f func(key string, value []byte)) bool {
	i := space(b, 0)
	if i == len(b) || b[i] != '{' {
		return false
	}
	if i = space(b, i+1); i < len(b) && b[i] == '}' {
		return space(b, i+1) == len(b)
	}
	for {
		end := skipString(b, i)
		if end < 0 {
			return false
		}
		key, ok := strictjson.Text(b[i:end])
		if !ok {
			return false
		}
		if i = space(b, end); i == len(b) || b[i] != ':' {
			return false
		}
		i = space(b, i+1)
		if end = skipValue(b, i); end < 0 {
			return false
		}
		f(key, b[i:end])
		if i = space(b, end); i == len(b) {
			return false
		}
		switch b[i] {
		case '}':
			return space(b, i+1) == len(b)
		case ',':
			i = space(b, i+1)
		default:
			return false
		}
	}
}

func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// skipString returns the end of the string that begins at i, or -1.
func skipString(b []byte, i int) int {
	if i >= len(b) || b[i] != '"' {
		return -1
	}
	for start := i + 1; ; {
		q := bytes.IndexByte(b[start:], '"')
		if q < 0 {
			return -1
		}
		q += start
		slashes := 0
		for q-1-slashes >= start && b[q-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return q + 1
		}
		start = q + 1
	}
}

// skipValue returns the end of the value that begins at i, or -1.
func skipValue(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		for depth := 0; i < len(b); i++ {
			switch b[i] {
			case '"':
				end := skipString(b, i)
				if end < 0 {
					return -1
				}
				i = end - 1
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
		}
		return -1
	}
	end := i
	for end < len(b) && bytes.IndexByte([]byte(",}] \n\r\t"), b[end]) < 0 {
		end++
	}
	if end == i {
		return -1
	}
	return end
}

// salvage reads two fields of a payload that the strict reader refused, so that the
// caller can tell what it is that it must refuse, and which session to taint. A
// value counts only where its key stands once at the top of a whole object, in any
// spelling: a host writes its own keys, and what others write lies inside strings.
func salvage(b []byte, first, second string) (string, string) {
	var found [2]string
	var count [2]int
	whole := skim(b, func(key string, value []byte) {
		for i, name := range [...]string{first, second} {
			if !bytes.EqualFold([]byte(key), []byte(name)) {
				continue
			}
			count[i]++
			if text, ok := strictjson.Text(value); ok && key == name {
				found[i] = text
			}
		}
	})
	for i := range found {
		if !whole || count[i] != 1 {
			found[i] = ""
		}
	}
	return found[0], found[1]
}

// topKeys returns the keys at the top of a whole object, and whether each stands there
// once, in any spelling.
func topKeys(b []byte) (keys map[string]bool, once bool) {
	keys, once = make(map[string]bool), true
	folded := make(map[string]bool)
	whole := skim(b, func(key string, _ []byte) {
		low := strings.ToLower(key)
		once = once && !folded[low] && len(keys) < mostMembers
		if once {
			keys[key], folded[low] = true, true
		}
	})
	return keys, once && whole
}
