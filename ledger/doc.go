// Package ledger keeps a sealed log of byte strings: an RFC 6962 Merkle tree, its
// tiles, signed checkpoints, proofs, and the verification that names the first
// entry that is not as it was sealed.
//
// The package knows bytes only. It reads no files, takes no time, starts no
// goroutine, and never looks inside an entry; a store hands it what it kept and
// keeps what it hands back. What a store keeps for a log of n entries:
//
//   - each entry's exact bytes and, beside them, its leaf hash ([LeafHash]);
//   - one head: the [Frontier], at most 41 hashes, replaced on every append;
//   - the tiles that a [Builder] gives out: at level 0 only full ones, above it
//     also the growing last one, replaced once every 256 entries.
//
// Leaf hashes, tiles and head can all be derived again from the entries, so they
// guard an entry only against one who cannot rewrite them too. Who changes entries
// and leaf hashes is found out by the head. Who changes the head as well is found
// out by the tiles, except in the last entries, 255 at most, that are in no full
// tile yet. Who changes everything is found out by a [Checkpoint] kept elsewhere,
// and by nothing else.
//
// Formats: the tree is that of RFC 6962 section 2.1, SHA-256 with the prefixes
// 0x00 for leaves and 0x01 for nodes; tiles have height 8 as in C2SP tlog-tiles;
// checkpoints are C2SP tlog-checkpoint in a signed note (C2SP signed-note).
//
// Unless a type says otherwise, values are not safe for concurrent use.
package ledger
