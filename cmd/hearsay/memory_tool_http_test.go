package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/hometest"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/memtool"
	"github.com/hearsay-memory/hearsay/internal/people"
)

func tokenFile(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// toolServer serves the memory tool of a new home until the test ends, and returns the
// home and the server's address.
func toolServer(t *testing.T, flags ...string) (dir, url string) {
	t.Helper()
	dir = t.TempDir() + "/home"
	if _, err := people.Create(t.Context(), people.Setup{Dir: dir, Principal: "ana", Reviewer: "ana", Unprotected: true}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, append([]string{"memory-tool", "--home", dir, "--http", "127.0.0.1:0"}, flags...), streams{in: strings.NewReader(""), out: io.Discard, err: w})
		_ = w.Close()
	}()
	said := bufio.NewScanner(r)
	for url == "" && said.Scan() {
		_, url, _ = strings.Cut(said.Text(), "the memory tool is on ")
	}
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		_, _ = io.Copy(io.Discard, r)
	}()
	t.Cleanup(func() {
		cancel()
		if code := <-ended; code != 0 {
			t.Errorf("it ended with %d", code)
		}
		<-drained
	})
	if url == "" {
		t.Fatal("it did not start")
	}
	return dir, url
}

// post sends an input, and returns the status and the reply.
func post(t *testing.T, url, authorization, input string) (int, memtool.Reply) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(input))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if authorization != "" {
		req.Header.Set("Authorization", authorization)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var reply memtool.Reply
	if res.StatusCode == http.StatusOK {
		if err := json.NewDecoder(res.Body).Decode(&reply); err != nil {
			t.Fatal(err)
		}
	}
	return res.StatusCode, reply
}

// Each token is a session: what one reads does not count against the other, but while one
// is tainted nobody is taken for the agent.
func TestMemoryToolHTTP(t *testing.T) {
	a, b := strings.Repeat("a", 32), strings.Repeat("b", 32)
	dir, url := toolServer(t, "--assume", "agent", "--token-file", tokenFile(t, "# who\n\nalpha "+a+"\nbeta\t"+b+"\n"))
	const view = `{"command":"view","path":"/memories"}`
	for _, authorization := range []string{"", "Bearer", "Bearer ", "Bearer x", "Basic " + a, a, "Bearer " + a + b} {
		if code, _ := post(t, url, authorization, view); code != http.StatusForbidden {
			t.Errorf("%q: %d", authorization, code)
		}
	}
	create := func(name string) string {
		return fmt.Sprintf(`{"command":"create","path":"/memories/%s","file_text":"x"}`, name)
	}
	if code, r := post(t, url, "Bearer "+a, create("a.md")); code != http.StatusOK || r.IsError {
		t.Errorf("%d, %+v", code, r)
	}
	in, err := instance.Open(t.Context(), dir, instance.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	c := in.Caller(hearsay.SurfaceLib)
	c.Session = "http-token:alpha"
	if _, err := in.Guard.Observe(t.Context(), c, guard.Observation{Source: hearsay.Source{Type: "web", Ref: "https://evil.example"}}); err != nil {
		t.Fatal(err)
	}
	for _, token := range []string{a, b} {
		if code, r := post(t, url, "Bearer "+token, create("b.md")); code != http.StatusOK || !strings.Contains(r.Text, "held for review as") {
			t.Errorf("%d, %+v", code, r)
		}
		if code, r := post(t, url, "Bearer "+token, view); code != http.StatusOK || r.IsError || !strings.Contains(r.Text, "/memories/a.md") {
			t.Errorf("%d, %+v", code, r)
		}
	}
	c.Session = "http-token:beta"
	if l, err := in.Guard.SessionLabel(t.Context(), c); err != nil || l.Tainted() {
		t.Errorf("the other session is %s, %v", l, err)
	}
}

func TestMemoryToolHTTPFlags(t *testing.T) {
	good := strings.Repeat("a", 32)
	dir := hometest.Make(t)
	open := tokenFile(t, "a "+good+"\n")
	if err := os.Chmod(open, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		want  string
		code  int
		flags []string
	}{
		{"go together", exitUsage, []string{"--http", "127.0.0.1:0"}},
		{"go together", exitUsage, []string{"--token-file", "x"}},
		{"are not for --http", exitUsage, []string{"--http", "127.0.0.1:0", "--token-file", "x", "--session", "s"}},
		{"other machines could connect", exitUsage, []string{"--http", "0.0.0.0:0", "--token-file", tokenFile(t, "a "+good)}},
		{"--http nowhere", exitFailed, []string{"--http", "nowhere", "--token-file", tokenFile(t, "a "+good)}},
		{"--token-file: open", exitFailed, []string{"--http", "127.0.0.1:0", "--token-file", filepath.Join(dir, "none")}},
		{"chmod 600", exitFailed, []string{"--http", "127.0.0.1:0", "--token-file", open}},
		{"there is no token", exitFailed, []string{"--http", "127.0.0.1:0", "--token-file", tokenFile(t, "# none\n")}},
		{"line 1: want a name and a token", exitFailed, []string{"--http", "127.0.0.1:0", "--token-file", tokenFile(t, good)}},
		{"line 2: the token of a has 2 bytes", exitFailed, []string{"--http", "127.0.0.1:0", "--token-file", tokenFile(t, "\na bc")}},
		{"lower-case letters", exitFailed, []string{"--http", "127.0.0.1:0", "--token-file", tokenFile(t, "A "+good)}},
		{"line 2: the token of b is another's too", exitFailed, []string{"--http", "127.0.0.1:0", "--token-file", tokenFile(t, "a "+good+"\nb "+good)}},
		{"line 2: a has a token already", exitFailed, []string{"--http", "127.0.0.1:0", "--token-file", tokenFile(t, "a "+good+"\na b"+good)}},
	} {
		var said bytes.Buffer
		code := run(t.Context(), append([]string{"memory-tool", "--home", dir}, c.flags...), streams{in: strings.NewReader(""), out: io.Discard, err: &said})
		if os.PathSeparator != '/' && c.want == "chmod 600" {
			continue
		}
		if code != c.code || !strings.Contains(said.String(), c.want) || strings.Contains(said.String(), good) {
			t.Errorf("%q: %d, %s; want %d, %s", c.flags, code, said.String(), c.code, c.want)
		}
	}
}
