// Package transfer moves memories in and out of Hearsay's own memory: it reads all that is
// to come in before any of it is written, decides one memory after the other as any other
// write, and writes what is served into a folder, whole or not at all. The formats are
// package portable's.
package transfer
