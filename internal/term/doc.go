// Package term prints for people, and asks them.
//
// Held and foreign text is what reviewers look at, so the package's rule is that no byte of it reaches a terminal as
// anything but visible characters: controls, escape sequences, direction overrides, tag characters and invisible runes
// are written out. The functions of a [Printer] escape every argument; only what a Printer itself styled passes
// through. Nothing is cut off: tables wrap, because a tail that is not shown is where an attacker would put the rest.
package term
