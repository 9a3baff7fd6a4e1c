package hosts

import (
	"crypto/sha256"
	"fmt"
)

// deriveID makes the id of a call out of what the call is, for hosts that name none.
// Equal calls of a session share it: what is decided of one is decided of the other.
func (e *Event) deriveID() {
	e.CallID, e.Derived = digestID(e.Tool.Server, e.Tool.ServerTool, e.Tool.Name, string(e.Tool.Args)), true
}

// digestID is an id that stands for parts of any content.
func digestID(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return fmt.Sprintf("made-%x", h.Sum(nil)[:16])
}
