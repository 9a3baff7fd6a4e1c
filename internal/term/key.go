package term

import (
	"io"
	"unicode/utf8"
)

// Key is a key that was pressed: its rune if it has one, else one of the constants.
type Key rune

// Keys that are no runes to be shown.
const (
	KeyOther     Key = -1 // arrows, function keys, bytes that are not UTF-8
	KeyInterrupt Key = 0x03
	KeyEOF       Key = 0x04
	KeyBackspace Key = 0x08
	KeyEnter     Key = 0x0a
	KeyEscape    Key = 0x1b

	ctrlU Key = 0x15
)

// maxSequence bounds an escape sequence, in bytes.
const maxSequence = 64

// keyReader splits what a terminal in raw mode sends into keys. Bytes of one read belong together: that is how a
// lone Escape is told from the start of a sequence without a clock.
type keyReader struct {
	r       io.Reader
	pending []byte
	escaped bool // the last key was a lone Escape; a sequence that arrives now is the rest of it
}

// next returns one key.
func (k *keyReader) next() (Key, error) {
	if err := k.fill(1); err != nil {
		return KeyOther, err
	}
	escaped := k.escaped
	k.escaped = false
	c := k.pending[0]
	if escaped && (c == '[' || c == 'O') {
		return k.sequence()
	}
	switch {
	case c == 0x1b:
		k.pending = k.pending[1:]
		if len(k.pending) == 0 {
			k.escaped = true
			return KeyEscape, nil
		}
		return k.sequence()
	case c == '\r' || c == '\n':
		k.pending = k.pending[1:]
		return KeyEnter, nil
	case c == 0x7f:
		k.pending = k.pending[1:]
		return KeyBackspace, nil
	}
	return k.rune()
}

// sequence swallows what follows an Escape, so that the A of an arrow key is never taken for a typed A: "[" or "O" up
// to its final byte, a report of the terminal up to its end, or the one rune of Alt with a key. It leaves a Ctrl-C for
// the next call: a person who presses it is heard whatever came before.
func (k *keyReader) sequence() (Key, error) {
	switch c := k.pending[0]; c {
	case byte(KeyInterrupt):
		return KeyOther, nil
	case '[', 'O':
		k.pending = k.pending[1:]
	case ']', 'P', 'X', '^', '_':
		// Reports end with BEL or with Escape and a backslash. Alt with one of these keys looks the same, so nothing
		// that has not arrived is waited for.
		k.pending = k.pending[1:]
		for len(k.pending) > 0 && k.pending[0] != byte(KeyInterrupt) {
			b := k.pending[0]
			k.pending = k.pending[1:]
			if b == 0x07 || b == '\\' {
				break
			}
		}
		return KeyOther, nil
	default:
		_, err := k.rune()
		return KeyOther, err
	}
	for range maxSequence {
		if err := k.fill(1); err != nil {
			return KeyOther, err
		}
		b := k.pending[0]
		if b == byte(KeyInterrupt) {
			return KeyOther, nil
		}
		k.pending = k.pending[1:]
		if b >= 0x40 && b <= 0x7e {
			return KeyOther, nil
		}
	}
	k.pending = nil // no key sends that
	return KeyOther, nil
}

// rune takes one rune off pending, waiting for the bytes that it lacks.
func (k *keyReader) rune() (Key, error) {
	for !utf8.FullRune(k.pending) {
		if err := k.fill(len(k.pending) + 1); err != nil {
			break // an incomplete rune is no key; the next call gives the error
		}
	}
	r, size := utf8.DecodeRune(k.pending)
	k.pending = k.pending[size:]
	if r == utf8.RuneError && size <= 1 || r >= 0x80 && r < 0xa0 {
		return KeyOther, nil
	}
	return Key(r), nil
}

// fill reads until n bytes are pending.
func (k *keyReader) fill(n int) error {
	var buf [256]byte
	defer clear(buf[:]) // it may have held a passphrase
	for len(k.pending) < n {
		m, err := k.r.Read(buf[:])
		k.pending = append(k.pending, buf[:m]...)
		if m == 0 && err != nil {
			return err
		}
	}
	return nil
}
