package main

import "github.com/spf13/cobra"

// group makes a command that only has others below it: alone it prints its help, and a
// word that is none of them is a usage error, where cobra would print help and call it
// a success.
func group(c *cobra.Command, below ...*cobra.Command) *cobra.Command {
	c.AddCommand(below...)
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usageError("%s has no command %q; see `%s --help`", c.CommandPath(), args[0], c.CommandPath())
		}
		return c.Help()
	}
	return c
}
