package hosts

import (
	"strings"
	"unicode/utf8"
)

// Bounds of what is said, in UTF-16 units, the measure of the hosts' own bounds. A
// host drops or cuts what is longer than mostContext.
const (
	mostReason  = 2_000
	mostApprove = 500
	mostContext = 10_000
	mostNotice  = 500
	mostWatch   = 256
)

// cut marks that something was left out.
const cut = "…"

// clean takes control characters out of a text, and what turns its direction or
// breaks its lines unseen where plain is set, and cuts it to most UTF-16 units.
func clean(s string, most int, plain bool) string {
	var b strings.Builder
	room, fits := most, 0 // fits: bytes that leave room for the mark of a cut
	for _, r := range s {
		switch {
		case r == '\n' || r == '\t':
		case r < 0x20 || r >= 0x7f && r <= 0x9f || r == 0x2028 || r == 0x2029:
			continue
		case plain && (r >= 0x200b && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2060 && r <= 0x2069 || r == 0xfeff || r >= 0xe0000 && r <= 0xe007f):
			continue
		}
		units := 1
		if r > 0xffff {
			units = 2
		}
		if room < units {
			return b.String()[:fits] + cut
		}
		room -= units
		b.WriteRune(r)
		if room >= 1 {
			fits = b.Len()
		}
	}
	return b.String()
}

// line is a text of ours on one line, or otherwise where nothing is left of it.
func line(s string, most int, otherwise string) string {
	s = strings.Join(strings.Fields(clean(s, most, true)), " ")
	if s == "" {
		return otherwise
	}
	return s
}

// reasonText is a reason that is never empty: on Codex an empty one lets the tool
// run.
func reasonText(s, otherwise string) string {
	s = strings.TrimSpace(clean(s, mostReason, true))
	if s == "" {
		return otherwise
	}
	return s
}

// withApproval adds the command line by which a person approves.
func withApproval(reason, approve string) string {
	if approve = line(approve, mostApprove, ""); approve == "" {
		return reason
	}
	if last, _ := utf8.DecodeLastRuneInString(reason); !strings.ContainsRune(".!?"+cut, last) {
		reason += "."
	}
	return reason + " To approve, a person runs: " + approve
}
