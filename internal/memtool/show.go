package memtool

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/mark"
)

// line is a line of a reply, with the label of what it shows.
type line struct {
	text  string
	label hearsay.Label
}

// shownAs is the origin by which a line is marked: what is tainted is a stranger's
// whoever said it last.
func (l line) shownAs() hearsay.Origin {
	switch {
	case l.label.Tainted():
		return hearsay.External
	case l.label.Origin > hearsay.Unverified:
		return hearsay.User // all of these are shown as they are
	}
	return l.label.Origin
}

// marked returns the lines as a model may see them. Neighbours that are marked alike
// stand between one pair of marks; the marks of one reply share a fresh nonce.
func marked(lines []line) (string, error) {
	var random [16]byte
	if _, err := rand.Read(random[:]); err != nil {
		return "", err
	}
	nonce := hex.EncodeToString(random[:])
	var out []string
	for len(lines) > 0 {
		origin := lines[0].shownAs()
		n := slices.IndexFunc(lines, func(l line) bool { return l.shownAs() != origin })
		if n < 0 {
			n = len(lines)
		}
		texts := make([]string, n)
		for i, l := range lines[:n] {
			texts[i] = l.text
		}
		out = append(out, mark.Text(nonce, origin, strings.Join(texts, "\n")))
		lines = lines[n:]
	}
	return strings.Join(out, "\n"), nil
}

// numbered is a line of a file with its number, counted from 1.
func numbered(n int, text string) string { return fmt.Sprintf("%6d\t%s", n, text) }
