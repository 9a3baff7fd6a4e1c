package mark

import (
	"strconv"
	"strings"

	"github.com/hearsay-memory/hearsay"
)

// Inline marks a short external text that serves as an id, such as a name:
//
//	[hearsay external 5f0c…] name
//
// The agent hands it back as it saw it, so [StripInline] takes exactly this off
// again. text should be defanged.
func Inline(nonce, text string) string { return inlineMark(nonce) + text }

// StripInline takes off what [Inline] put on with the same nonce. It is false, and
// the text unchanged, where that is not there.
func StripInline(nonce, text string) (string, bool) {
	return strings.CutPrefix(text, inlineMark(nonce))
}

func inlineMark(nonce string) string {
	return mint + hearsay.External.String() + " " + cleanNonce(nonce) + "] "
}

// Withheld is the line that announces that n entries wait for a person or were
// withdrawn; "" if n is not positive. It says how many, never what.
func Withheld(n int) string {
	if n <= 0 {
		return ""
	}
	return mint + "withheld] " + strconv.Itoa(n) + " entries are not shown; `hearsay review` lists what waits for a person."
}
