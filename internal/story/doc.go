// Package story tells what happened to a session, from the log: what it took in, what of
// that sank it, what it wrote and asked since, and what its label means for what comes.
package story
