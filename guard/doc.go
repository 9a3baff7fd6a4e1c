// Package guard is the only way in and out: every surface observes, writes,
// recalls, reviews and revokes through a [Guard], and every answer that matters is
// sealed in the log before the caller hears it.
//
// A guard takes the [hearsay.Caller] as a parameter of every method. Callers are
// made by surfaces from what the transport shows; nothing that a payload says of
// itself raises trust. The pure parts of the answer come from the packages below:
// source and policy decide, lint gives evidence, event and ledger keep it.
package guard
