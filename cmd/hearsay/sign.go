package main

import (
	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/people"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
)

// signing is the key that a command line names.
type signing struct{ people.Key }

func (s *signing) flags(c *cobra.Command) {
	c.Flags().StringVar(&s.Reviewer, "reviewer", "", "who signs (default: the only reviewer)")
	c.Flags().StringVar(&s.File, "passphrase-file", "", "read the passphrase from the first line of `FILE`, for scripts")
}

// confirmed asks the person a question, unless yes answers it, and unlocks the key that signs once
// they said yes. Wipe the signer after use.
func (s *signing) confirmed(in *instance.Instance, who *people.Person, yes bool, question string) (*reviewer.Signer, error) {
	if err := who.Confirm(yes, question); err != nil {
		return nil, err
	}
	return s.Unlock(in, who)
}
