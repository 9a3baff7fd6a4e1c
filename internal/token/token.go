package token

import (
	"bufio"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
)

// Tokens name callers over HTTP: the SHA-256 of a token by its name.
type Tokens map[string][sha256.Size]byte

const (
	most     = 64
	shortest = 32   // bytes: what 16 random ones take in hex
	longest  = 1024 // bytes
)

// Read reads a file of tokens: a name and a token a line, with space between. A name
// has lower-case letters, digits, hyphens and underscores. Empty lines and those that begin
// with # are passed over.
func Read(r io.Reader) (Tokens, error) {
	out := make(Tokens)
	taken := make(map[[sha256.Size]byte]bool)
	lines := bufio.NewScanner(io.LimitReader(r, 1<<20))
	for n := 1; lines.Scan(); n++ {
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if len(fields) != 2 {
			return nil, fmt.Errorf("line %d: want a name and a token", n)
		}
		name, token := fields[0], fields[1]
		sum := sha256.Sum256([]byte(token))
		switch {
		case len(name) > 32 || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "":
			return nil, fmt.Errorf("line %d: a name has at most 32 lower-case letters, digits, hyphens and underscores", n)
		case len(token) < shortest || len(token) > longest:
			return nil, fmt.Errorf("line %d: the token of %s has %d bytes: want %d to %d, such as `openssl rand -hex 32` makes", n, name, len(token), shortest, longest)
		case taken[sum]:
			return nil, fmt.Errorf("line %d: the token of %s is another's too", n, name)
		case len(out) == most:
			return nil, fmt.Errorf("line %d: at most %d tokens", n, most)
		}
		if _, ok := out[name]; ok {
			return nil, fmt.Errorf("line %d: %s has a token already", n, name)
		}
		out[name], taken[sum] = sum, true
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read tokens: %w", err)
	}
	if len(out) == 0 {
		return nil, errors.New("there is no token: write a name and a token a line")
	}
	return out, nil
}

// Callers opens a session for each token, or goes on with it. What one of a token's
// connections read, all of them have read: connecting anew cleans nothing.
func (t Tokens) Callers(ctx context.Context, g *guard.Guard, c hearsay.Caller) (map[string]hearsay.Caller, error) {
	if t == nil {
		return nil, nil
	}
	out := make(map[string]hearsay.Caller, len(t))
	for name := range t {
		c.Agent, c.Session = name, "http-token:"+name
		if _, err := g.Open(ctx, c, guard.Start{}); err != nil {
			return nil, err
		}
		out[name] = c
	}
	return out, nil
}

// Whose is the name of who bears a token; false where it is nobody's. How long it takes
// says nothing of a token.
func (t Tokens) Whose(token string) (name string, ok bool) {
	sum := sha256.Sum256([]byte(token))
	for n, want := range t {
		if subtle.ConstantTimeCompare(sum[:], want[:]) == 1 {
			name, ok = n, true
		}
	}
	return name, ok
}
