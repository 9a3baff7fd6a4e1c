package install

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGatewayFor(t *testing.T) {
	template := []string{"/opt/{name}/hearsay", "mcp", "--home", "/h/--name={name}", ServerName, ServerProfile, "--agent", "{profile}", "--"}
	for name, want := range map[string]string{
		"memory": "memory", "My Server": "My_Server", "a.b/c": "a_b_c", "ü": "_", "--": "--", "": "", "x\x1b\x00": "x__", strings.Repeat("a", 70): strings.Repeat("a", 64),
	} {
		got := Options{Gateway: template}.gatewayFor(name, []string{"x"})
		if diff := cmp.Diff([]string{"/opt/{name}/hearsay", "mcp", "--home", "/h/--name={name}", "--name=" + want, "--profile=source", "--agent", "{profile}", "--"}, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", name, diff)
		}
		if n := gatewayLen(append(got, "x")); n != len(got) {
			t.Errorf("%q: %d words are the gateway", name, n)
		}
	}
	if template[4] != ServerName {
		t.Error("the template was filled in itself")
	}
}

func TestHidden(t *testing.T) {
	gateway := func(flags ...string) []string { return append(append([]string{"/b/hearsay", "mcp"}, flags...), "--") }
	for _, c := range []struct {
		name    string
		gateway []string
		want    bool
	}{
		{"memory", gateway("--name=memory", "--profile=server-memory"), false},
		{"my notes", gateway("--name", "my_notes", "--profile", "cautious"), false},
		{"Memory", gateway("--name=Memory", "--profile=server-memory"), true},
		{"memory", gateway("--profile", "server-memory"), true}, // named by its command
		{"memory", gateway("--name=memory", "--name=other", "--profile=server-memory"), true},
		{strings.Repeat("a", 65), gateway("--name="+strings.Repeat("a", 64), "--profile=server-memory"), true},
		{"", gateway("--name=", "--profile=server-memory"), true},
		{"Fetch", gateway("--name=Fetch", "--profile=source"), false}, // decides nothing
		{"Fetch", gateway(), false},
		{"Memory", nil, false},
	} {
		if got := hidden(c.name, c.gateway); got != c.want {
			t.Errorf("%q behind %q: %v", c.name, c.gateway, got)
		}
	}
}

func TestKeeps(t *testing.T) {
	want := []string{"/b/hearsay", "mcp", "--home", "/h", "--name=a", "--profile=source", "--"}
	with := func(at int, words ...string) []string { return slices.Insert(slices.Clone(want), at, words...) }
	other := slices.Clone(want)
	other[5] = "--profile=cautious"
	for _, c := range []struct {
		have          []string
		user, project bool
	}{
		{want, true, true},
		{other, true, false},
		{with(6, "--assume", "agent"), true, false},
		{with(6, "--profile", "cautious"), true, false},
		{with(6, "--home", "/x"), false, false},
		{with(6, "--home=/x"), false, false},
		{with(6, "--name", "b"), false, false},
		{with(6, "--name=b"), false, false},
		{with(2, "--assume", "agent"), false, false},
		{want[2:], false, false},
		{[]string{"/old/hearsay", "mcp", "--"}, false, false},
		{nil, false, false},
	} {
		if got := keeps(User, c.have, want); got != c.user {
			t.Errorf("a person's %q: %v", c.have, got)
		}
		if got := keeps(Project, c.have, want); got != c.project {
			t.Errorf("a project's %q: %v", c.have, got)
		}
	}
}

// Nothing is put before our own server, nor taken off it; in a project's files only the
// very program counts.
func TestOwnServer(t *testing.T) {
	const file = `{"mcpServers":{
		"memory": {"command": "hearsay", "args": ["mcp", "serve", "--assume", "agent"]},
		"notes": {"command": "/usr/bin/hearsay", "args": ["mcp", "serve"]},
		"named": {"command": "/usr/bin/hearsay", "args": ["mcp", "serve", "--name", "named", "--", "x"]}
	}}`
	m := memory{testHome + "/.claude.json": file, testProject + "/.mcp.json": file}
	for s, wrapped := range map[Scope][]string{User: nil, Project: {"memory"}} {
		home, project := testHome, ""
		if s == Project {
			project = testProject
		}
		changes, err := claude.Install(m.read, s, home, project, options("claude"))
		if err != nil {
			t.Fatal(err)
		}
		after := m.with(t, changes)
		st, err := claude.State(after.read, s, home, project, options("claude"))
		if err != nil || len(st.Servers) != 3 {
			t.Fatalf("%+v, %v", st.Servers, err)
		}
		for _, v := range st.Servers {
			behind := slices.Contains(wrapped, v.Name)
			if (v.Gateway != nil) != behind || v.Own == behind || v.Hidden != (v.Name == "notes") {
				t.Errorf("scope %v: %+v", s, v)
			}
		}
		if changes, err = claude.Remove(after.read, s, home, project); err != nil {
			t.Fatal(err)
		}
		for name, text := range after.with(t, changes) {
			if m[name] != "" && text != file {
				t.Errorf("scope %v: taken out, %s is %s", s, name, text)
			}
		}
	}
	for _, line := range []string{"", "hearsay", "hearsay mcp", "hearsay serve mcp", "hearsay mcp -- serve", "hearsay --home /x mcp serve", "npx hearsay mcp serve", "nothearsay mcp serve"} {
		if own(User, strings.Fields(line), []string{"/usr/bin/hearsay"}) {
			t.Errorf("%q is taken for our own server", line)
		}
	}
}

func TestRestWords(t *testing.T) {
	for line, want := range map[string][]string{
		"": nil, "x": nil, "x a 'b c'": {"a", "b c"}, "A=1 'x y' a || b c": {"a"}, "x a;b": {"a"}, "x >a b": nil,
		`'/l/hearsay-hook' codex --home '/it'\''s' || /bin/sh -c 'exit 2'`: {"codex", "--home", "/it's"},
		"x ''": {""},
	} {
		if diff := cmp.Diff(want, restWords(line)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", line, diff)
		}
	}
}

func FuzzGateway(f *testing.F) {
	f.Add("memory", "npx -y @modelcontextprotocol/server-memory")
	f.Add("--", "mcp --")
	f.Fuzz(func(t *testing.T, name, command string) {
		argv := strings.Fields(command)
		got := options("claude").gatewayFor(name, argv)
		if n := gatewayLen(append(slices.Clone(got), "x")); n != len(got) {
			t.Errorf("%q: %d of %q", name, n, got)
		}
		if err := checkArgs(got); err != nil {
			t.Error(err)
		}
		restWords(command)
	})
}
