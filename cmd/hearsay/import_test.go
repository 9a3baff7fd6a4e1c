package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/hearsay-memory/hearsay/internal/people"
	"github.com/hearsay-memory/hearsay/internal/transfer"
)

// importWorld is a home and an export of Mem0 with n memories.
func importWorld(t *testing.T, n int) (home, file string) {
	t.Helper()
	home = filepath.Join(t.TempDir(), "home")
	if _, err := people.Create(t.Context(), people.Setup{Dir: home, Principal: "ana", Reviewer: "ana", Unprotected: true}); err != nil {
		t.Fatal(err)
	}
	var list []map[string]string
	for i := range n {
		list = append(list, map[string]string{"memory": fmt.Sprintf("The shelf %d holds box %d", i, 7*i)})
	}
	data, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "mem0.json")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return home, file
}

// countTexts counts the memories that an export holds, by their text.
func countTexts(t *testing.T, home string) map[string]int {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	if code := run(t.Context(), []string{"--home", home, "export", "--memories", out}, streams{strings.NewReader(""), io.Discard, os.Stderr}); code != 0 {
		t.Fatalf("export ended with %d", code)
	}
	data, err := os.ReadFile(filepath.Join(out, transfer.MemoriesName))
	if err != nil {
		t.Fatal(err)
	}
	texts := make(map[string]int)
	for line := range bytes.Lines(data) {
		var m struct{ Text string }
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatal(err)
		}
		texts[m.Text]++
	}
	return texts
}

// breaking ends a context once so many lines were written.
type breaking struct {
	lines int
	end   context.CancelFunc
}

func (b *breaking) Write(p []byte) (int, error) {
	if b.lines -= bytes.Count(p, []byte("\n")); b.lines <= 0 {
		b.end()
	}
	return len(p), nil
}

// An import that breaks off says so; run again, it stores the rest and nothing twice.
func TestImportThatBreaksOff(t *testing.T) {
	const n = 20
	home, file := importWorld(t, n)
	for _, after := range []int{1, 7, n + 1} {
		ctx, cancel := context.WithCancel(t.Context())
		var said bytes.Buffer
		code := run(ctx, []string{"--home", home, "import", file, "--json"}, streams{strings.NewReader(""), &breaking{after, cancel}, &said})
		cancel()
		if broke := after <= n; broke != (code == exitFailed) || broke && !strings.Contains(said.String(), "run it again") {
			t.Fatalf("after %d lines it ended with %d: %s", after, code, &said)
		}
	}
	texts := countTexts(t, home)
	if len(texts) != n {
		t.Errorf("%d memories, want %d", len(texts), n)
	}
	for text, times := range texts {
		if times != 1 {
			t.Errorf("%q is there %d times", text, times)
		}
	}
}

// Two imports at once wait for each other.
func TestTwoImportsAtOnce(t *testing.T) {
	home, file := importWorld(t, 10)
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if code := run(t.Context(), []string{"--home", home, "import", file, "--json"}, streams{strings.NewReader(""), io.Discard, os.Stderr}); code != 0 {
				t.Errorf("it ended with %d", code)
			}
		})
	}
	both.Wait()
	for text, times := range countTexts(t, home) {
		if times != 1 {
			t.Errorf("%q is there %d times", text, times)
		}
	}
}
