//go:build unix

package memfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPlain: what is read by the shorter way is what Peek reads, and all that is no plain
// file is left to Peek.
func TestPlain(t *testing.T) {
	at := testFolder(t)
	var p Peeker
	for name, text := range map[string]string{
		"empty": "", "short": "x", "page": strings.Repeat("l\n", 4096), "most": strings.Repeat("x", maxPeek), "after": "shorter than what was read before",
	} {
		must(t, os.WriteFile(at(name), []byte(text), 0o600))
		data, ok := p.Plain(at(name))
		if !ok || string(data) != text {
			t.Errorf("%s: %v, %d bytes, want %d", name, ok, len(data), len(text))
		}
		if peeked, err := new(Peeker).Peek(at(name)); err != nil || string(peeked) != string(data) {
			t.Errorf("%s: Peek differs: %d bytes, %v", name, len(peeked), err)
		}
	}
	must(t, os.WriteFile(at("longer"), make([]byte, maxPeek+1), 0o600))
	must(t, os.Symlink("short", at("link")))
	must(t, os.Symlink("nowhere", at("dangling")))
	must(t, os.Mkdir(at("folder"), 0o700))
	must(t, mkfifo(at("pipe")))
	for _, name := range []string{"longer", "link", "dangling", "folder", "pipe", "missing", "short/x", "nul\x00"} {
		if data, ok := p.Plain(at(name)); ok {
			t.Errorf("%q is read as a plain file of %d bytes", name, len(data))
		}
	}
	// A system's own files have no size and are none to import; Peek reads them all the same.
	if data, ok := p.Plain("/proc/self/status"); ok {
		t.Errorf("a file without a size is read as a plain one of %d bytes", len(data))
	}
}

func BenchmarkPeek(b *testing.B) {
	name := filepath.Join(b.TempDir(), "m.md")
	if err := os.WriteFile(name, []byte(strings.Repeat("a line\n", 1000)), 0o600); err != nil {
		b.Fatal(err)
	}
	var p Peeker
	b.Run("plain", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, ok := p.Plain(name); !ok {
				b.Fatal("not read")
			}
		}
	})
	b.Run("peek", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := p.Peek(name); err != nil {
				b.Fatal(err)
			}
		}
	})
}
