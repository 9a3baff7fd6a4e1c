package memtool_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hearsay-memory/hearsay/internal/memtool"
	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// One reply a line, in order, whatever the lines are.
func TestLines(t *testing.T) {
	w := newWorld(t)
	h := w.session("s1")
	in := strings.Join([]string{
		string(args("create", "path", "/memories/a.md", "file_text", "<x>\n")), "", "  ", "{", `{"command":"view"}` + "\r",
		`{"command":"create","path":"/memories/b.md","file_text":"` + strings.Repeat("x", memtool.MaxInput) + `"}`,
		string(args("view", "path", "/memories/a.md")),
	}, "\n")
	var out strings.Builder
	w.must(h.Lines(t.Context(), strings.NewReader(in), &out))
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	want := []string{"File created", "cannot be read", "path is missing", "too_large", "<x>"}
	if len(lines) != len(want) {
		t.Fatalf("%d lines: %.2000q", len(lines), lines)
	}
	for i, line := range lines {
		var r memtool.Reply
		w.must(json.Unmarshal([]byte(line), &r))
		if !strings.Contains(r.Text, want[i]) || r.IsError != (i > 0 && i < 4) {
			t.Errorf("%d: %s, want %s", i, line, want[i])
		}
	}
}

// It ends with its context though nobody writes to it, and says what it could not read.
func TestLinesEnd(t *testing.T) {
	w := newWorld(t)
	h := w.session("s1")
	ctx, cancel := context.WithCancel(t.Context())
	r, hold := io.Pipe()
	cancel()
	if err := h.Lines(ctx, r, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	w.must(hold.CloseWithError(io.ErrUnexpectedEOF))
	if err := h.Lines(t.Context(), r, io.Discard); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%v", err)
	}
}

func TestHTTP(t *testing.T) {
	w := newWorld(t)
	h := w.session("s1")
	s := httptest.NewServer(memtool.HTTP(func(r *http.Request) (*memtool.Handler, error) {
		if r.Header.Get("Authorization") != "Bearer t" {
			return nil, errors.New("who is it?")
		}
		return h, nil
	}))
	defer s.Close()
	for _, c := range []struct {
		method, body string
		header       []string
		code         int
		want         string
	}{
		{"POST", string(args("create", "path", "/memories/a.md", "file_text", "x")), nil, 200, `{"text":"File created successfully at: /memories/a.md","is_error":false}`},
		{"POST", `{"command":"x"}`, nil, 200, `"is_error":true`},
		{"POST", `{"command":"view","path":"/memories"}`, []string{"Authorization", "Bearer x"}, 403, "forbidden"},
		{"POST", `{"command":"view","path":"/memories"}`, []string{"Content-Type", "text/plain"}, 415, ""},
		{"POST", `{"command":"view","path":"/memories"}`, []string{"Origin", "https://evil.example.test"}, 403, ""},
		{"POST", strings.Repeat(" ", memtool.MaxInput+1), nil, 400, ""},
		{"GET", "", nil, 405, ""},
	} {
		req, err := http.NewRequestWithContext(t.Context(), c.method, s.URL, strings.NewReader(c.body))
		w.must(err)
		req.Header.Set("Content-Type", "application/json; charset=utf-8")
		req.Header.Set("Authorization", "Bearer t")
		if c.header != nil {
			req.Header.Set(c.header[0], c.header[1])
		}
		res, err := http.DefaultClient.Do(req)
		w.must(err)
		body, _ := io.ReadAll(res.Body)
		w.must(res.Body.Close())
		if res.StatusCode != c.code || !strings.Contains(string(body), c.want) {
			t.Errorf("%s %.60s %v: %d %s", c.method, c.body, c.header, res.StatusCode, body)
		}
	}
}

// The schema that a server offers has just the fields that the commands take.
func TestTool(t *testing.T) {
	name, description, schema := memtool.Tool()
	if name != "memory" || description == "" {
		t.Errorf("%q, %q", name, description)
	}
	v, err := strictjson.Limits{}.Parse(schema)
	if err != nil {
		t.Fatal(err)
	}
	offered := make(map[string]bool)
	properties, _ := v.Get("properties")
	for key := range properties.Members() {
		offered[key] = true
	}
	w := newWorld(t)
	h := w.session("s1")
	taken := map[string]bool{"command": true}
	for _, c := range [][]any{
		{"create", "path", "/memories/a.md", "file_text", "a\nb\n"}, {"view", "path", "/memories/a.md", "view_range", []int{1, 2}},
		{"str_replace", "path", "/memories/a.md", "old_str", "a", "new_str", "c"}, {"insert", "path", "/memories/a.md", "insert_line", 0, "insert_text", "x"},
		{"rename", "old_path", "/memories/a.md", "new_path", "/memories/b.md"}, {"delete", "path", "/memories/b.md"},
	} {
		w.ok(h, c[0].(string), c[1:]...)
		for i := 1; i < len(c); i += 2 {
			taken[c[i].(string)] = true
		}
	}
	if d := cmp.Diff(taken, offered); d != "" {
		t.Errorf("(-taken +offered)\n%s", d)
	}
}
