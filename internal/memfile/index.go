package memfile

import (
	"bytes"
	"net/url"
	"slices"
	"strings"
)

// maxTopic bounds the name of a topic file, in bytes.
const maxTopic = 255

// Topics lists the files beside it that an index names, sorted: by a link to NAME.md, or
// to ./NAME.md, or by @NAME.md. What lies in another folder is none.
func Topics(index []byte) []string {
	var out []string
	for line := range bytes.Lines(index) {
		text := string(line)
		for rest := text; ; {
			_, after, found := strings.Cut(rest, "](")
			if !found {
				break
			}
			rest = after
			if name, ok := topic(linked(after)); ok {
				out = append(out, name)
			}
		}
		for rest := text; ; {
			before, after, found := strings.Cut(rest, "@")
			if !found {
				break
			}
			rest = after
			if n := len(before); n > 0 && before[n-1] > ' ' && before[n-1] != '(' {
				continue // an address, not an import
			}
			end := strings.IndexAny(after, " \t\r\n)")
			if end < 0 {
				end = len(after)
			}
			if name, ok := topic(strings.TrimRight(after[:end], ".,;:")); ok {
				out = append(out, name)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// linked is the target of a link whose "](" was read, without title, angle brackets and
// anchor.
func linked(s string) string {
	s, _, _ = strings.Cut(s[:min(len(s), 4*maxTopic)], "](") // the next one
	s = strings.TrimLeft(s, " ")
	if inner, ok := strings.CutPrefix(s, "<"); ok {
		s, _, _ = strings.Cut(inner, ">")
	} else if end := strings.IndexAny(s, " \t\r\n)"); end >= 0 {
		s = s[:end]
	}
	s, _, _ = strings.Cut(s, "#")
	if plain, err := url.PathUnescape(s); err == nil {
		s = plain
	}
	return s
}

// topic returns the name of a topic file beside the index.
func topic(name string) (string, bool) {
	name = strings.TrimPrefix(name, "./")
	if len(name) > maxTopic || len(name) <= len(".md") || !strings.EqualFold(name[len(name)-len(".md"):], ".md") || strings.ContainsAny(name, "/\\:") {
		return "", false
	}
	return name, true
}
