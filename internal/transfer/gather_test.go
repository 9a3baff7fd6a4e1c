package transfer

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay/internal/portable"
)

// TestGather: a folder's Markdown is read, what is hidden and what is none is not, and a link
// is not followed.
func TestGather(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.md": "one\n", "deep/b.md": "two\n", ".git/c.md": "no\n", "d.txt": "no\n"} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("a.md", filepath.Join(dir, "link.md")); err != nil {
		t.Skip(err)
	}
	g, err := Gather(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Items) != 2 || g.Files != 2 || g.Others != 1 || len(g.Left) != 1 || g.Left[0] != "link.md" || g.Format != portable.Markdown || !g.Guessed {
		t.Errorf("%+v", g)
	}
}

// TestGatherUnfit: what cannot be imported so is told apart from what cannot be read.
func TestGatherUnfit(t *testing.T) {
	dir := t.TempDir()
	odd := filepath.Join(dir, "odd.bin")
	if err := os.WriteFile(odd, []byte{1, 2, 3}, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name   string
		format portable.Format
		says   string
	}{
		{filepath.Join(dir, "none"), "", "does not exist"},
		{odd, "", "cannot be told"},
		{dir, portable.Mem0, "is of one file"},
	} {
		_, err := Gather(tc.name, tc.format)
		if _, unfit := errors.AsType[Unfit](err); !unfit || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v, want %q", tc.name, err, tc.says)
		}
	}
}
