package install

import (
	"bytes"
	"errors"
	"flag"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/hearsay-memory/hearsay/internal/mcp"
)

var update = flag.Bool("update", false, "write the goldens anew")

// The places of the goldens: home/x is /home/ana/x, project/x is /srv/app/x.
const (
	testHome    = "/home/ana"
	testProject = "/srv/app"
)

// memory is a file system of a test.
type memory map[string]string

func (m memory) read(path string) ([]byte, error) {
	data, ok := m[filepath.ToSlash(path)]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	return []byte(data), nil
}

// with returns the file system after changes, which must have been made from it.
func (m memory) with(t testing.TB, changes []Change) memory {
	t.Helper()
	out := maps.Clone(m)
	for _, c := range changes {
		before, exists := m[c.File]
		if exists != c.Exists || before != string(c.Before) {
			t.Errorf("%s: the change is of other bytes: %q", c.File, c.Before)
		}
		if c.After == nil {
			delete(out, c.File)
			continue
		}
		out[c.File] = string(c.After)
	}
	return out
}

func options(host string) Options {
	o := Options{
		Binary:  "/usr/lib/hearsay/hearsay-hook",
		Args:    []string{host, "--home", "/home/ana/.hearsay"},
		Gateway: []string{"/usr/bin/hearsay", "mcp", "--home", "/home/ana/.hearsay", ServerName, ServerProfile, "--"},
		Profile: shippedProfile,
	}
	return o
}

var shippedProfiles = sync.OnceValue(func() (all []*mcp.Profile) {
	for _, name := range mcp.ProfileNames() {
		if p, err := mcp.LoadProfile(name); err == nil {
			all = append(all, p)
		}
	}
	return all
})

// shippedProfile knows servers as the shipped profiles do.
func shippedProfile(command []string) string {
	for _, p := range shippedProfiles() {
		if p.StartedBy(command) {
			return p.Name
		}
	}
	return ""
}

// TestGoldens plays each file of testdata: what stands under before/ is installed into,
// which gives after/; installing again changes nothing; removing gives removed/, or,
// where there is none, before/ to the byte. The header says host, scope and only.
func TestGoldens(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) < 8 {
		t.Fatalf("goldens: %v, %v", files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			name, scope, only := "", User, []string(nil)
			for line := range strings.Lines(string(a.Comment)) {
				key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
				switch key {
				case "host":
					name = value
				case "scope":
					if value == "project" {
						scope = Project
					}
				case "only":
					only = strings.Split(value, ",")
				}
			}
			h, ok := Find(name)
			if !ok {
				t.Fatalf("no host %q", name)
			}
			o := options(name)
			o.Only = only
			before, after, removed := golden(a, "before/"), golden(a, "after/"), golden(a, "removed/")
			changes, err := h.Install(before.read, scope, testHome, testProject, o)
			if err != nil {
				t.Fatal(err)
			}
			got := before.with(t, changes)
			notes := notesOf(changes)
			again, err := h.Install(got.read, scope, testHome, testProject, o)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range again {
				if c.Changed() {
					t.Errorf("installing twice changes %s:\n%s", c.File, Diff(c))
				}
			}
			undone, err := h.Remove(got.read, scope, testHome, testProject)
			if err != nil {
				t.Fatal(err)
			}
			left := got.with(t, undone)
			if len(removed) == 0 {
				removed = before
			}
			if *update {
				writeGolden(t, file, a, got, left, notes, !cmp.Equal(left, before))
				return
			}
			if diff := cmp.Diff(after, got); diff != "" {
				t.Errorf("after installing (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(removed, left); diff != "" {
				t.Errorf("after removing (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(fileOf(a, "notes"), notes); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
			st, err := h.State(got.read, scope, testHome, testProject, o)
			if err != nil {
				t.Fatal(err)
			}
			if !st.Covered() || len(st.Doubled) > 0 {
				t.Errorf("the state after installing: %+v", st)
			}
			st, err = h.State(left.read, scope, testHome, testProject, o)
			if err != nil || len(st.Hooks) > 0 || len(st.Missing) != len(h.events) || st.Covered() {
				t.Errorf("the state after removing: %+v, %v", st, err)
			}
		})
	}
}

func golden(a *txtar.Archive, prefix string) memory {
	m := make(memory)
	for _, f := range a.Files {
		name, ok := strings.CutPrefix(f.Name, prefix)
		if !ok {
			continue
		}
		name = strings.Replace(name, "home/", testHome+"/", 1)
		name = strings.Replace(name, "project/", testProject+"/", 1)
		m[name] = string(f.Data)
	}
	return m
}

func fileOf(a *txtar.Archive, name string) string {
	for _, f := range a.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

func notesOf(changes []Change) string {
	var b strings.Builder
	for _, c := range changes {
		for _, n := range c.Notes {
			b.WriteString(n + "\n")
		}
	}
	return b.String()
}

func writeGolden(t *testing.T, file string, a *txtar.Archive, after, removed memory, notes string, differs bool) {
	t.Helper()
	a.Files = slices.DeleteFunc(a.Files, func(f txtar.File) bool { return !strings.HasPrefix(f.Name, "before/") })
	add := func(prefix string, m memory) {
		for _, name := range slices.Sorted(maps.Keys(m)) {
			short := strings.Replace(name, testHome+"/", "home/", 1)
			short = strings.Replace(short, testProject+"/", "project/", 1)
			a.Files = append(a.Files, txtar.File{Name: prefix + short, Data: []byte(m[name])})
		}
	}
	add("after/", after)
	if notes != "" {
		a.Files = append(a.Files, txtar.File{Name: "notes", Data: []byte(notes)})
	}
	if differs {
		add("removed/", removed)
	}
	if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
		t.Fatal(err)
	}
}

// roundTrip installs into a file system and removes again.
func roundTrip(t testing.TB, h Host, before memory, o Options) (after, left memory) {
	t.Helper()
	changes, err := h.Install(before.read, User, testHome, "", o)
	if err != nil {
		t.Fatal(err)
	}
	after = before.with(t, changes)
	again, err := h.Install(after.read, User, testHome, "", o)
	if err != nil {
		t.Fatalf("installing twice: %v\n%s", err, after)
	}
	for _, c := range again {
		if c.Changed() {
			t.Fatalf("installing twice changes %s:\n%s", c.File, Diff(c))
		}
	}
	undone, err := h.Remove(after.read, User, testHome, "")
	if err != nil {
		t.Fatal(err)
	}
	return after, after.with(t, undone)
}

// What a golden cannot hold: ends without a newline, other line ends, marks at the front.
func TestBytesAreKept(t *testing.T) {
	settings, servers := testHome+"/.claude/settings.json", testHome+"/.claude.json"
	for name, in := range map[string]string{
		"empty":                   "",
		"blank":                   " \n\t\n",
		"byte order mark alone":   bom,
		"byte order mark":         bom + "{\"a\": 1}\n",
		"no final newline":        "{\n  \"a\": 1\n}",
		"empty object":            "{}",
		"empty object on lines":   "{\n}\n",
		"spaces in it":            "{  }",
		"comment in it":           "{ // x\n}",
		"block comment in it":     "{/* x */}",
		"crlf":                    "{\r\n\t\"a\": 1,\r\n\t\"hooks\": {\r\n\t\t\"Stop\": []\r\n\t}\r\n}\r\n",
		"tabs":                    "{\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t{\"hooks\": []}\n\t\t]\n\t}\n}\n",
		"four":                    "{\n    \"hooks\": {}\n}\n",
		"minified":                `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]},"env":{"A":"b"}}`,
		"trailing commas":         "{\n  \"env\": {\"A\": \"b\",},\n  \"hooks\": {\"Stop\": [{\"hooks\": [],},], },\n}\n",
		"comments after commas":   "{\n  \"a\": 1, // one\n  // end\n}\n// out\n",
		"comment before the last": "{\n  \"a\": 1 // one\n}\n",
		"the variable is theirs":  "{\n  \"env\": {\"CLAUDE_CODE_DISABLE_FILE_MENTIONS\": \"1\"}\n}\n",
		"the variable is off":     "{\n  \"env\": {\"CLAUDE_CODE_DISABLE_FILE_MENTIONS\": \"0\"}\n}\n",
		"empty env":               "{\n  \"env\": {\n  }\n}\n",
		"others of like name":     `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"rm /usr/bin/hearsay-hook"},{"type":"command","command":"/x/hearsay-hooks"},{"type":"prompt","command":"hearsay-hook"},{"command":7}, 8]}]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			before := memory{settings: in}
			after, left := roundTrip(t, claude, before, options("claude"))
			if diff := cmp.Diff(before, left); diff != "" {
				t.Errorf("(-want +got):\n%s\nafter installing: %q", diff, after)
			}
			got := after[settings]
			if strings.Contains(in, "\r\n") && strings.Count(got, "\n") != strings.Count(got, "\r\n") {
				t.Errorf("line ends are mixed: %q", got)
			}
			if strings.HasPrefix(in, bom) != strings.HasPrefix(got, bom) || in != "" && strings.HasSuffix(in, "}") && !strings.HasSuffix(got, "}") {
				t.Errorf("front or end were not kept: %q", got)
			}
		})
	}
	for name, in := range map[string]string{
		"no args":          `{"mcpServers":{"a":{"command":"npx"}}}`,
		"no args, more":    `{"mcpServers":{"a":{ "command" : "npx" /* c */ , "env":{}}}}`,
		"trailing":         `{"mcpServers":{"a":{"command":"npx",}}}`,
		"empty args":       `{"mcpServers":{"a":{"args":[ ],"command":"npx"}}}`,
		"spaced args":      `{"mcpServers":{"a":{"args":[ "x" , "y", ],"command":"np\u0078"}}}`,
		"comments in args": "{\"mcpServers\":{\"a\":{\"args\":[ // one\n \"x\" // two\n ],\"command\":\"npx\"}}}",
		"comment in empty": "{\"mcpServers\":{\"a\":{\"args\":[ // one\n ],\"command\":\"npx\"}}}",
		"blank":            "\n",
	} {
		t.Run("servers, "+name, func(t *testing.T) {
			before := memory{servers: in}
			after, left := roundTrip(t, claude, before, options("claude"))
			if diff := cmp.Diff(before, left); diff != "" {
				t.Errorf("(-want +got):\n%s\nafter installing: %s", diff, after[servers])
			}
			if name != "blank" && after[servers] == in {
				t.Error("nothing was wrapped")
			}
		})
	}
	config := testHome + "/.codex/config.toml"
	for name, in := range map[string]string{
		"no final newline": "[mcp_servers.a]\ncommand = \"npx\"",
		"empty":            "",
		"comment":          "[mcp_servers.a]\n  command = 'npx' # runs\n  args = [ ]\n",
		"crlf":             bom + "mcp_servers.a.command = \"npx\"\r\nmcp_servers.b = { command = 'x', args=[\"\"\"y\"\"\"] }\r\n",
		"inline":           "[mcp_servers]\na = { command = \"npx\" }\nb = {args = [\n\"x\", # one\n], command = '''z'''}\n",
		"dotted":           "[mcp_servers]\n\ta.\"command\" = \"npx\"\n\tb.command = \"x\"\n",
	} {
		t.Run("toml, "+name, func(t *testing.T) {
			before := memory{config: in}
			after, left := roundTrip(t, codex, before, options("codex"))
			if diff := cmp.Diff(before, left); diff != "" {
				t.Errorf("(-want +got):\n%s\nafter installing: %s", diff, after[config])
			}
			st, err := codex.State(after.read, User, testHome, "", options("codex"))
			if err != nil || len(st.Servers) == 0 && in != "" {
				t.Fatalf("%+v, %v", st, err)
			}
			for _, s := range st.Servers {
				if s.Gateway == nil || s.Stale {
					t.Errorf("not wrapped: %+v", s)
				}
			}
		})
	}
}

func TestMalformed(t *testing.T) {
	settings, servers, config := testHome+"/.claude/settings.json", testHome+"/.claude.json", testHome+"/.codex/config.toml"
	for _, c := range []struct {
		name, file, in string
		line, column   int
		problem        string
	}{
		{"no end", settings, "{\n  \"a\": 1", 2, 9, "not JSON"},
		{"rubbish", settings, "{\n  \x1b[2J\n}", 2, 3, `not JSON: invalid character '\u001b'`},
		{"list", settings, "\n[]", 2, 1, "does not hold a JSON object"},
		{"null", settings, "null", 1, 1, "does not hold a JSON object"},
		{"comment only", settings, "// x\n", 2, 1, "not JSON"},
		{"hooks", settings, "{\"hooks\":\n []}", 2, 2, `"hooks" is not an object`},
		{"event", settings, `{"hooks": {"Stop": {}}}`, 1, 20, `"Stop" in "hooks" is not a list`},
		{"group", settings, `{"hooks": {"Stop": [1]}}`, 1, 21, `an entry of "Stop"`},
		{"env", settings, `{"env": "x"}`, 1, 9, `"env" is not an object`},
		{"twice", settings, "{\"a\": [{\"b\": 1,\n \"\\u0062\": 2}]}", 2, 2, `the key "b" is there twice`},
		{"not UTF-8", settings, "{\n\"\xff\": 1}", 2, 2, "not UTF-8"},
		{"too long", settings, "{}" + strings.Repeat(" ", MaxFile), 0, 0, "more than 4194304 bytes"},
		{"full", settings, "{}" + strings.Repeat(" ", MaxFile-2), 0, 0, "with our entries it would have more"},
		{"too deep", settings, `{"a":` + strings.Repeat("[", 300), 1, 261, "more than 256 brackets"},
		{"servers", servers, `{"mcpServers": []}`, 1, 16, `"mcpServers" is not an object`},
		{"server", servers, `{"mcpServers": {"a": 1}}`, 1, 22, `server "a" is not an object`},
		{"command", servers, `{"mcpServers": {"a": {"command": 1}}}`, 1, 34, `"command" of server "a" is not a string`},
		{"args", servers, `{"mcpServers": {"a": {"command": "x", "args": [1]}}}`, 1, 47, `"args" of server "a" is not a list of strings`},
		{"projects", servers, `{"projects": 1}`, 1, 14, `"projects" is not an object`},
		{"toml key", config, "a = 1\n= 2\n", 2, 1, "not a key"},
		{"toml twice", config, "[mcp_servers.a]\ncommand = 'x'\n\"command\" = 'y'\n", 3, 1, `the key "command" is there twice`},
		{"toml table twice", config, "[a]\n[b]\n[ a ]\n", 3, 1, `the table "a" is there twice`},
		{"toml dotted into a table", config, "[a.b]\nc = 1\n[a]\nb.c = 2\n", 4, 1, "is there twice"},
		{"toml in a value", config, "a = 1\n[a.b]\n", 2, 1, "lies in a value"},
		{"toml string", config, "a = \"x\nb = 1", 1, 7, "a control character in a string"},
		{"toml escape", config, `a = "\q"`, 1, 6, "unknown escape"},
		{"toml value", config, "a = yes\n", 1, 5, "not a value"},
		{"toml line", config, "a = 1 b = 2\n", 1, 7, "something else follows"},
		{"toml command", config, "[mcp_servers.a]\ncommand = 1\n", 2, 11, `"command" of server "a" is not a string`},
		{"toml args", config, "[mcp_servers.a]\ncommand = 'a'\nargs = ['b', 1]\n", 3, 14, "not an array of strings"},
		{"toml server", config, "mcp_servers.a = 1\n", 1, 17, `"mcp_servers.a" is not a table`},
		{"toml deep", config, "a = " + strings.Repeat("[", 100), 1, 37, "too many brackets"},
		{"toml not UTF-8", config, "a = '\xc0'", 1, 6, "not UTF-8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := claude
			if c.file == config {
				h = codex
			}
			m := memory{c.file: c.in}
			changes, err := h.Install(m.read, User, testHome, "", options(h.Name))
			e, ok := errors.AsType[*Error](err)
			if !ok || changes != nil {
				t.Fatalf("got %v, %v", changes, err)
			}
			if e.File != c.file || e.Line != c.line || e.Column != c.column || !strings.Contains(e.Problem, c.problem) {
				t.Errorf("got %v", e)
			}
			if !strings.Contains(e.Error(), "nothing was written") || bytes.ContainsRune([]byte(e.Error()), 0x1b) {
				t.Errorf("says %q", e.Error())
			}
			if _, err := h.State(m.read, User, testHome, "", options(h.Name)); err == nil && (strings.HasPrefix(c.problem, "not ") || strings.Contains(c.problem, "twice")) {
				t.Error("the state does not tell of it")
			}
		})
	}
}
