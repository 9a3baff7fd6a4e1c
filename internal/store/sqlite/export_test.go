package sqlite

import (
	"errors"

	"zombiezen.com/go/sqlite"
)

// Steps are the places where a process can die, in their order.
var Steps = []string{string(stepLocked), string(stepBegun), string(stepRun), string(stepFlushed), string(stepCommitted)}

// WithFault has f called at each step of a commit.
func (o Options) WithFault(f func(step string)) Options {
	o.fault = func(s step) { f(string(s)) }
	return o
}

// Pragma sets something on the connection that writes. No update may be on its way.
func (s *Store) Pragma(setting string) error { return pragmas(s.conn, "PRAGMA "+setting) }

// OnCompile has f called when a statement is compiled, at least once for each, on the
// connection that writes and on those that are idle. Nothing may be on its way.
func (s *Store) OnCompile(f func()) (err error) {
	see := sqlite.AuthorizeFunc(func(sqlite.Action) sqlite.AuthResult { f(); return sqlite.AuthResultOK })
	for _, c := range append([]*sqlite.Conn{s.conn}, s.reads.idle...) {
		err = errors.Join(err, c.SetAuthorizer(see))
	}
	return err
}
