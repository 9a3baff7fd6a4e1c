package hook

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hearsay-memory/hearsay/internal/hosts"
	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// Bounds of the paths that are looked for in a call's arguments: paths, bytes of one, and
// JSON in a text in JSON.
const (
	maxGiven  = 1_024
	longGiven = 4_096
	deepGiven = 3
)

// planGiven looks at the files that a tool is given of which nobody knows what it does
// with them, such as one of an MCP server. Only whole paths count, however the argument is
// called: what else looks like one may be a name in somebody else's tree. What the tool
// does to other files is found after it.
func (h *Handler) planGiven(e hosts.Event, p *plan) {
	reads := slices.Equal(p.names, []string{"mcp.read"})
	p.loose = !reads
	args, err := strictjson.Limits{}.Parse(e.Tool.Args)
	if err != nil {
		p.refuse = "Refused: the arguments of this tool cannot be read."
		return
	}
	names, complete := h.given(nil, args, deepGiven)
	if !complete {
		p.refuse = "Refused: this call names more files than can be looked at. Make several calls of it."
		return
	}
	for _, name := range names {
		real := h.Files.Resolve(e.Dir, name)
		switch {
		case h.Files.ambiguous(e.Dir, name):
			p.refuse = twoWays
			return
		case h.Files.ours(real):
			p.refuse = "Refused: Hearsay's own files hold text that waits for a person; an agent does not read or write them."
			return
		case reads:
			continue
		}
		switch h.Files.Class(real) {
		case memfile.Protected:
			if p.refuse = h.Files.Refusal(real); p.refuse == "" {
				p.refuse = "Refused: this tool may change instruction files, settings of the agent or Hearsay's own files. The user changes those, not an agent's tools."
			}
			return
		case memfile.Memory:
			p.touches = append(p.touches, real)
		}
	}
}

// given appends the whole paths in v, those of addresses of files among them.
func (h *Handler) given(out []string, v strictjson.Value, depth int) (names []string, complete bool) {
	for s := range v.Strings() {
		text := s.String()
		if depth > 0 && (strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")) {
			if in, err := (strictjson.Limits{}).Parse([]byte(text)); err == nil {
				if out, complete = h.given(out, in, depth-1); !complete {
					return out, false
				}
				continue
			}
		}
		text = strings.TrimSpace(text)
		if len(text) >= len("file:") && strings.EqualFold(text[:len("file:")], "file:") {
			if u, err := url.Parse(text); err == nil {
				text = u.Path
			}
		}
		if len(text) > longGiven || strings.ContainsAny(text, "\n\x00") || !filepath.IsAbs(text) && !strings.HasPrefix(text, "~/") {
			continue
		}
		if out = append(out, text); len(out) > maxGiven {
			return out, false
		}
	}
	return out, true
}
