package strictjson

// frameNames are the members of a JSON-RPC 2.0 message, in the order of the
// fields of Frame.
var frameNames = [...]string{"jsonrpc", "id", "method", "params", "result", "error"}

// A Frame is a checked JSON-RPC 2.0 message, of which only the top level has
// been taken apart. Its slices are parts of the input: do not change them.
type Frame struct {
	Kind Kind   // KindObject; KindArray is a batch; any other kind is no message
	Raw  []byte // the value without the white space around it

	// The raw values of the members, nil if absent. A member that is null is
	// "null". Compare the method through MethodName, not its raw text, which
	// may spell any letter as an escape.
	JSONRPC, ID, Method, Params, Result, Error []byte

	// OneLine says that every reader of lines takes Raw for one line. If it is
	// false, Raw holds a line feed or carriage return between its parts, or
	// U+0085, U+2028 or U+2029 in a string, and must not be sent to a peer that
	// reads lines: that peer may find another message inside. Send what
	// AppendValue writes instead, which is always one line.
	OneLine bool
}

// Frame checks b and finds the members of the JSON-RPC message it holds, in one
// pass and without building a tree. A top-level key that differs from a
// member's name only by case is refused even if it stands alone, as
// CaseVariantKey: a peer that matches keys loosely would read it.
//
// A batch is checked whole, but the members of its messages are not looked at;
// call Frame on each element's raw text.
func (l Limits) Frame(b []byte) (Frame, error) {
	s := scanner{b: b, limits: l.effective(), keys: keySet{b: b}, names: frameNames[:]}
	if !s.document() {
		return Frame{}, s.err
	}
	return Frame{
		Kind: kindAt(b[s.start]), Raw: b[s.start:s.end:s.end], OneLine: !s.broken,
		JSONRPC: s.spans[0].of(b), ID: s.spans[1].of(b), Method: s.spans[2].of(b),
		Params: s.spans[3].of(b), Result: s.spans[4].of(b), Error: s.spans[5].of(b),
	}, nil
}

// kindAt returns the kind of the value that begins with c.
func kindAt(c byte) Kind {
	switch c {
	case '{':
		return KindObject
	case '[':
		return KindArray
	case '"':
		return KindString
	case 't', 'f':
		return KindBool
	case 'n':
		return KindNull
	}
	return KindNumber
}

// MethodName returns the decoded method. It is false if there is none or it is
// not a string.
func (f Frame) MethodName() (string, bool) { return Text(f.Method) }

// Text decodes the raw text of a string, as found in a Frame or by Peek. It is
// false if raw is anything but one acceptable string without white space around
// it.
func Text(raw []byte) (string, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	s := scanner{b: raw}
	if end, _ := s.str(0); end != len(raw) {
		return "", false
	}
	return string(appendText(make([]byte, 0, len(raw)-2), raw[1:len(raw)-1])), true
}

// Peek checks b and returns the raw values of the named members of its top-level
// object, by index of names; nil if absent, or if b is not an object. Names must
// be ASCII and at most 24; more panics. As with Frame, a key that differs from a name only by case is
// refused even if it stands alone.
func (l Limits) Peek(b []byte, names ...string) ([][]byte, error) {
	if len(names) > maxNames {
		panic("strictjson: Peek takes at most 24 names")
	}
	s := scanner{b: b, limits: l.effective(), keys: keySet{b: b}, names: names}
	if !s.document() {
		return nil, s.err
	}
	found := make([][]byte, len(names))
	for i := range names {
		found[i] = s.spans[i].of(b)
	}
	return found, nil
}

// CheckReserved refuses an object that has a key which differs from one of
// names only by case, even if it stands alone, as CaseVariantKey. Names must be
// ASCII. The offset is that of the key in the input v was parsed from, or 0.
func CheckReserved(v Value, names ...string) error {
	for k := range v.members() {
		if matchReserved(k.String(), names) == misspelt {
			var at int64
			if k.doc != nil {
				at = int64(k.node().start)
			}
			return &SyntaxError{Kind: CaseVariantKey, Offset: at,
				what: "this key resembles a reserved name; spell it exactly or not at all"}
		}
	}
	return nil
}
