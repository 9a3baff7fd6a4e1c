package shell

import (
	"maps"
	"sync"
)

// kind is how a program reads its arguments.
type kind uint8

const (
	kindQuiet   kind = iota // touches nothing that its arguments name
	kindBuiltin             // changes the shell itself
	kindReads               // reads its operands
	kindPattern             // reads its operands but the first, which is a pattern
	kindWrites              // writes its operands
	kindCopies              // writes its last operand from the others
	kindMoves               // likewise, and the others are gone
	kindRemoves             // deletes its operands
	kindSed
	kindAwk
	kindDd
	kindFind
	kindUnpack
	kindPatch
	kindPass  // reads operands and hands on what flows in
	kindTee   // writes operands and hands on what flows in
	kindWraps // runs the command that its arguments are
	kindXargs
	kindShell
	kindCode // an interpreter of another language
	kindFetch
	kindCopiesAway // scp, rsync
	kindRemote     // ssh
	kindRunner     // runs code of the directory
	kindTool       // has subcommands, see deeds
	kindGit
	kindDatabase
)

// program is an entry of the table of programs. In the zero value it touches
// nothing.
type program struct {
	kind  kind
	does  action
	takes string // options that take a value, between spaces
	long  bool   // options are whole words behind a single "-"
	host  string // what it talks to by itself
	// skip is how many operands stand before the command of a wrapper.
	skip int
	// texts are options whose value is a command of the shell or a program text.
	texts string
}

// programs is the table of all programs, by base name.
var programs = sync.OnceValue(func() map[string]program {
	all := make(map[string]program, 512)
	for _, table := range []map[string]program{
		quietPrograms(), filePrograms(), wrapperPrograms(), networkPrograms(), codePrograms(), toolPrograms(), databasePrograms(),
	} {
		maps.Copy(all, table)
	}
	return all
})

func (w *walker) byKind(c *call) stream {
	switch c.kind {
	case kindQuiet:
		return w.quiet(c)
	case kindBuiltin:
		return w.builtin(c)
	case kindReads, kindPattern, kindPass:
		return w.reads(c)
	case kindWrites, kindTee:
		return w.writes(c)
	case kindCopies, kindMoves:
		return w.copies(c)
	case kindRemoves:
		return w.removes(c)
	case kindSed:
		return w.sed(c)
	case kindAwk:
		return w.awk(c)
	case kindDd:
		return w.dd(c)
	case kindFind:
		return w.find(c)
	case kindUnpack:
		return w.unpack(c)
	case kindPatch:
		return w.patch(c)
	case kindWraps:
		return w.wraps(c)
	case kindXargs:
		return w.xargs(c)
	case kindShell:
		return w.shell(c)
	case kindCode:
		return w.interpreter(c)
	case kindFetch:
		return w.fetches(c)
	case kindCopiesAway:
		return w.copiesAway(c)
	case kindRemote:
		return w.remote(c)
	case kindRunner:
		return w.runner(c)
	case kindTool:
		return w.tool(c)
	case kindGit:
		return w.git(c)
	case kindDatabase:
		return w.database(c)
	}
	return stream{there: true}
}
