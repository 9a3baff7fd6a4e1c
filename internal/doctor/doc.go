// Package doctor says what is wrong with an installation and what to do about it: with the
// home, its policy, its reviewers and the copies of its checkpoints, with what waits, with
// memory files, and with the hooks and gateways in agent hosts' settings. It looks and
// changes nothing. It does not prove that the store is as it was sealed: that is the
// guard's verification.
package doctor
