package hearsay

import "strings"

// Source is where a piece of text came from. Only the type takes part in
// decisions; it is resolved to a [Class] by the policy's source table.
type Source struct {
	Type  string `json:"type"`            // "user", "web", "github_issue", "mcp:github", …
	Ref   string `json:"ref,omitempty"`   // URL, path or message id; free text, for people
	Actor string `json:"actor,omitempty"` // who wrote it there, as the surface learnt it
}

// enriched marks a rewrite by a model, which inherits what it rewrote.
const enriched = "_enriched"

// BaseType returns the type with every trailing "_enriched" stripped: a rewrite
// by a model cannot launder the text that it rewrote.
func (s Source) BaseType() string {
	t := s.Type
	for strings.HasSuffix(t, enriched) {
		t = strings.TrimSuffix(t, enriched)
	}
	return t
}

// Class is what a source amounts to: its origin, how far it carries and, where
// it taints, under which tag. The zero value is external, sinks the session and
// taints as unknown.
type Class struct {
	Origin Origin `json:"origin"`
	Reach  Reach  `json:"reach"`
	Tag    string `json:"tag,omitempty"`
}

// Label returns the label of text from the source. Only a source that reaches
// the session taints; one that reaches words lowers the origin alone.
func (c Class) Label() Label {
	if c.Reach != ReachSession {
		return Label{Origin: c.Origin.norm(), Taint: Untainted}
	}
	if c.Tag == "" {
		return Label{Origin: c.Origin.norm()}
	}
	return Label{Origin: c.Origin.norm(), Taint: NewTaint(c.Tag)}
}

// SessionLabel returns what reading the source does to the session.
func (c Class) SessionLabel() Label {
	if c.Reach != ReachSession {
		return LabelIdentity
	}
	return c.Label()
}
