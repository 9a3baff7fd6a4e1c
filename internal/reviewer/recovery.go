package reviewer

import (
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
)

// ErrRecovery is returned for a recovery text that was mistyped or is incomplete.
var ErrRecovery = errors.New("the recovery key was mistyped")

// The recovery text is the 32-byte Ed25519 seed on four lines. Each line carries 8 bytes and an 11-bit checksum as 15
// characters of 5 bits, in three groups, so that a slip of the pen is named by its line. The checksum is the first 11
// bits of SHA-256 over a domain, the line's number and its bytes; exchanged lines are found too.
const (
	recoveryLines  = 4
	recoveryBytes  = ed25519.SeedSize / recoveryLines
	recoveryChars  = 15
	recoveryDomain = "hearsay/recovery/v1\x00"
)

// alphabet leaves out I, L, O and U: what looks like them on paper is read as 1, 1, 0 and V.
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// RecoveryText writes a 32-byte seed for paper: four lines of three groups, each line with its number. It panics if
// the seed has another length.
func RecoveryText(seed []byte) string {
	if len(seed) != ed25519.SeedSize {
		panic(fmt.Sprintf("reviewer: a recovery seed of %d bytes", len(seed)))
	}
	var b strings.Builder
	for line := range recoveryLines {
		part := seed[line*recoveryBytes:][:recoveryBytes]
		hi, lo := pack(part, lineSum(line, part))
		chars := make([]byte, recoveryChars)
		for i := recoveryChars - 1; i >= 0; i-- {
			chars[i] = alphabet[lo&31]
			lo = lo>>5 | hi<<59
			hi >>= 5
		}
		fmt.Fprintf(&b, "%d: %s-%s-%s\n", line+1, chars[:5], chars[5:10], chars[10:])
	}
	return b.String()
}

// ParseRecovery reads a recovery text as a person types it: case, spaces, dashes, line breaks and line numbers do not
// matter. It returns the seed, or an error that wraps [ErrRecovery] and names the line to look at, and never repeats
// what was typed. Compare the public key with the enrolled one: checksums miss one slip in 2,048.
func ParseRecovery(text string) (seed []byte, err error) {
	chars, err := recoveryDigits(text)
	if err != nil {
		return nil, fmt.Errorf("reviewer: %w: %w", ErrRecovery, err)
	}
	for line := range recoveryLines {
		if len(chars) < recoveryChars {
			return nil, fmt.Errorf("reviewer: %w: line %d is missing or too short; there are %d lines of %d characters", ErrRecovery, line+1, recoveryLines, recoveryChars)
		}
		var hi, lo uint64
		for _, c := range chars[:recoveryChars] {
			hi = hi<<5 | lo>>59
			lo = lo<<5 | uint64(c)
		}
		part, sum := unpack(hi, lo)
		if sum != lineSum(line, part) {
			return nil, fmt.Errorf("reviewer: %w: look at line %d again", ErrRecovery, line+1)
		}
		seed = append(seed, part...)
		chars = chars[recoveryChars:]
	}
	if len(chars) > 0 {
		return nil, fmt.Errorf("reviewer: %w: %d characters too many", ErrRecovery, len(chars))
	}
	return seed, nil
}

// recoveryDigits returns the values, 0 to 31, of the characters that count.
func recoveryDigits(text string) ([]byte, error) {
	if len(text) > 1024 {
		return nil, errors.New("the text is far too long")
	}
	var digits []byte
	for n, line := range strings.Split(strings.ToUpper(text), "\n") {
		// "1:" before a group is our own line number, not part of the key.
		if number, rest, ok := strings.Cut(line, ":"); ok {
			if number = strings.TrimSpace(number); len(number) != 1 || number[0] < '1' || number[0] > '0'+recoveryLines {
				return nil, fmt.Errorf("typed line %d does not begin with a line number", n+1)
			}
			line = rest
		}
		for _, r := range line {
			switch r {
			case ' ', '-', '\t', '\r':
				continue
			case 'I', 'L':
				r = '1'
			case 'O':
				r = '0'
			case 'U':
				r = 'V'
			}
			i := strings.IndexRune(alphabet, r)
			if i < 0 {
				return nil, fmt.Errorf("typed line %d holds a character that no recovery key has", n+1)
			}
			digits = append(digits, byte(i))
		}
	}
	return digits, nil
}

// pack puts 8 bytes and an 11-bit sum into the low 75 bits of hi and lo.
func pack(part []byte, sum uint16) (hi, lo uint64) {
	var v uint64
	for _, b := range part {
		v = v<<8 | uint64(b)
	}
	return v >> 53, v<<11 | uint64(sum)
}

func unpack(hi, lo uint64) (part []byte, sum uint16) {
	v := hi<<53 | lo>>11
	part = make([]byte, recoveryBytes)
	for i := recoveryBytes - 1; i >= 0; i-- {
		part[i] = byte(v)
		v >>= 8
	}
	return part, uint16(lo & (1<<11 - 1))
}

func lineSum(line int, part []byte) uint16 {
	b := append([]byte(recoveryDomain), byte(line))
	sum := sha256.Sum256(append(b, part...))
	return (uint16(sum[0])<<8 | uint16(sum[1])) >> 5
}
