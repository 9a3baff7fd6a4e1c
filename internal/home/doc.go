// Package home is the directory in which one Hearsay installation keeps what it knows: the store, the keys, the
// policy in force and the locks that several processes take turns with.
//
// The directory belongs to one user, has mode 0700, and lies outside every workspace that an agent may write: whoever
// can write it can replace the ledger, and the signed checkpoints that were copied elsewhere are then the only witness
// left. [Files] says for each file who can change it and what that person gains.
//
// The package is imported by programs whose start-up time is felt, so it depends on the standard library and
// golang.org/x/sys alone.
package home
