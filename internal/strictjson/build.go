package strictjson

import "strconv"

// A Member is a key and its value, for [Object].
type Member struct {
	Key   string
	Value Value
}

// Null returns the null value.
func Null() Value { return Value{made: &made{kind: KindNull, text: "null"}} }

// Bool returns true or false.
func Bool(b bool) Value { return Value{made: &made{kind: KindBool, text: strconv.FormatBool(b)}} }

// Int returns a whole number. Beyond ±2⁵³ some readers lose digits.
func Int(n int64) Value {
	return Value{made: &made{kind: KindNumber, text: strconv.FormatInt(n, 10)}}
}

// String returns a string. Bytes of s that are not UTF-8 are written as U+FFFD.
func String(s string) Value { return Value{made: &made{kind: KindString, text: s}} }

// Array returns an array of the given elements, which are copied.
func Array(elements ...Value) Value {
	return madeArray(append([]Value(nil), elements...))
}

func madeArray(vals []Value) Value { return Value{made: &made{kind: KindArray, vals: vals}} }

// Object returns an object of the given members in order. Of members whose keys
// are equal or differ only by case the last stands, in the place of the first,
// so that the result is one [Limits.Parse] accepts.
func Object(members ...Member) Value {
	keys, vals := make([]Value, 0, len(members)), make([]Value, 0, len(members))
	place := make(map[string]int, len(members))
	var f folder
	for _, m := range members {
		folded := string(f.appendText(nil, m.Key))
		if i, ok := place[folded]; ok {
			keys[i], vals[i] = String(m.Key), m.Value
			continue
		}
		place[folded] = len(keys)
		keys, vals = append(keys, String(m.Key)), append(vals, m.Value)
	}
	return madeObject(keys, vals)
}

func madeObject(keys, vals []Value) Value {
	return Value{made: &made{kind: KindObject, keys: keys, vals: vals}}
}

// With returns the object v with the member set. It takes the place of a member
// whose key is equal or differs only by case, else it comes last. A value that
// is not an object is replaced by an object of the one member.
func (v Value) With(key string, val Value) Value {
	var f folder
	folded := string(f.appendText(nil, key))
	keys, vals := make([]Value, 0, v.Len()+1), make([]Value, 0, v.Len()+1)
	done := false
	var buf []byte
	for k, e := range v.members() {
		buf = k.appendFolded(buf[:0], &f)
		if string(buf) == folded {
			k, e, done = String(key), val, true
		}
		keys, vals = append(keys, k), append(vals, e)
	}
	if !done {
		keys, vals = append(keys, String(key)), append(vals, val)
	}
	return madeObject(keys, vals)
}

// Without returns the object v without the member whose key is equal to key or
// differs from it only by case. It returns v itself if there is none.
func (v Value) Without(key string) Value {
	var f folder
	folded := string(f.appendText(nil, key))
	keys, vals := make([]Value, 0, v.Len()), make([]Value, 0, v.Len())
	var buf []byte
	for k, e := range v.members() {
		buf = k.appendFolded(buf[:0], &f)
		if string(buf) != folded {
			keys, vals = append(keys, k), append(vals, e)
		}
	}
	if len(keys) == v.Len() {
		return v
	}
	return madeObject(keys, vals)
}

// appendFolded appends the folded text of a string.
func (v Value) appendFolded(dst []byte, f *folder) []byte {
	if v.made != nil {
		return f.appendText(dst, v.made.text)
	}
	return f.appendRaw(dst, v.inner())
}
