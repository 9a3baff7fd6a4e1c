// Package caller says who is at the door of a command: a session that is named, the host
// process that the command runs under, or the sessions above it, whose agent typed it or
// whose reading counts. It takes no word for it but the host's and the store's; where
// neither knows, the caller is the principal's shared session, which is tainted.
package caller
