package sqlite

// Steps are the places where a process can die, in their order.
var Steps = []string{string(stepLocked), string(stepBegun), string(stepRun), string(stepFlushed), string(stepCommitted)}

// WithFault has f called at each step of a commit.
func (o Options) WithFault(f func(step string)) Options {
	o.fault = func(s step) { f(string(s)) }
	return o
}

// Pragma sets something on the connection that writes. No update may be on its way.
func (s *Store) Pragma(setting string) error { return pragmas(s.conn, "PRAGMA "+setting) }
