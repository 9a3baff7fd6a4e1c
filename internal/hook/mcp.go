package hook

import (
	"slices"
	"strings"

	"github.com/hearsay-memory/hearsay"
)

// readingVerbs begin the names of tools that look and do not change. Names are the
// server's own words, so one whose settings came with a repository is not believed.
var readingVerbs = []string{
	"get", "list", "read", "search", "find", "fetch", "query", "view", "show", "describe", "lookup", "look", "count", "check",
	"open", "inspect", "browse", "retrieve", "recall", "status", "diff", "summarize", "snapshot", "screenshot", "navigate", "resolve",
}

// changingVerbs anywhere in a name say that the tool changes something as well.
var changingVerbs = []string{
	"create", "add", "update", "set", "write", "store", "save", "send", "post", "put", "insert", "edit", "append", "upload", "merge", "push",
	"run", "execute", "exec", "eval", "import", "move", "rename", "close", "comment", "reply", "approve", "publish", "submit", "upsert",
}

var deletingVerbs = []string{"delete", "remove", "drop", "destroy", "purge", "erase", "wipe", "clear", "forget"}

// mcpAction names what a call of a server that is no memory server of ours amounts to.
func mcpAction(tool, settings string) string {
	words := toolWords(tool)
	among := func(list []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(list, w) })
	}
	switch {
	case among(deletingVerbs):
		return "mcp.delete"
	case settings != "project" && len(words) > 0 && slices.Contains(readingVerbs, words[0]) && !among(changingVerbs):
		return "mcp.read"
	}
	return "mcp.write"
}

// toolWords cuts a tool's name at punctuation and where a capital follows a small letter.
func toolWords(name string) []string {
	var b strings.Builder
	small := false
	for _, r := range name {
		switch {
		case r >= 'A' && r <= 'Z':
			if small {
				b.WriteByte(' ')
			}
			r, small = r+'a'-'A', false
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			small = true
		default:
			r, small = ' ', false
		}
		b.WriteRune(r)
	}
	return strings.Fields(b.String())
}

// mcpSource is what a server's results come from. A name that cannot stand in a taint
// is of an unknown source.
func mcpSource(server string) hearsay.Source {
	s := hearsay.Source{Type: "mcp:" + strings.ToLower(server), Ref: server}
	if !hearsay.ValidTag(s.Type) || server == "" {
		s.Type = hearsay.UnknownTag
	}
	return s
}
