package memtool

import (
	"path"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// top is what the model calls the folder.
const top = "/memories"

// Bounds of a name. A part leaves room for what stands beside a file while it is written.
const (
	maxDepth = 8
	maxPart  = 200 // bytes
)

// name is a file or folder below /memories, by its parts; none: the folder itself.
type name []string

func (n name) String() string { return top + strings.Join(append([]string{""}, n...), "/") }

// below is the name relative to the folder, slash separated.
func (n name) below() string { return path.Join(n...) }

// parseName reads a path. One that could mean two things, to another system or to a
// reader, is refused with what to use instead; it is not repeated.
func parseName(v strictjson.Value) (name, error) {
	s := v.String()
	rest, ok := strings.CutPrefix(s, top)
	if v.Kind() != strictjson.KindString || !ok || rest != "" && rest[0] != '/' {
		return nil, faultf("Path must start with %s, such as %s/notes.md", top, top)
	}
	if rest = strings.TrimSuffix(strings.TrimPrefix(rest, "/"), "/"); rest == "" {
		return nil, nil
	}
	parts := strings.Split(rest, "/")
	if len(parts) > maxDepth {
		return nil, faultf("The path is more than %d folders deep: use a shorter one", maxDepth)
	}
	for _, p := range parts {
		if why := oddPart(p); why != "" {
			return nil, faultf("The path is refused: %s. Use a plain path below %s, such as %s/notes.md", why, top, top)
		}
	}
	return parts, nil
}

// oddPart says why a part of a path is not one that every system reads alike; empty: it
// is.
func oddPart(p string) string {
	switch {
	case p == "":
		return "a part of it is empty"
	case p == "." || p == "..":
		return "it leads by . or .."
	case p[0] == '.':
		return "a part of it begins with a dot, which hides it"
	case len(p) > maxPart:
		return "a part of it is too long"
	case strings.ContainsAny(p, `\:*?"<>|`):
		return "it has a character that some systems do not have in names"
	case strings.IndexFunc(p, func(r rune) bool { return r == unicode.ReplacementChar || !unicode.IsPrint(r) }) >= 0:
		return "it has a character that is not seen"
	case !norm.NFC.IsNormalString(p):
		return "its accents are spelt apart"
	}
	_, odd := memfile.Plain(p)
	return odd
}

// plainWords is how many words a name may have and still be no text.
const plainWords = 3

// says is what the parts of a name say that say more than a name does, such as a
// sentence; empty: none does.
func says(parts []string) string {
	var out []string
	for _, p := range parts {
		base := strings.TrimSuffix(p, path.Ext(p))
		words := strings.FieldsFunc(base, func(r rune) bool { return strings.ContainsRune("-_ .", r) })
		if len(words) > plainWords || strings.ContainsRune(base, '@') {
			out = append(out, strings.Join(words, " "))
		}
	}
	return strings.Join(out, "\n")
}
