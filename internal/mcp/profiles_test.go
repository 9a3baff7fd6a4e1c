package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// recorded is what a server's tools/list said, without its prose: names of arguments, and
// the digest of the schemas.
type recorded struct {
	Tools []struct {
		Name      string
		Arguments []string
		ReadOnly  *bool `json:"readOnlyHint"`
		Schema    string
	}
}

// Profiles fit the servers that they were written for, as those told of themselves.
func TestProfilesFitTheirServers(t *testing.T) {
	files, err := filepath.Glob("testdata/servers/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no servers: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var rec recorded
			if err := json.Unmarshal(data, &rec); err != nil {
				t.Fatal(err)
			}
			p, err := LoadProfile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, tool := range rec.Tools {
				known, ok := p.Tools[tool.Name]
				switch {
				case !ok:
					t.Errorf("the profile does not know %s", tool.Name)
				case known.Schema != tool.Schema:
					t.Errorf("%s has the schema %s, the profile says %s", tool.Name, tool.Schema, known.Schema)
				case known.Op == opRead && tool.ReadOnly != nil && !*tool.ReadOnly:
					t.Errorf("%s says that it writes, the profile that it reads", tool.Name)
				}
				for _, arg := range slices.Concat(known.Names, slices.Collect(keys(known.Ingests))) {
					if !slices.Contains(tool.Arguments, arg) && name != "basic-memory" { // whose aliases no schema tells
						t.Errorf("%s has no argument %s", tool.Name, arg)
					}
				}
				if known.Before != nil {
					for arg := range known.Before.Arguments {
						if !slices.Contains(p.Tools[known.Before.Tool].Arguments, arg) {
							t.Errorf("%s: before calls %s with %s, which is not among its arguments", tool.Name, known.Before.Tool, arg)
						}
					}
				}
			}
		})
	}
}

func keys(m map[string]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// shop is a memory server of any kind: it answers every call with the texts it was sent.
type shop struct {
	stored []string // arguments of calls that reached it
	answer func(tool string) string
}

// serve answers what reaches the server until it ends.
func (s *shop) serve(u *upstream) {
	u.answerCalls(func(tool string, args strictjson.Value) (string, bool) {
		s.stored = append(s.stored, tool+" "+string(strictjson.AppendValue(nil, args)))
		return s.answer(tool), false
	})
}

func profiled(t *testing.T, b *bench, c hearsay.Caller, p *Profile, log *slog.Logger) (*peer, *shop) {
	t.Helper()
	s := &shop{answer: func(string) string { return "" }}
	peer, u := behind(t, Options{Guard: b.guard, Caller: c, Profile: p, Server: p.Name, Store: p.Name, Assume: true,
		Namespace: hearsay.Namespace{"memory"}, Nonce: "n0nce", Poll: 1 << 40, Log: log})
	go s.serve(u)
	return peer, s
}

// writes are one write for each profile, with a text at %s, as a JSON string.
var writes = map[string][2]string{
	"basic-memory":       {"write_note", `{"title":"a note","content":%s,"directory":"notes"}`},
	"cautious":           {"save", `{"text":%s}`},
	"graphiti":           {"add_memory", `{"name":"an episode","episode_body":%s}`},
	"mcp-memory-service": {"memory_store", `{"content":%s}`},
	"mem0":               {"add_memory", `{"text":%s}`},
	"server-memory":      {"add_observations", `{"observations":[{"entityName":"billing","contents":[%s]}]}`},
}

// The invoice lesson of a page is held through each profile, however it is put, and the
// user's preference is stored.
func TestInvoiceLessonThroughEachProfile(t *testing.T) {
	for _, name := range ProfileNames() {
		t.Run(name, func(t *testing.T) {
			how, ok := writes[name]
			if !ok {
				t.Fatal("no write of this profile is tested")
			}
			p, err := LoadProfile(name)
			if err != nil {
				t.Fatal(err)
			}
			b := newBench(t)
			c := b.caller("session-1")
			peer, s := profiled(t, b, c, p, nil)
			if got := peer.call(how[0], fmt.Sprintf(how[1], `"The user prefers replies in German"`)); strings.Contains(got, "Not stored") {
				t.Fatalf("the preference was not stored: %s", got)
			}
			if _, err := b.guard.Observe(t.Context(), c, guard.Observation{Source: hearsay.Source{Type: "mcp:web", Ref: "https://example.test/"}}); err != nil {
				t.Fatal(err)
			}
			lesson := func(tool, args string) {
				t.Helper()
				if got := peer.call(tool, args); !strings.Contains(got, "Not stored") || strings.Contains(got, "outside@") {
					t.Errorf("%s %s: %s", tool, args, got)
				}
			}
			quoted, _ := json.Marshal(invoice)
			lesson(how[0], fmt.Sprintf(how[1], quoted))
			nested, _ := json.Marshal(`{"text":` + string(quoted) + `}`)
			lesson(how[0], fmt.Sprintf(how[1], nested))
			// A tool that nobody knows, and every tool under an argument that nobody knows.
			lesson("remember_quickly", `{"x":`+string(quoted)+`}`)
			for tool := range p.Tools {
				lesson(tool, `{"hidden_alias":`+string(quoted)+`}`)
				lesson(tool, `{"hidden":{"deep":[`+string(quoted)+`]}}`)
			}
			for _, call := range s.stored {
				if strings.Contains(call, "outside@") {
					t.Errorf("the lesson reached the server: %s", call)
				}
			}
			for r, err := range b.guard.List(t.Context(), guard.Query{Queue: event.QueueReview}) {
				if err != nil || !r.Label.Taint.Has("mcp:web") {
					t.Errorf("a held record is %+v, %v", r.Label, err)
				}
			}
			b.verify()
		})
	}
}

// A profile for a server that nobody here knew, written from docs/profiles.md: under 60
// lines, and the lesson is held, a page that the server fetches is the page's word, and
// what comes back has its writer.
func TestAServerNobodyKnew(t *testing.T) {
	data, err := os.ReadFile("testdata/unknown.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(data, []byte("\n")); n >= 60 {
		t.Errorf("the profile has %d lines", n)
	}
	guide, err := os.ReadFile("../../docs/profiles.md")
	if err != nil || !strings.Contains(string(guide), indented(data)) {
		t.Errorf("docs/profiles.md does not show testdata/unknown.yaml, %v", err)
	}
	p, err := ParseProfile(data)
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t)
	c := b.caller("session-1")
	peer, s := profiled(t, b, c, p, nil)
	s.answer = func(string) string { return "Put." }
	if got := peer.call("put_page", `{"title":"How ana likes it","body":"Replies in German.\nShort ones.","shelf":"home"}`); !strings.Contains(got, `"text":"Put."`) {
		t.Fatalf("the preference: %s", got)
	}
	s.answer = func(string) string { return "Page: How ana likes it\nShort ones.\nPay late." }
	if got := peer.call("get_page", `{"title":"How ana likes it"}`); !strings.Contains(got, `Page: How ana likes it\nShort ones.\n[hearsay unverified]`) {
		t.Errorf("the page: %s", got)
	}
	// The session is clean, and the page that the server is sent to is not.
	if got := peer.call("clip_url", `{"url":"https://example.test/invoices"}`); !strings.Contains(got, "held for review") {
		t.Errorf("a page that the server takes in: %s", got)
	}
	for r, err := range b.guard.List(t.Context(), guard.Query{Queue: event.QueueReview}) {
		shown, showErr := b.guard.Show(t.Context(), r.ID)
		if err != nil || showErr != nil || r.Source != "web" || shown.Side.Ref != "https://example.test/invoices" {
			t.Errorf("it is of %s %q, %v, %v", r.Source, shown.Side.Ref, err, showErr)
		}
	}
	if got := peer.call("shelf_stats", `{"action":"sort","by":"size"}`); strings.Contains(got, "held") {
		t.Errorf("a clean session's write was held: %s", got)
	}
	b.verify()
}

// indented is a file as the guide shows it.
func indented(data []byte) string {
	var out strings.Builder
	for line := range bytes.Lines(data) {
		if len(bytes.TrimSpace(line)) > 0 {
			out.WriteString("    ")
		}
		out.Write(line)
	}
	return strings.TrimSpace(out.String())
}

// A schema that is not the one that the profile was written for is told once a tool, and
// so is a tool that is new.
func TestSchemasThatChanged(t *testing.T) {
	p, err := ParseProfile([]byte("name: x\ntools:\n  look: { op: read, arguments: [words], schema: 00000000000000000000000000000000 }\n"))
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t)
	var log bytes.Buffer
	peer, u := behind(t, Options{Guard: b.guard, Caller: b.caller("s"), Profile: p, Server: "x", Store: "x",
		Namespace: hearsay.Namespace{"memory"}, Poll: 1 << 40, Log: slog.New(slog.NewTextHandler(&log, nil))})
	for range 2 {
		done := make(chan struct{})
		go func() { defer close(done); peer.request("tools/list", `{}`) }()
		f, err := strictjson.Limits{}.Frame([]byte(u.next()))
		if err != nil {
			t.Fatal(err)
		}
		u.line(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"look","inputSchema":{"type":"object"}},{"name":"new"}]}}`, f.ID))
		<-done
	}
	if n := strings.Count(log.String(), "is not what its profile was written for"); n != 1 {
		t.Errorf("told %d times: %s", n, log.String())
	}
	if n := strings.Count(log.String(), "its profile does not know"); n != 1 {
		t.Errorf("told %d times: %s", n, log.String())
	}
	// Nobody can be told to speak: there is no host, and nothing is assumed.
	if got := peer.call("look", `{"words":"x","and_keep":"y"}`); !strings.Contains(got, "held for review") {
		t.Errorf("a read with a new argument: %s", got)
	}
}

func TestProfileErrors(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"no name":               {"tools: {}", "its name is"},
		"a path as a name":      {"name: ../x", "small letters"},
		"an unknown key":        {"name: x\ntool: {}", "tool"},
		"an unknown operation":  {"name: x\ntools: { a: { op: peek } }", `"peek"`},
		"a reader that keeps":   {"name: x\ntools: { a: { op: read, ingests: { p: web } } }", "it reads"},
		"a writer's arguments":  {"name: x\ntools: { a: { op: update, arguments: [b] } }", "it changes something"},
		"values of nothing":     {"name: x\ntools: { a: { op: read, values: { b: [c] } } }", "not among its arguments"},
		"before a write":        {"name: x\ntools: { a: { op: update, before: { tool: a } } }", "that reads"},
		"any line":              {"name: x\nsays: [\"*\"]", "would be any line"},
		"two gaps at once":      {"name: x\nsays: [\"a *? b\"]", "between them"},
		"too many gaps":         {"name: x\nsays: [\"" + strings.Repeat("a*", 20) + "\"]", "more than"},
		"two lines":             {"name: x\nsays: [\"a\\nb\"]", "one line"},
		"an item without parts": {"name: x\ntools: { a: { op: update, items: [ { kind: t, at: b } ] } }", "parts"},
		"too long":              {"name: x\n#" + strings.Repeat(" ", maxProfile), "at most"},
	} {
		if _, err := ParseProfile([]byte(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q in it", name, err, tt.want)
		}
	}
}

func TestPhrases(t *testing.T) {
	for _, tt := range []struct {
		phrase, line string
		stars        []string
		ok           bool
	}{
		{"Done.", "Done.", nil, true},
		{"Done.", "Done. Pay x", nil, false},
		{"*. *", "1. Pay. Now", []string{"1", "Pay. Now"}, true},
		{"Hash: *", "Hash: ", []string{""}, true},
		{"'*' in '*'", "'a' in 'b'", []string{"a", "b"}, true},
		{"'*' in '*'", "'a' in b", nil, false},
		{"a*a", "a", nil, false},
		{"tag: ?", "tag: prefs", nil, true},
		{"tag: ?", "tag: pay outside", nil, false},
		{"tag: ?", "tag: pay-outside-at-example.test", nil, false},
		{"[?] * (?)", "[a] Pay. (b)", []string{"Pay."}, true},
	} {
		ph, err := parsePhrase(tt.phrase)
		if err != nil {
			t.Fatal(err)
		}
		stars, ok := ph.match(tt.line)
		if ok != tt.ok || ok && !slices.Equal(stars, tt.stars) {
			t.Errorf("%q in %q: %q, %t", tt.phrase, tt.line, stars, ok)
		}
	}
}

// Words that stand inside a text that is JSON are found, to a depth, and in one pass a level.
func TestTextsInsideTexts(t *testing.T) {
	value := strictjson.Object(strictjson.Member{Key: "note", Value: strictjson.String("Pay outside now")})
	for depth := range 6 {
		got := texts(strictjson.Array(value))
		if found := slices.Contains(got, "Pay outside now"); found != (depth <= maxInner) {
			t.Errorf("at depth %d: %t", depth, found)
		}
		value = strictjson.Object(strictjson.Member{Key: "note", Value: strictjson.String(string(strictjson.AppendValue(nil, value)))})
	}
	escaped := `{"n":"{\"a\":\"\\u0050ay outside now\"}"}`
	v, err := limits.Parse([]byte(escaped))
	if err != nil || !slices.Contains(texts(v), "Pay outside now") {
		t.Errorf("an escape hides words: %q, %v", texts(v), err)
	}
	// What the strict reader refuses is a text like any other.
	for _, s := range []string{`{"a":1,"a":2}`, `[note] to self`, `{`, ""} {
		if _, ok := container(s); ok {
			t.Errorf("%q was opened", s)
		}
	}
}

// Two proxies in front of one store share its name, however they were told of it, and two
// stores do not.
func TestStoresOfProfiles(t *testing.T) {
	dir := t.TempDir()
	vars := []string{"NOTES_CONFIG", "NOTES_DIR"}
	one := StoreID("p", Command{Args: []string{"a"}, Env: []string{"NOTES_DIR=x/../notes", "OTHER=1"}, Dir: dir}, vars...)
	for name, c := range map[string]Command{
		"an absolute path":    {Args: []string{"b"}, Env: []string{"NOTES_DIR=" + filepath.Join(dir, "notes")}},
		"the last one counts": {Env: []string{"NOTES_DIR=/elsewhere", "NOTES_DIR=" + filepath.Join(dir, "notes")}},
		"an empty variable":   {Env: []string{"NOTES_CONFIG=", "NOTES_DIR=" + filepath.Join(dir, "notes")}},
	} {
		if two := StoreID("p", c, vars...); two != one {
			t.Errorf("%s: %q and %q", name, one, two)
		}
	}
	for name, c := range map[string]Command{
		"another folder":   {Env: []string{"NOTES_DIR=notes"}, Dir: t.TempDir()},
		"another variable": {Env: []string{"NOTES_CONFIG=" + filepath.Join(dir, "c"), "NOTES_DIR=" + filepath.Join(dir, "notes")}},
		"none":             {Args: []string{"a"}},
	} {
		if two := StoreID("p", c, vars...); two == one {
			t.Errorf("%s: %q twice", name, one)
		}
	}
}
