// Package termtest gives scripts of tests a terminal and a person at it.
//
// A person types when asked and not before, reads to the end, and leaves when nothing more
// comes. A terminal that is closed while something stands in it unread loses that, and keys
// that arrive before the program has turned the echo off are shown: both hang on who is
// scheduled first.
package termtest
