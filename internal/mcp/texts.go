package mcp

import (
	"strings"

	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// Bounds of what is looked for inside texts.
const (
	maxInner = 4 // JSON in a text in JSON …
	maxLines = 5_000
	maxWord  = 32 // bytes
	maxID    = 72 // bytes: a digest and some more
)

// texts returns every text in v, keys included, and after each that is itself JSON the
// texts in that: a server may read it so, and escapes would hide words.
func texts(v strictjson.Value) []string { return textsIn(nil, v, maxInner) }

func textsIn(out []string, v strictjson.Value, depth int) []string {
	for s := range v.Strings() {
		text := s.String()
		out = append(out, text)
		if depth == 0 {
			continue
		}
		if inner, ok := container(text); ok {
			out = textsIn(out, inner, depth-1)
		}
	}
	return out
}

// container reads a text that is a JSON object or array.
func container(text string) (strictjson.Value, bool) {
	if t := strings.TrimLeft(text, " \t\r\n"); t == "" || t[0] != '{' && t[0] != '[' {
		return strictjson.Value{}, false
	}
	v, err := limits.Parse([]byte(text))
	return v, err == nil
}

// keptTexts lists what a call puts into the memory where the profile does not say: every
// text, however the argument is called, and each line of it where the server gives back
// other pieces. What only names something is left out, and so are single words and ids:
// they are in every answer, and a held one would hide them all.
func keptTexts(args strictjson.Value, t Tool, lines bool) []guard.Item {
	var out []guard.Item
	seen := make(map[string]bool)
	add := func(text string) {
		if !seen[text] && !isWord(text) {
			seen[text] = true
			out = append(out, guard.Item{Kind: textItem, Parts: []string{text}})
		}
	}
	names := make(map[string]bool, len(t.Names))
	for _, n := range t.Names {
		names[n] = true
	}
	keep, _ := strictjson.Rewrite(args, func(path strictjson.Path, v strictjson.Value) (strictjson.Value, bool) {
		return v, len(path) != 1 || !names[path[0].Key.String()] || v.Kind() == strictjson.KindObject || v.Kind() == strictjson.KindArray
	})
	for _, text := range texts(keep) {
		add(text)
		if lines {
			for line := range strings.SplitSeq(text, "\n") {
				add(strings.TrimSpace(line))
			}
		}
	}
	return out
}

// isWord reports whether a text says nothing by itself: nothing at all, a word, or an id.
func isWord(s string) bool {
	if !speaks(s) || isID(s) {
		return true
	}
	for _, c := range []byte(s) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_') {
			return false
		}
	}
	return len(s) <= maxWord
}

// isID reports whether a text is a number, a time or a digest: there are no words in it.
func isID(s string) bool {
	for _, c := range []byte(s) {
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F') && strings.IndexByte("-+.:TZ/", c) < 0 {
			return false
		}
	}
	return s != "" && len(s) <= maxID
}

// speaks reports whether a text has a letter or a digit; others are rules and brackets.
func speaks(s string) bool { return strings.IndexFunc(s, isLetterOrDigit) >= 0 }
