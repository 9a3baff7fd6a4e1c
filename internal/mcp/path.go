package mcp

import (
	"strconv"

	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// joinPath and joinIndex name a value by the way to it. The separators occur in no
// valid key: a member and an element are never one place.
func joinPath(path, key string) string        { return path + "\x00k" + key }
func joinIndex(path string, index int) string { return path + "\x00i" + strconv.Itoa(index) }

// pathString is the name of a place in a rewrite.
func pathString(p strictjson.Path) string {
	s := ""
	for _, step := range p {
		if step.Key.Kind() == strictjson.KindString {
			s = joinPath(s, step.Key.String())
		} else {
			s = joinIndex(s, step.Index)
		}
	}
	return s
}
