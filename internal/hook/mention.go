package hook

import (
	"strconv"
	"strings"
	"unicode"
)

// Bounds of what is looked for in one prompt: the files that it pulls in, the names that
// may be one of a file, the bytes of a name, and those that are read to find names.
const (
	maxMentions = 64
	maxTried    = 20_000
	maxNamed    = 4_096
	maxSearched = 16 << 20
)

// mention is what may be the name of a file in a prompt, and the lines of it that are
// asked for, as spelt.
type mention struct{ name, lines string }

// mentioned lists what the "@" of a prompt may stand before, each once. Hosts differ in
// where a name ends: at white space, where no backslash stands before it, at a quotation
// mark, at a comma. Each reading is one, and what is no file falls out later. complete is
// false where there are more than are tried.
func mentioned(prompt string) (out []mention, complete bool) {
	seen := make(map[mention]bool)
	add := func(name, lines string) {
		name = strings.TrimLeft(strings.TrimRight(name, "\"'`.,;:!?()[]{}<>"), "\"'`([{<")
		if m := (mention{name, lines}); name != "" && !seen[m] {
			seen[m] = true
			out = append(out, m)
		}
	}
	left := maxSearched
	for rest := prompt; ; {
		var found bool
		if _, rest, found = strings.Cut(rest, "@"); !found {
			return out, true
		}
		for _, name := range readings(rest[:min(len(rest), maxNamed)]) {
			add(name, "")
			if before, lines, ok := strings.Cut(name, "#"); ok {
				add(before, lines)
			}
			left -= len(name) + 1
		}
		if len(out) > maxTried || left < 0 {
			return out, false
		}
	}
}

// readings are the names that a text may begin with.
func readings(text string) []string {
	if text != "" && strings.ContainsRune("\"'`", rune(text[0])) {
		if name, _, ok := strings.Cut(text[1:], text[:1]); ok {
			return []string{name}
		}
	}
	word, plain := text, true
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			plain = false
			i++
		} else if text[i] <= ' ' {
			word = text[:i]
			break
		}
	}
	names := []string{word}
	if i := strings.IndexFunc(word, ends); i > 0 {
		names = append(names, word[:i])
	}
	if plain {
		return names
	}
	for _, name := range names {
		names = append(names, unescaped(name))
	}
	return append(names, strings.Fields(text)[0])
}

// ends reports whether a name ends before a character for some host.
func ends(r rune) bool {
	return strings.ContainsRune(",;!?()[]{}<>|@\"'`", r) || r >= 0x80 && (unicode.IsPunct(r) || unicode.IsSpace(r))
}

// unescaped takes the backslashes out that stand before a character.
func unescaped(name string) string {
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		if name[i] == '\\' && i+1 < len(name) {
			i++
		}
		b.WriteByte(name[i])
	}
	return b.String()
}

// mentionedRange reads the lines that a mention asks for, as in L10-20; all where it does
// not say, none where that cannot be read.
func mentionedRange(lines string) lineRange {
	first, last, isRange := strings.Cut(strings.Trim(lines, "\"'`.,;:!?()[]{}<>"), "-")
	if first == "" {
		return lineRange{0, readLines}
	}
	if !isRange {
		last = first
	}
	from, err1 := strconv.Atoi(strings.TrimPrefix(first, "L"))
	to, err2 := strconv.Atoi(strings.TrimPrefix(last, "L"))
	if err1 != nil || err2 != nil {
		return lineRange{}
	}
	return lineRange{from - 1, min(to, from-1+readLines)}
}
