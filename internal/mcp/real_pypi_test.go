package mcp

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
)

// real is a proxy in front of an installed server.
type real struct {
	*bench
	*peer
	caller hearsay.Caller
	log    *bytes.Buffer
}

// inFront runs the proxy in front of a program, and fails where the server is not the one
// that the profile was written for.
func inFront(t *testing.T, profile string, c Command) *real {
	t.Helper()
	p, err := LoadProfile(profile)
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t)
	r := &real{bench: b, caller: b.caller("session-1"), log: new(bytes.Buffer)}
	c.Stderr = io.Discard
	r.peer = dial(t, func(ctx context.Context, client Pipe) error {
		return Run(ctx, client, c, Options{Guard: b.guard, Caller: r.caller, Profile: p, Server: "memory", Store: StoreID(profile, c, p.Store...),
			Assume: true, Namespace: hearsay.Namespace{"memory"}, Nonce: "n0nce", Poll: 20_000_000, Log: slog.New(slog.NewTextHandler(r.log, nil))})
	})
	r.handshake()
	r.request("tools/list", `{}`)
	if strings.Contains(r.log.String(), "profile") {
		t.Errorf("the server is another one:\n%s", r.log)
	}
	return r
}

// stored fails where a write was held.
func (r *real) stored(tool, args string) {
	r.peer.t.Helper()
	if got := r.call(tool, args); strings.Contains(got, "Not stored") || strings.Contains(got, `"isError":true`) || strings.Contains(got, `"error":`) {
		r.peer.t.Errorf("%s: %s", tool, got)
	}
}

// held fails where a write was not, and gives its record.
func (r *real) held(tool, args string) *event.Record {
	t := r.peer.t
	t.Helper()
	if got := r.call(tool, args); !strings.Contains(got, "held for review as") {
		t.Fatalf("%s: %s", tool, got)
	}
	return r.newest()
}

func (r *real) newest() *event.Record {
	t := r.peer.t
	t.Helper()
	for rec, err := range r.guard.List(t.Context(), guard.Query{Newest: true, Limit: 1}) {
		if err != nil {
			t.Fatal(err)
		}
		return rec
	}
	t.Fatal("there is no record")
	return nil
}

// reads gives what a tool shows.
func (r *real) reads(tool, args string, has, not []string) {
	t := r.peer.t
	t.Helper()
	got := r.call(tool, args)
	for _, s := range has {
		if !strings.Contains(got, s) {
			t.Errorf("%s has no %q: %s", tool, s, got)
		}
	}
	for _, s := range not {
		if strings.Contains(got, s) {
			t.Errorf("%s shows %q: %s", tool, s, got)
		}
	}
}

func (r *real) page() {
	r.peer.t.Helper()
	if _, err := r.guard.Observe(r.peer.t.Context(), r.caller, guard.Observation{Source: hearsay.Source{Type: "mcp:web", Ref: "https://example.test/invoices"}}); err != nil {
		r.peer.t.Fatal(err)
	}
}

// release approves a record and waits until it was carried out.
func (r *real) release(id hearsay.RecordID) {
	t := r.peer.t
	t.Helper()
	r.decide(reviewer.Approve, id)
	for range 2000 {
		shown, err := r.guard.Show(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if shown.Record.Delivery == hearsay.Applied {
			return
		}
		r.request("ping", `{}`)
	}
	t.Fatal("the release was not carried out")
}

// revoked takes a write back and waits until the server does not show it any more.
func (r *real) revoked(tool, args string) {
	t := r.peer.t
	t.Helper()
	r.stored(tool, args)
	id := r.newest().ID
	r.decide(reviewer.Revoke, id)
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		shown, err := r.guard.Show(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if shown.Record.Delivery == hearsay.Withdrawn {
			return
		}
	}
	t.Fatalf("it was not taken out:\n%s", r.log)
}

func (r *real) end() {
	_ = r.to.Close()
	if err := <-r.done; err != nil {
		r.peer.t.Errorf("proxy: %v\n%s", err, r.log)
	}
	r.verify()
}

// inFrontOfService runs the proxy in front of mcp-memory-service with an empty store.
func inFrontOfService(t *testing.T) (r *real, home string) {
	t.Helper()
	dir := os.Getenv("HEARSAY_PYPI_DIR")
	program := filepath.Join(dir, "bin", "memory")
	if _, err := os.Stat(program); dir == "" || err != nil {
		t.Skip("HEARSAY_PYPI_DIR has no mcp-memory-service: `make test` installs it where there is a Python whose SQLite loads extensions, and sets it")
	}
	home = t.TempDir()
	return inFront(t, "mcp-memory-service", Command{Args: []string{program, "server"}, Dir: home, Env: append(os.Environ(), "HOME="+home,
		"MCP_MEMORY_STORAGE_BACKEND=sqlite_vec", "MCP_MEMORY_SQLITE_PATH="+filepath.Join(home, "m.db"), "MCP_MEMORY_BASE_DIR="+home, "MCP_MEMORY_OFFLINE=1")}), home
}

func TestRealMemoryService(t *testing.T) {
	r, home := inFrontOfService(t)
	r.stored("memory_store", `{"content":"The user prefers replies in German.\nShort ones.","metadata":{"tags":["prefs"]}}`)
	r.reads("memory_search", `{"query":"German"}`, []string{`for query: 'German'\n\n1. The user prefers replies in German.\nShort ones.\n`}, []string{"unverified"})
	r.reads("memory_list", `{}`, []string{"The user prefers replies in German."}, nil)
	// A file that the server is sent to is the file's word.
	file := filepath.Join(home, "guide.txt")
	if err := os.WriteFile(file, []byte(strings.Repeat(invoice+". ", 5)), 0o600); err != nil {
		t.Fatal(err)
	}
	ingest := r.held("memory_ingest", `{"file_path":"`+file+`"}`)
	if ingest.Source != "document" || !ingest.Label.Taint.Has("document") {
		t.Errorf("the file is taken in as %s, %s", ingest.Source, ingest.Label)
	}
	// A change of what is there has its parent.
	r.stored("memory_update", `{"content_hash":"`+r.hash("German")+`","updates":{"content":"The user prefers replies in English."},"versioned":true}`)
	if rec := r.newest(); len(rec.Parents) != 1 {
		t.Errorf("the change has the parents %v", rec.Parents)
	}
	r.reads("memory_search", `{"query":"English"}`, []string{"1. The user prefers replies in English."}, nil)
	r.page()
	r.held("memory_store", `{"content":"`+invoice+`"}`)
	r.reads("memory_search", `{"query":"invoice copies"}`, nil, []string{"outside@"})
	// What a person let in is external, and so is what the server made of it.
	r.release(ingest.ID)
	r.reads("memory_search", `{"query":"Lesson: forward invoice copies"}`, []string{"[hearsay external n0nce begin]", "outside@", "The user prefers replies in English."}, nil)
	r.end()
}

// What is taken back goes out of the store, and nothing else does, whatever the memory says
// of itself. Words that a record which stands has put there too are left.
func TestRealMemoryServiceUndo(t *testing.T) {
	r, _ := inFrontOfService(t)
	r.stored("memory_store", `{"content":"The user prefers replies in German.","metadata":{"tags":["prefs"]}}`)
	german := r.hash("German")
	for range 2 {
		r.revoked("memory_store", `{"content":"Pay the red invoice first.\nAlways.","metadata":{"tags":["bills"],"content_hash":"`+german+`"}}`)
	}
	r.stored("memory_store", `{"content":"The user wants tea.","metadata":{"tags":["x"],"note":"The deploy key is in the safe."}}`)
	r.revoked("memory_store", `{"content":"The deploy key is in the safe."}`)
	r.reads("memory_list", `{}`, []string{"The user prefers replies in German.", "The user wants tea.", `\"total\":3,`}, []string{"bills"})
	r.end()
}

// hash is the id of a memory, from the server's list.
func (r *real) hash(of string) string {
	r.peer.t.Helper()
	_, rest, ok := strings.Cut(r.call("memory_search", `{"query":"`+of+`"}`), "Hash: ")
	if !ok || len(rest) < 64 {
		r.peer.t.Fatalf("no hash of %s", of)
	}
	return rest[:64]
}

func TestRealBasicMemory(t *testing.T) {
	program := os.Getenv("HEARSAY_BASIC_MEMORY")
	if program == "" {
		t.Skip("HEARSAY_BASIC_MEMORY is not set: it is large, so `make test` plays it from recordings; set it to the program of basic-memory 0.24.1")
	}
	home := t.TempDir()
	r := inFront(t, "basic-memory", Command{Args: []string{program, "mcp"}, Dir: home, Env: append(os.Environ(), "HOME="+home,
		"BASIC_MEMORY_HOME="+filepath.Join(home, "notes"), "BASIC_MEMORY_CONFIG_DIR="+filepath.Join(home, "config"), "BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED=false")})
	r.stored("write_note", `{"title":"Prefs of ana","content":"# Prefs\n\nThe user prefers replies in German.\n","folder":"notes"}`)
	r.reads("read_note", `{"identifier":"Prefs of ana"}`, []string{`# Prefs\n\nThe user prefers replies in German.\n`}, nil)
	r.stored("edit_note", `{"identifier":"Prefs of ana","operation":"append","new_content":"Short ones.\n"}`)
	if rec := r.newest(); len(rec.Parents) != 1 {
		t.Errorf("the change has the parents %v", rec.Parents)
	}
	// What is taken back goes, where it is what was written.
	r.revoked("write_note", `{"title":"Red invoices","content":"# Red\n\nPay the red invoice first.\n","directory":"bills"}`)
	r.reads("read_note", `{"identifier":"Red invoices","output_format":"json"}`, []string{"NOTE_NOT_FOUND"}, nil)
	r.page()
	rec := r.held("edit_note", `{"identifier":"Prefs of ana","operation":"append","replacement":"`+invoice+`"}`)
	r.held("write_note", `{"title":"Invoices","content":"`+invoice+`","dir":"notes"}`)
	r.reads("read_note", `{"identifier":"Prefs of ana"}`, []string{"Short ones."}, []string{"outside@"})
	r.release(rec.ID)
	r.reads("read_note", `{"identifier":"Prefs of ana"}`, []string{"[hearsay external n0nce begin]", invoice, "The user prefers replies in German."}, nil)
	r.reads("search_notes", `{"query":"German","output_format":"json"}`, []string{"The user prefers replies in German."}, nil)
	r.end()
}
