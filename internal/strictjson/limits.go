package strictjson

// Limits used where a field of [Limits] is not positive, and the ceilings above
// which a larger setting has no effect. The ceilings keep offsets in 32 bits
// and the recursion of the scanner within a few megabytes of stack.
const (
	DefaultMaxBytes = 64 << 20
	DefaultMaxDepth = 128

	ceilingBytes = 256 << 20
	ceilingDepth = 10_000
)

// Limits bounds what is accepted. The zero value applies the defaults. It is a
// plain value, safe for concurrent use.
type Limits struct {
	MaxBytes int // longest input in bytes, white space included
	MaxDepth int // most arrays and objects open at once; a scalar has depth 0
}

// effective returns the limits in force.
func (l Limits) effective() Limits {
	if l.MaxBytes <= 0 {
		l.MaxBytes = DefaultMaxBytes
	}
	if l.MaxDepth <= 0 {
		l.MaxDepth = DefaultMaxDepth
	}
	return Limits{MaxBytes: min(l.MaxBytes, ceilingBytes), MaxDepth: min(l.MaxDepth, ceilingDepth)}
}

// Check reports whether b is one acceptable JSON value: nil, or a
// [*SyntaxError]. It does not allocate for ordinary input: objects of up to 16
// keys, 48 keys in all objects open at once, keys of plain ASCII up to 56 bytes.
func (l Limits) Check(b []byte) error {
	s := scanner{b: b, limits: l.effective(), keys: keySet{b: b}}
	if !s.document() {
		return s.err
	}
	return nil
}

// Parse checks b and returns its value. The value refers to b, which must not
// be changed while the value is in use. On error the value is the zero Value.
func (l Limits) Parse(b []byte) (Value, error) {
	s := scanner{b: b, limits: l.effective(), keys: keySet{b: b}}
	s.build = true
	s.tape = make([]node, 0, min(len(b)/32, 1024)+4)
	if !s.document() {
		return Value{}, s.err
	}
	return Value{doc: &document{text: b, tape: s.tape}}, nil
}
