// Package review is what a person decides about: memories that are held and actions that
// agents ask about. It lists them, shows each with all that a person decides by, and
// carries a signed decision out, for one or walking the whole queue on a terminal.
//
// The words of what is held go to the printer of a person and nowhere else; what is said
// beside them has none of them.
package review
