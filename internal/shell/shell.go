// Package shell says what a shell command does before it runs: what flows into its
// output, which files it reads, writes and deletes, and which consequential actions
// it takes.
//
// It reads a command as a careful person would, without running anything: the
// words after quoting, variables that the command itself sets, where a "cd" leads,
// the text that is handed to another interpreter. Where it cannot tell, it says so
// ([Effects.Opaque], [Effects.Unsure]) and never guesses in favour of the command.
// It sees names, not the file system, so links and aliases of the user's own shell
// escape it: it is evidence for a policy, and hashing guarded files after a command
// stays necessary.
//
// Analysis is pure, bounded in time, depth and number, and never fails: what is
// over a bound is opaque.
package shell

import (
	"strings"

	"github.com/hearsay-memory/hearsay"
)

// Dialect is the language that a command is written in. The zero value is Bash.
type Dialect uint8

const (
	Bash       Dialect = iota // Bash, and what other POSIX shells share with it
	PowerShell                // Windows PowerShell and PowerShell 7
)

// Context is where a command would run. In the zero value nothing is known: every
// file lies outside the workspace, and relative paths cannot be told.
type Context struct {
	Dir       string   // absolute slash path of the working directory
	Home      string   // the user's home; "" not known
	Workspace []string // roots of the user's own tree
	// Untrusted reports whether a path lies in a tree that somebody else wrote
	// (cloned, unpacked, node_modules …). It must be pure. Nil: there is none.
	Untrusted func(path string) bool
	Dialect   Dialect
}

// Effects is what a command does. Lists are sorted and hold each member once.
// Paths are absolute and clean. A path that depends on a variable or a pattern is
// cut after its last "/" before that, and a path of which nothing is known is "/":
// such a path, like that of a directory, stands for whatever lies beneath it.
//
// Where it depends on the file system what a command does (whether the target of
// a copy is a directory, whether a "cd" succeeds), both answers are given.
type Effects struct {
	// Sources is what flows into the output or into files that are written:
	// {web, URL or host} for the network, {document, path} for a file outside
	// the workspace, {dependency, path} for one in an untrusted tree,
	// {workspace_file, path}, {unknown} where it cannot be told.
	Sources []hearsay.Source
	// Actions are dotted names; "shell.execute" is always one of them.
	Actions                []string
	Reads, Writes, Deletes []string
	// Fetched are trees and files that the command brings from elsewhere, to be
	// remembered as untrusted.
	Fetched []string
	// Programs are the base names of the programs that it runs, where they can be told.
	Programs    []string
	Installs    bool // software is installed
	Background  bool // a process is left behind
	Interactive bool // a shell or interpreter starts that takes its commands later
	Opaque      bool // some part could not be read
	Unsure      bool // some part was read, but what it touches could not be told
}

// Analyze returns what a command does in c.
func Analyze(command string, c Context) Effects {
	w := newWalker(c, len(command))
	switch {
	case len(command) > maxCommand:
		w.opaque()
	case c.Dialect == PowerShell:
		w.powerShell(command)
	case c.Dialect != Bash:
		w.opaque()
	default:
		w.program(command, stream{})
	}
	return w.effects()
}

// clean replaces the bytes that this package keeps for itself, which no program
// can be given in an argument or which no honest command holds.
func (w *walker) clean(text string) string {
	if strings.IndexByte(text, unknownByte) < 0 && strings.IndexByte(text, splitByte) < 0 {
		return text
	}
	w.opaque()
	return strings.NewReplacer(string(rune(unknownByte)), "", string(rune(splitByte)), " ").Replace(text)
}
