package instance

import "golang.org/x/mod/sumdb/note"

// Signer returns the ledger's key, which also signs what leaves the home and speaks for
// its log. What is signed must not begin like a checkpoint, with the log's id.
func (in *Instance) Signer() note.Signer { return signer(in.Home, in.Verifier) }
