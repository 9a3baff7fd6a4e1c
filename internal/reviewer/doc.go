// Package reviewer says who may release what was held, and how that is proved.
//
// A reviewer is a person with an Ed25519 key. A [Statement] is what the person decided, about exactly which bytes with
// which label, at which state of the ledger. It is encoded in one canonical form, signed, sealed in the ledger and
// checked by `verify`. A [Registry] is the fold of all enrolments: it knows which key may sign what.
//
// Each reviewer also has a recovery key, printed once at enrolment and never stored. It can enrol a reviewer or replace
// its owner's lost key, and nothing else.
//
// The package does no I/O and reads no clock. Encrypted key files are in the package keyfile below this one, apart,
// because hooks verify statements and must not pay at each start for the cryptography that only signing needs.
package reviewer
