package ledger

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// Checkpoint states that the log called Origin had, at Size entries, this Root. Kept
// where the log's owner cannot rewrite it, it finds a log that was rolled back or
// replaced.
//
// Its signed form is a C2SP tlog-checkpoint: a signed note whose text is the origin,
// the size in decimal and the root in base64, a line each, and any extension lines.
type Checkpoint struct {
	Origin     string // not empty, one line
	Size       int64  // number of entries
	Root       Hash
	Extensions []string // further lines, not empty; usually none
}

// Sign returns the checkpoint as a signed note. At least one signer is needed.
func (c Checkpoint) Sign(signers ...note.Signer) ([]byte, error) {
	if len(signers) == 0 {
		return nil, errors.New("ledger: a checkpoint without a signature proves nothing: give a signer")
	}
	text := c.text()
	if got, err := parseCheckpoint(text); err != nil {
		return nil, err
	} else if !got.equal(c) {
		return nil, errors.New("ledger: the origin or an extension of the checkpoint has more than one line")
	}
	msg, err := note.Sign(&note.Note{Text: text}, signers...)
	if err != nil {
		return nil, fmt.Errorf("ledger: cannot sign the checkpoint: %w", err)
	}
	return msg, nil
}

// OpenCheckpoint parses a signed checkpoint and checks its signatures. It accepts
// only the one spelling that [Checkpoint.Sign] writes, only the given origin, and
// only a note that a key in verifiers signed: whoever is in verifiers may speak for
// the log. Signatures by unknown keys are passed over; one wrong signature by a
// known key spoils the note.
//
// The error is a *[Fault] of kind [BadSignature] if the signatures are at fault.
// Any other error means that the text is not a checkpoint of this log.
func OpenCheckpoint(msg []byte, verifiers note.Verifiers, origin string) (Checkpoint, error) {
	n, err := note.Open(msg, verifiers)
	if _, ok := errors.AsType[*note.UnverifiedNoteError](err); ok {
		return Checkpoint{}, fault(BadSignature, -1, "no known key signed the checkpoint")
	}
	if e, ok := errors.AsType[*note.InvalidSignatureError](err); ok {
		return Checkpoint{}, fault(BadSignature, -1,
			"the checkpoint's signature by %q is wrong: its text was changed, or another key made it", e.Name)
	}
	if err != nil {
		return Checkpoint{}, fmt.Errorf("ledger: not a signed checkpoint: %w", err)
	}
	c, err := parseCheckpoint(n.Text)
	if err != nil {
		return Checkpoint{}, err
	}
	if c.Origin != origin {
		return Checkpoint{}, fmt.Errorf("ledger: the checkpoint is of the log %q, not of %q", c.Origin, origin)
	}
	return c, nil
}

// text returns the lines that are signed.
func (c Checkpoint) text() string {
	lines := append([]string{c.Origin, strconv.FormatInt(c.Size, 10), c.Root.String()}, c.Extensions...)
	return strings.Join(lines, "\n") + "\n"
}

func (c Checkpoint) equal(d Checkpoint) bool {
	return c.Origin == d.Origin && c.Size == d.Size && c.Root == d.Root && slices.Equal(c.Extensions, d.Extensions)
}

// parseCheckpoint reads the signed text. What it accepts, text gives back byte for
// byte, so that two spellings of one checkpoint cannot pass for two.
func parseCheckpoint(text string) (Checkpoint, error) {
	bad := func(why string) (Checkpoint, error) {
		return Checkpoint{}, fmt.Errorf("ledger: not a checkpoint: %s", why)
	}
	if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\n' }) {
		return bad("it holds control characters or is not UTF-8")
	}
	body, ended := strings.CutSuffix(text, "\n")
	lines := strings.Split(body, "\n")
	if !ended || len(lines) < 3 || slices.Contains(lines, "") {
		return bad("it needs an origin, a size and a root, a line each, and no empty line")
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil || size < 0 || strconv.FormatInt(size, 10) != lines[1] {
		return bad("the size is not a plain decimal number")
	}
	root, err := base64.StdEncoding.Strict().DecodeString(lines[2])
	if err != nil || len(root) != tlog.HashSize {
		return bad("the root is not 32 bytes in canonical base64")
	}
	c := Checkpoint{Origin: lines[0], Size: size, Root: Hash(root)}
	if len(lines) > 3 {
		c.Extensions = lines[3:]
	}
	return c, nil
}
