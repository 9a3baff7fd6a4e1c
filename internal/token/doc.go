// Package token tells callers apart over HTTP on this machine alone: each bears a token, has
// a name by it, and a session of its own for good, so that connecting anew cleans nothing.
package token
