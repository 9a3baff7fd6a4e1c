package token

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
)

func TestReadTokens(t *testing.T) {
	long := strings.Repeat("k", shortest)
	got, err := Read(strings.NewReader("# tokens\n\nnightly " + long + "\n  desk\t" + long + "2\n"))
	if err != nil || len(got) != 2 || got["nightly"] != sha256.Sum256([]byte(long)) || got["desk"] != sha256.Sum256([]byte(long+"2")) {
		t.Errorf("%v, %v", got, err)
	}
	var many strings.Builder
	for i := range most + 1 {
		fmt.Fprintf(&many, "n%d %s%d\n", i, long, i)
	}
	for text, want := range map[string]string{
		"":                                "there is no token",
		"# only\n":                        "there is no token",
		"nightly":                         "line 1: want a name and a token",
		"nightly short":                   "has 5 bytes: want 32 to 1024",
		"Nightly " + long:                 "lower-case letters",
		"a " + long + "\nb " + long:       "is another's too",
		"a " + long + "\na " + long + "2": "a has a token already",
		"\n\na b c":                       "line 3: want a name and a token",
		many.String():                     "at most 64 tokens",
		"a " + strings.Repeat("k", 2000):  "has 2000 bytes",
		"a " + strings.Repeat("k", 70000): "read tokens",
	} {
		if _, err := Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
}
