package lint

import (
	"strings"
	"sync"
)

// tables is everything that is built from phrases.txt. It is immutable.
type tables struct {
	*catalogue
	latin *automaton        // phrases that fold to ASCII
	raw   [256]uint8        // latin's classes for text that was not folded: bytes above ASCII separate
	wide  func() *automaton // the other phrases, which most texts never need
}

// loaded is the tables, built at the first scan because many runs of a command never scan.
var loaded = sync.OnceValue(buildTables)

func buildTables() *tables {
	c, err := readCatalogue(phrases)
	if err != nil {
		panic("lint: " + err.Error()) // the table is part of the program, and a test reads it
	}
	t := &tables{catalogue: c, latin: newAutomaton(c.phrases, isASCII)}
	t.raw = t.latin.class
	for b := 0x80; b < len(t.raw); b++ {
		t.raw[b] = classSeparator
	}
	t.wide = sync.OnceValue(func() *automaton {
		return newAutomaton(c.phrases, func(s string) bool { return !isASCII(s) })
	})
	return t
}

func isASCII(s string) bool { return strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 }) < 0 }
