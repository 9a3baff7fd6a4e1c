package main

import "github.com/spf13/cobra"

// commands lists all commands, in the order of --help.
func (a *app) commands() []*cobra.Command {
	return []*cobra.Command{
		a.initCommand(),
		a.doctorCommand(),
		a.demoCommand(),
		a.demoServerCommand(),
		a.mcpCommand(),
		a.lsCommand(),
		a.showCommand(),
		a.diffCommand(),
		a.reviewCommand(),
		a.quarantineCommand(),
		a.revokeCommand(),
		a.rollbackCommand(),
		a.traceCommand(),
		a.blameCommand(),
		a.attestCommand(),
		a.sessionCommand(),
		a.checkCommand(),
		a.verifyCommand(),
		a.checkpointCommand(),
		a.policyCommand(),
		a.exportCommand(),
		a.attackCommand(),
		a.benchCommand(),
		a.versionCommand(),
	}
}
