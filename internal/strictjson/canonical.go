package strictjson

import (
	"slices"
	"strings"
)

// AppendCanonical appends the canonical encoding of a value: members sorted by the
// bytes of their keys, no white space, strings with no escape but where needed,
// numbers exactly as they were written. Two values have the same encoding if and
// only if they are equal but for the order of members; 1 and 1.0 are two numbers.
//
// It is what the arguments of one call have in common where the host hands them to
// its hook and where it sends them to an MCP server.
func AppendCanonical(dst []byte, v Value) []byte {
	switch v.Kind() {
	case KindArray:
		dst = append(dst, '[')
		for i, e := range v.Elements() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendCanonical(dst, e)
		}
		return append(dst, ']')
	case KindObject:
		members := make([]Member, 0, v.Len())
		for key, e := range v.Members() {
			members = append(members, Member{Key: key, Value: e})
		}
		slices.SortFunc(members, func(a, b Member) int { return strings.Compare(a.Key, b.Key) })
		dst = append(dst, '{')
		for i, m := range members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendValue(dst, String(m.Key))
			dst = append(dst, ':')
			dst = AppendCanonical(dst, m.Value)
		}
		return append(dst, '}')
	}
	return AppendValue(dst, v)
}
