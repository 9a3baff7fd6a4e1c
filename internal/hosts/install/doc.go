// Package install puts Hearsay's hooks into the settings of agent hosts, and its
// gateway in front of their MCP servers, and takes both out again.
//
// A host is one file with one value in a table. Editing is pure: [Host.Install],
// [Host.Remove] and [Host.State] get a function that reads, and return what would
// change; [Apply] alone writes.
//
// Removal gives back the bytes that were there: Remove(Install(x)) is x for every
// valid x that holds nothing of ours. What has to be remembered for that (was the
// empty list there, or did we make it?) is kept in the white space and in the order
// of keys of our own entries, never in a file of its own that could be lost or forged.
// Where a host has rewritten its file since, the result means the same as x.
//
// Our entries are known by the name of their program, wherever it lies, so that an
// older path is upgraded and never doubled. That somebody else can make an entry with
// this name gains nothing: installing replaces it, and [State] tells its path.
package install

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxFile bounds a settings file, in bytes. Longer ones are refused.
const MaxFile = 4 << 20

// The programs that our entries start. The names are what entries are known by.
const (
	hookProgram    = "hearsay-hook"
	gatewayProgram = "hearsay"
)

// Scope says whose settings are edited.
type Scope uint8

const (
	User    Scope = iota // the person's own, in the home directory
	Project              // those of one project, in its directory; they may come from a repository
)

// Options are what is installed. Paths are absolute; arguments hold no control
// characters. The zero Options are refused.
type Options struct {
	// Binary is the hook program; its base name is hearsay-hook, with .exe on Windows.
	Binary string
	// Args are the arguments that it gets.
	Args []string
	// Gateway is what goes before an MCP server's command: a program named hearsay,
	// "mcp", flags, and "--" at the end. The flags [ServerName] and [ServerProfile] are
	// filled in for each server. Nil leaves servers alone.
	Gateway []string
	// Profile says by which profile a proxy reads the server that a command line starts;
	// empty: nobody knows it. Nil knows none. It gets command lines of files that anybody
	// may have written.
	Profile func(command []string) string
	// Only are the names of the servers to wrap; nil means all that speak stdio. A name
	// that no server has is an error.
	Only []string
}

const (
	maxArgs = 64
	maxArg  = 4096 // bytes
)

func (o Options) check() error {
	if !filepath.IsAbs(o.Binary) || !isProgram(o.Binary, hookProgram) {
		return fmt.Errorf("install: %q is not an absolute path of %s", o.Binary, hookProgram)
	}
	if err := checkArgs(append([]string{o.Binary}, o.Args...)); err != nil {
		return err
	}
	if o.Gateway == nil {
		return nil
	}
	g := o.Gateway
	if len(g) < 3 || !filepath.IsAbs(g[0]) || gatewayLen(append(slices.Clone(g), "x")) != len(g) {
		return errors.New(`install: a gateway is an absolute path of hearsay, "mcp", its flags and "--"`)
	}
	return checkArgs(g)
}

func checkArgs(args []string) error {
	if len(args) > maxArgs {
		return fmt.Errorf("install: more than %d arguments", maxArgs)
	}
	for _, a := range args {
		if len(a) > maxArg || !utf8.ValidString(a) || strings.ContainsFunc(a, unicode.IsControl) {
			return fmt.Errorf("install: the argument %.80q is too long, not UTF-8 or has control characters", a)
		}
	}
	return nil
}

// isProgram reports whether path names the program, on any system.
func isProgram(path, name string) bool {
	base := path[strings.LastIndexAny(path, `/\`)+1:]
	return base == name || strings.EqualFold(base, name+".exe")
}

// Error is a settings file that is refused. Nothing was written.
type Error struct {
	File         string
	Line, Column int    // from 1, the column in bytes; 0 where the whole file is meant
	Problem      string // what is wrong; safe to print
	Advice       string // what to do
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s; %s", e.File, e.Problem, e.Advice)
	}
	return fmt.Sprintf("%s:%d:%d: %s; %s", e.File, e.Line, e.Column, e.Problem, e.Advice)
}
