package main

import "github.com/spf13/cobra"

// quarantineCommand is review under the name that the first tool of this kind gave it.
func (a *app) quarantineCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:   "quarantine",
		Short: "The same as review list, show, approve and reject",
		Long: `What is held, by the name that some know it under: each command is that of hearsay review,
with the same flags. hearsay review by itself walks through the queue.`,
	},
		a.reviewListCommand(),
		a.reviewShowCommand(),
		a.reviewApproveCommand(),
		a.reviewRejectCommand(),
	)
}
