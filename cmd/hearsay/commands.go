package main

import "github.com/spf13/cobra"

// named is a command that is made when it is needed.
type named struct {
	name string
	make func() *cobra.Command
}

// all lists all commands, in the order of --help.
func (a *app) all() []named {
	return []named{
		{"init", a.initCommand},
		{"doctor", a.doctorCommand},
		{"demo", a.demoCommand},
		{"demo-server", a.demoServerCommand},
		{"mcp", a.mcpCommand},
		{"remember", a.rememberCommand},
		{"recall", a.recallCommand},
		{"pin", a.pinCommand},
		{"unpin", a.unpinCommand},
		{"forget", a.forgetCommand},
		{"import", a.importCommand},
		{"sleep", a.sleepCommand},
		{"audit", a.auditCommand},
		{"memory-tool", a.memoryToolCommand},
		{"ls", a.lsCommand},
		{"show", a.showCommand},
		{"diff", a.diffCommand},
		{"review", a.reviewCommand},
		{"quarantine", a.quarantineCommand},
		{"revoke", a.revokeCommand},
		{"rollback", a.rollbackCommand},
		{"trace", a.traceCommand},
		{"blame", a.blameCommand},
		{"attest", a.attestCommand},
		{"session", a.sessionCommand},
		{"check", a.checkCommand},
		{"verify", a.verifyCommand},
		{"checkpoint", a.checkpointCommand},
		{"policy", a.policyCommand},
		{"export", a.exportCommand},
		{"attack", a.attackCommand},
		{"bench", a.benchCommand},
		{"version", a.versionCommand},
	}
}

// commands makes the command that a command line begins with; all of them where it begins
// with something else. To make them all costs as much as a short command does.
func (a *app) commands(args []string) []*cobra.Command {
	var made []*cobra.Command
	for _, c := range a.all() {
		if len(args) > 0 && args[0] == c.name {
			return []*cobra.Command{c.make()}
		}
	}
	for _, c := range a.all() {
		made = append(made, c.make())
	}
	return made
}
