package main

import "github.com/spf13/cobra"

// commands lists all commands, in the order of --help.
func (a *app) commands() []*cobra.Command {
	return []*cobra.Command{
		a.initCommand(),
		a.doctorCommand(),
		a.verifyCommand(),
		a.checkpointCommand(),
		a.versionCommand(),
	}
}
