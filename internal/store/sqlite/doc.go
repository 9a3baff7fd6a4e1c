// Package sqlite keeps a log and everything beside it in one SQLite file.
//
// It is the default [guard.Store]. The file is in WAL mode and every commit is synced
// (synchronous=FULL) before anybody hears of it. Who is alone writes on its own
// goroutine; where several ask at once, one goroutine of the process takes what is queued.
// Either takes the home's file lock, runs every function in turn inside one BEGIN IMMEDIATE,
// signs one checkpoint and commits once for all of them. Reads go through a few connections
// of their own, each on a snapshot. What was committed may stand in the -wal alone, also
// while no process runs.
//
// What each file is worth to who can change it: hearsay.db and its -wal hold the log,
// so a change there is what verification finds; rows, marks and sessions are derived or
// ephemeral, and a changed one is found by folding again or by its sealed events. The
// store itself checks none of this: it never folds and never repairs on its own.
//
// Nothing else in the process may open and close the database file: POSIX drops all
// locks of a process on a file when any descriptor of it is closed.
package sqlite
