// Package policy reads a policy file, compiles its rules and decides memory
// writes by them.
//
// A policy is YAML, version 1. [Parse] is strict: whatever it does not know is an
// error with file, line and a suggestion. Rules are read in order, the first that
// matches decides, and what no rule matches is held. [Policy.Decide] is pure: no
// I/O, no clock, no state, and its answer depends on where a write comes from, not
// on which store it goes to.
//
// The rule that nothing may break is that more taint, a payload's own word or one
// more claim only ever tightens a verdict. Part of it holds by construction for
// every policy (see [Policy.Decide]); the rest is proved for the profiles that
// ship ([Profile]) and looked for in others by [Check].
package policy
