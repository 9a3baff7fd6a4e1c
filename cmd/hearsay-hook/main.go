// Command hearsay-hook is what an agent host runs at fixed points of a session: it
// reads the host's JSON from its standard input and answers in the host's own form.
//
//	hearsay-hook HOST --home DIR [--agent NAME]
//
// HOST is a dialect: claude, codex, gemini, cursor, copilot or windsurf. The home stands on the command
// line, which the host's settings hold; the environment is not asked, because an agent
// can set it.
//
// A deliberate answer exits 0. When the hook itself fails, what writes memory or is
// privileged is refused by exit code 2 and a line on the standard error, and all else
// goes on; the session is then tainted at its next event.
package main

import (
	"io"
	"os"
)

func main() {
	os.Exit(run(os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}, os.Getenv, deadline))
}

// streams are what a host gives its hook.
type streams struct {
	in       io.Reader
	out, err io.Writer
}
