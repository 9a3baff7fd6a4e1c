package strictjson

import "hash/maphash"

// scanner is one pass over one input. Its methods take the offset to read at
// and return the offset after what they read, or failed.
type scanner struct {
	b      []byte
	limits Limits
	depth  int
	keys   keySet
	err    *SyntaxError

	// loose counts the places so far where the text differs from what
	// AppendValue would write. A value is tight if its own text added none.
	loose int
	// broken says that some reader of lines would split the value.
	broken bool

	build bool
	tape  []node

	start, end int // the value without the white space around it

	names []string       // top-level keys to find, and whose variants to refuse
	spans [maxNames]span // their values, by index of names
}

// maxNames is the most names a scan can look for.
const maxNames = 24

// A span is a part of the input, as offsets. The zero span is absent, for no
// value of a member begins at 0.
type span struct{ start, end uint32 }

// of returns the part of b, or nil if it is absent.
func (p span) of(b []byte) []byte {
	if p.end == 0 {
		return nil
	}
	return b[p.start:p.end:p.end]
}

const failed = -1

// fail records the first fault and returns failed.
func (s *scanner) fail(kind ErrorKind, at int, what string) int {
	if s.err == nil {
		s.err = &SyntaxError{Kind: kind, Offset: int64(at), what: what}
	}
	return failed
}

// unexpected is the fault at offset i, where another byte was wanted.
func (s *scanner) unexpected(i int, wanted string) int {
	if i >= len(s.b) {
		return s.fail(Malformed, len(s.b), "the input ends where "+wanted+" must stand")
	}
	return s.fail(Malformed, i, wanted+" must stand here")
}

// document reads the whole input.
func (s *scanner) document() bool {
	if len(s.b) > s.limits.MaxBytes {
		s.fail(TooLarge, s.limits.MaxBytes, "the input is longer than the limit; send less, or raise the limit")
		return false
	}
	s.keys.seed = maphash.MakeSeed()
	s.start = s.space(0)
	s.broken = false // white space around the value cannot cut it
	i := s.value(s.start)
	if i == failed {
		return false
	}
	s.end = i
	broken := s.broken
	if i = s.space(i); i < len(s.b) {
		s.fail(TrailingData, i, "the input goes on after the value; send one value at a time")
		return false
	}
	s.broken = broken
	return true
}

// space skips white space.
func (s *scanner) space(i int) int {
	if i < len(s.b) && s.b[i] > ' ' {
		return i
	}
	return s.skipSpace(i)
}

func (s *scanner) skipSpace(i int) int {
	from := i
	for ; i < len(s.b); i++ {
		switch s.b[i] {
		case ' ', '\t':
			continue
		case '\n', '\r':
			s.broken = true
			continue
		}
		break
	}
	if i > from {
		s.loose++
	}
	return i
}

// value reads one value of any kind.
func (s *scanner) value(i int) int {
	if i >= len(s.b) {
		return s.unexpected(i, "a value")
	}
	switch c := s.b[i]; c {
	case '"':
		loose := s.loose
		end, traits := s.str(i)
		if end != failed && s.build {
			s.emit(KindString, i, end, traits, loose)
		}
		return end
	case '{':
		return s.object(i)
	case '[':
		return s.array(i)
	case 't':
		return s.literal(i, "true", KindBool)
	case 'f':
		return s.literal(i, "false", KindBool)
	case 'n':
		return s.literal(i, "null", KindNull)
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		end := s.number(i)
		if end != failed && s.build {
			s.emit(KindNumber, i, end, 0, s.loose)
		}
		return end
	}
	return s.unexpected(i, "a value")
}

func (s *scanner) array(start int) int {
	loose := s.loose
	at := s.open(start)
	if at == failed {
		return failed
	}
	i := s.space(start + 1)
	if i < len(s.b) && s.b[i] == ']' {
		return s.close(KindArray, at, start, i, 0, loose)
	}
	for n := 1; ; n++ {
		if i = s.value(i); i == failed {
			return failed
		}
		i = s.space(i)
		if i >= len(s.b) {
			return s.unexpected(i, "a comma or a closing bracket")
		}
		switch s.b[i] {
		case ',':
			i = s.space(i + 1)
		case ']':
			return s.close(KindArray, at, start, i, n, loose)
		default:
			return s.unexpected(i, "a comma or a closing bracket")
		}
	}
}

func (s *scanner) object(start int) int {
	loose := s.loose
	at := s.open(start)
	if at == failed {
		return failed
	}
	i := s.space(start + 1)
	if i < len(s.b) && s.b[i] == '}' {
		return s.close(KindObject, at, start, i, 0, loose)
	}
	var large tableID
	base := s.keys.n
	for n := 1; ; n++ {
		if i >= len(s.b) || s.b[i] != '"' {
			return s.unexpected(i, "a key in double quotes")
		}
		key, looseKey := i, s.loose
		var traits traits
		if i, traits = s.str(i); i == failed {
			return failed
		}
		if s.build {
			s.emit(KindString, key, i, traits, looseKey)
		}
		switch s.keys.add(base, &large, key+1, i-1, traits) {
		case sameKey:
			return s.fail(DuplicateKey, key, "this key stands twice in its object; keep one")
		case variantKey:
			return s.fail(CaseVariantKey, key, "this key differs only by case from another of its object; keep one")
		}
		slot := none
		if s.depth == 1 && len(s.names) > 0 {
			if slot = s.keys.reserved(key+1, i-1, traits, s.names); slot == misspelt {
				return s.fail(CaseVariantKey, key, "this key resembles a reserved name; spell it exactly or not at all")
			}
		}
		if i = s.space(i); i >= len(s.b) || s.b[i] != ':' {
			return s.unexpected(i, "a colon")
		}
		val := s.space(i + 1)
		if i = s.value(val); i == failed {
			return failed
		}
		if slot >= 0 {
			s.spans[slot] = span{uint32(val), uint32(i)}
		}
		i = s.space(i)
		if i >= len(s.b) {
			return s.unexpected(i, "a comma or a closing brace")
		}
		switch s.b[i] {
		case ',':
			i = s.space(i + 1)
		case '}':
			s.keys.leave(base, large)
			return s.close(KindObject, at, start, i, n, loose)
		default:
			return s.unexpected(i, "a comma or a closing brace")
		}
	}
}

// literal reads one of the three names.
func (s *scanner) literal(i int, name string, k Kind) int {
	end := i + len(name)
	if end > len(s.b) || string(s.b[i:end]) != name {
		return s.unexpected(i, "a value")
	}
	if s.build {
		s.emit(k, i, end, 0, s.loose)
	}
	return end
}

// number reads a number by the grammar of RFC 8259 §6.
func (s *scanner) number(i int) int {
	b := s.b
	if b[i] == '-' {
		i++
	}
	if i < len(b) && b[i] == '0' {
		i++ // no digit may follow: the caller finds it where a comma must stand
	} else if i = s.digits(i); i == failed {
		return failed
	}
	if i < len(b) && b[i] == '.' {
		if i = s.digits(i + 1); i == failed {
			return failed
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		return s.digits(i)
	}
	return i
}

// digits reads one digit or more.
func (s *scanner) digits(i int) int {
	from := i
	for i < len(s.b) && s.b[i]-'0' <= 9 {
		i++
	}
	if i == from {
		return s.unexpected(i, "a digit")
	}
	return i
}
