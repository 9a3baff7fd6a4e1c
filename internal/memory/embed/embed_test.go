package embed_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hearsay-memory/hearsay/internal/memory/embed"
)

// TestMain also plays the command.
func TestMain(m *testing.M) {
	if how := os.Getenv("EMBED_TEST_COMMAND"); how != "" {
		play(how)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// play makes the vector of a text of its length and first byte.
func play(how string) {
	if how == "hangs" {
		time.Sleep(time.Hour)
	}
	if how == "floods" {
		fmt.Println(strings.Repeat("1", 1<<20))
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for i := 0; in.Scan(); i++ {
		var text string
		if err := json.Unmarshal(in.Bytes(), &text); err != nil {
			os.Exit(4)
		}
		switch {
		case how == "fails" && i == 1:
			os.Exit(3)
		case how == "garbage" && i == 1:
			fmt.Println("I am sorry, I cannot")
		case how == "garbage" && i == 2:
			fmt.Println(`["1", NaN]`)
		case how == "huge number" && i == 1:
			fmt.Println("[1e300, 2]")
		case how == "twice":
			fmt.Println("[1]\n[2]")
		case how == "blank":
			fmt.Printf("\n[%d]\r\n \n", len(text))
		case how == "silent":
		default:
			fmt.Printf("[%d, %d]\n", len(text), text[0])
		}
	}
}

func TestCommand(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{"a", "line\nend \"quoted\" \u2028 <b>", "ccc"}
	for how, want := range map[string]struct {
		vectors [][]float32
		why     string
	}{
		"works":       {[][]float32{{1, 'a'}, {25, 'l'}, {3, 'c'}}, ""},
		"garbage":     {[][]float32{{1, 'a'}, nil, nil}, ""},
		"huge number": {[][]float32{{1, 'a'}, nil, {3, 'c'}}, ""},
		"blank":       {[][]float32{{1}, {25}, {3}}, ""},
		"twice":       {nil, "more lines than it got texts"},
		"silent":      {nil, "0 lines for 3 texts"},
		"fails":       {nil, "exit status 3"},
		"floods":      {nil, "more than 200704 bytes"},
		"hangs":       {nil, "too long"},
	} {
		t.Run(how, func(t *testing.T) {
			t.Setenv("EMBED_TEST_COMMAND", how)
			ctx := t.Context()
			if how == "hangs" {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, time.Second/2)
				defer cancel()
			}
			got, err := embed.Command([]string{self})(ctx, texts)
			if want.why != "" {
				if err == nil || !strings.Contains(err.Error(), want.why) {
					t.Errorf("%v, %v", got, err)
				}
				return
			}
			if err != nil || !slices.EqualFunc(got, want.vectors, func(a, b []float32) bool { return slices.Equal(a, b) }) {
				t.Errorf("%v, %v, want %v", got, err, want.vectors)
			}
		})
	}
	for name, why := range map[string]string{"./embedder": "neither a name on the path", "no-such-command-anywhere": "cannot be found"} {
		if _, err := embed.Command([]string{name})(t.Context(), texts); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := embed.Command(nil)(t.Context(), texts); err == nil {
		t.Error("no command at all was run")
	}
}

func TestNamesDiffer(t *testing.T) {
	seen := make(map[string]bool)
	for _, args := range [][]string{{"a"}, {"a", "b"}, {"a b"}, {"a", ""}, {`a" "b`}, {"b", "a"}} {
		if n := embed.Name(args); seen[n] {
			t.Errorf("%q has the name of another", args)
		} else {
			seen[n] = true
		}
	}
}
