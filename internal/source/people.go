package source

import (
	"iter"
	"strings"
)

// People are the persons that a policy knows, by connector: the keys are the
// person's name and then the connector ("github", "slack", "discord", or the part
// of a channel's type after "channel:"), the value is the person's id there. Ids
// are compared byte for byte.
type People map[string]map[string]string

// account is one id at one connector.
type account struct{ connector, id string }

// accounts yields every account and whose it is.
func (p People) accounts() iter.Seq2[account, string] {
	return func(yield func(account, string) bool) {
		for name, at := range p {
			for connector, id := range at {
				if !yield(account{connector, id}, name) {
					return
				}
			}
		}
	}
}

// Connector returns the connector that vouches for the actors of a base type:
// "github" for "github_issue", "slack" for "slack_message" and "channel:slack".
// It is empty where no connector does.
func Connector(base string) string {
	if name, ok := strings.CutPrefix(base, "channel:"); ok {
		return name
	}
	if name, _, ok := strings.Cut(base, "_"); ok {
		return name
	}
	return ""
}
