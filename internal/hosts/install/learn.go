package install

import (
	"slices"
	"strings"
)

// memoryWords are words in the names of memory servers. They say that a person should
// look, and decide nothing.
var memoryWords = []string{"mem", "mem0", "memento", "remember", "recall", "graphiti", "letta", "zep", "cognee"}

// looksLikeMemory reports whether a server's name or what it starts says that it keeps
// memories.
func looksLikeMemory(name string, command []string) bool {
	const most = 16 // words of a command line
	for i, word := range append([]string{name}, command[:min(len(command), most)]...) {
		if i > 0 && strings.HasPrefix(word, "-") {
			continue // a flag, such as how much memory a container has
		}
		for part := range strings.FieldsFuncSeq(strings.ToLower(word), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }) {
			if strings.Contains(part, "memor") || slices.Contains(memoryWords, part) {
				return true
			}
		}
	}
	return false
}

// learnAdvice says how a profile for a server is made. The server's own arguments are not
// repeated: there may be keys among them.
func learnAdvice(name string) string {
	draft := strings.Trim(strings.ReplaceAll(strings.ToLower(spelt(name)), "_", "-"), "-")
	if draft == "" {
		draft = "notes"
	}
	return "if docs/profiles.md has its profile, write --profile=NAME in place of --profile=source; else `hearsay mcp --learn --name " + draft + " -- COMMAND` drafts one from its own command line"
}
