// Package hearsay is the vocabulary of Hearsay, a provenance firewall for the
// memory of AI agents.
//
// Hearsay does not judge what a memory says. It records who is really speaking
// (an [Origin]), what flowed in ([Taint]), decides by that, and keeps the answer
// attached to every byte that comes back. The words of this package are used
// everywhere: in code, on the command line, in JSON and in the documentation.
//
// The package has no I/O, no clock and no goroutines, and every type in it is
// safe at its zero value: a forgotten origin is [External], a forgotten taint is
// unknown, a forgotten standing is [Held], a forgotten verdict holds the write.
//
// Packages above it: event and ledger keep what happened, policy decides, mark
// shows, guard is the only way in and out.
package hearsay
