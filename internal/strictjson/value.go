package strictjson

import "iter"

// A Kind is the type of a [Value].
type Kind uint8

const (
	KindInvalid Kind = iota // the zero Value
	KindNull
	KindBool
	KindNumber
	KindString
	KindArray
	KindObject
)

// String returns the JSON name of the kind.
func (k Kind) String() string {
	switch k {
	case KindNull:
		return "null"
	case KindBool:
		return "boolean"
	case KindNumber:
		return "number"
	case KindString:
		return "string"
	case KindArray:
		return "array"
	case KindObject:
		return "object"
	}
	return "invalid"
}

// A Value is a node of a JSON tree. It is immutable and safe for concurrent
// use; edits make new values that share what did not change. The zero Value has
// KindInvalid, holds nothing and is written as null.
//
// Values may be compared with ==, which tells whether they are the same node,
// not whether they have the same content.
type Value struct {
	doc  *document // the parsed input, or nil
	at   uint32    // position on its tape
	made *made     // a value built by this program, or nil
}

// A document is a parsed input.
type document struct {
	text []byte
	tape []node
}

// made is a value that was not parsed. Its parts may have been.
type made struct {
	kind Kind
	text string  // of a string, number or boolean
	keys []Value // of an object, all strings
	vals []Value // of an array or object
}

func (v Value) node() *node { return &v.doc.tape[v.at] }

// Kind returns the type of the value.
func (v Value) Kind() Kind {
	switch {
	case v.doc != nil:
		return Kind(v.node().meta & metaKind)
	case v.made != nil:
		return v.made.kind
	}
	return KindInvalid
}

// Len returns the number of elements of an array or members of an object, and 0
// for all else.
func (v Value) Len() int {
	switch {
	case v.doc != nil:
		return int(v.node().meta >> metaCount)
	case v.made != nil:
		return len(v.made.vals)
	}
	return 0
}

// Get returns the member of an object whose key is exactly key. Its time is
// linear in the number of members.
func (v Value) Get(key string) (Value, bool) {
	for k, e := range v.members() {
		if k.isText(key) {
			return e, true
		}
	}
	return Value{}, false
}

// Index returns element i of an array. It is the zero Value if v is not an
// array or i is out of range. Its time is linear in i: use Elements in a loop.
func (v Value) Index(i int) Value {
	for j, e := range v.Elements() {
		if j == i {
			return e
		}
	}
	return Value{}
}

// Elements yields the elements of an array in order, and nothing for all else.
func (v Value) Elements() iter.Seq2[int, Value] {
	return func(yield func(int, Value) bool) {
		switch {
		case v.Kind() != KindArray:
		case v.made != nil:
			for i, e := range v.made.vals {
				if !yield(i, e) {
					return
				}
			}
		default:
			end := v.node().next
			for i, at := 0, v.at+1; at < end; i, at = i+1, v.doc.tape[at].next {
				if !yield(i, Value{doc: v.doc, at: at}) {
					return
				}
			}
		}
	}
}

// Members yields the members of an object in order, and nothing for all else.
// Each key is decoded into a new string.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		for k, e := range v.members() {
			if !yield(k.String(), e) {
				return
			}
		}
	}
}

// members yields the members of an object with their keys as values.
func (v Value) members() iter.Seq2[Value, Value] {
	return func(yield func(Value, Value) bool) {
		switch {
		case v.Kind() != KindObject:
		case v.made != nil:
			for i, e := range v.made.vals {
				if !yield(v.made.keys[i], e) {
					return
				}
			}
		default:
			end := v.node().next
			for at := v.at + 1; at < end; at = v.doc.tape[at+1].next {
				if !yield(Value{doc: v.doc, at: at}, Value{doc: v.doc, at: at + 1}) {
					return
				}
			}
		}
	}
}

// Strings yields every string of the tree, keys included, in document order:
// all the text that a reader of the value can be told.
func (v Value) Strings() iter.Seq[Value] {
	return func(yield func(Value) bool) { v.eachString(yield) }
}

func (v Value) eachString(yield func(Value) bool) bool {
	if v.doc != nil {
		for at, end := v.at, v.node().next; at < end; at++ {
			if Kind(v.doc.tape[at].meta&metaKind) == KindString && !yield(Value{doc: v.doc, at: at}) {
				return false
			}
		}
		return true
	}
	if v.Kind() == KindString {
		return yield(v)
	}
	if v.made == nil {
		return true
	}
	for i, e := range v.made.vals {
		if v.made.keys != nil && !yield(v.made.keys[i]) {
			return false
		}
		if !e.eachString(yield) {
			return false
		}
	}
	return true
}

// String returns the decoded text of a string, and "" for all else. It is the
// author's text: do not log it.
func (v Value) String() string {
	if v.Kind() != KindString {
		return ""
	}
	if v.made != nil {
		return v.made.text
	}
	raw := v.inner()
	if v.node().meta&metaEscaped == 0 {
		return string(raw)
	}
	return string(appendText(make([]byte, 0, len(raw)), raw))
}

// AppendText appends what String returns.
func (v Value) AppendText(dst []byte) []byte {
	switch {
	case v.Kind() != KindString:
		return dst
	case v.made != nil:
		return append(dst, v.made.text...)
	case v.node().meta&metaEscaped == 0:
		return append(dst, v.inner()...)
	}
	return appendText(dst, v.inner())
}

// Bool returns whether the value is true.
func (v Value) Bool() bool {
	if v.Kind() != KindBool {
		return false
	}
	if v.made != nil {
		return v.made.text == "true"
	}
	return v.doc.text[v.node().start] == 't'
}

// Raw returns the exact bytes of the input the value was parsed from, without
// the white space around it. They are shared: do not change them. A value that
// was built or edited has no input; Raw returns its encoding.
func (v Value) Raw() []byte {
	if v.doc == nil {
		return AppendValue(nil, v)
	}
	n := v.node()
	return v.doc.text[n.start:n.end:n.end]
}

// inner returns the raw text of a parsed string between its quotes.
func (v Value) inner() []byte {
	n := v.node()
	return v.doc.text[n.start+1 : n.end-1]
}

// isText reports whether the string v has the text s, without allocating for
// ordinary keys.
func (v Value) isText(s string) bool {
	if v.made != nil {
		return v.made.text == s
	}
	raw := v.inner()
	if v.node().meta&metaEscaped == 0 {
		return string(raw) == s
	}
	if len(raw) < len(s) {
		return false // text is never longer than its raw form
	}
	var buf [64]byte
	return string(appendText(buf[:0], raw)) == s
}
