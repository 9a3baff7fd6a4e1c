package install

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestAlikeNames(t *testing.T) {
	for _, c := range []struct {
		name, other string
		want        bool
	}{
		{"memory", "memory", true}, {"my-mem", "my_mem", true}, {"my mem", "my_mem", true}, {"My.Mem", "my_mem", true}, {"ü", "_", true},
		{"memory__evil", "memory", true}, {"memory_", "memory", true}, // the tool's name can begin there
		{"memory", "memory__evil", false}, {"memory_x", "memory", false}, {"memory2", "memory", false}, {"mymem", "my_mem", false}, {"", "memory", false},
		{strings.Repeat("a", 70), strings.Repeat("a", 64), true},
	} {
		if got := alike(c.name, c.other); got != c.want {
			t.Errorf("%q for %q: %t", c.name, c.other, got)
		}
	}
}

func TestSurely(t *testing.T) {
	behind := Server{Name: "memory", Decides: true}
	with := func(change func(*Server)) Server { v := behind; change(&v); return v }
	named := func(name string) Server { return with(func(v *Server) { v.Name = name }) }
	bare := with(func(v *Server) { v.Decides = false })
	repo := with(func(v *Server) { v.Scope, v.Decides = Project, false })
	untold := Called{Spelt: "memory"}
	told := func(source string) Called { return Called{Spelt: "memory", Key: "memory", Source: source} }
	for name, c := range map[string]struct {
		all  []Server
		call Called
		want bool
	}{
		"one behind a gateway":                  {[]Server{behind, {Name: "pages"}}, untold, true},
		"none that settings name":               {[]Server{{Name: "pages"}}, untold, true},
		"one without":                           {[]Server{bare}, untold, false},
		"the same name, in two files":           {[]Server{behind, repo}, untold, false},
		"the same name, both behind one":        {[]Server{behind, with(func(v *Server) { v.Scope = Project })}, untold, true},
		"a name that is spelt alike":            {[]Server{behind, named("Memory")}, untold, false},
		"and without a gateway":                 {[]Server{behind, {Name: "Memory"}}, untold, false},
		"a name that begins alike":              {[]Server{behind, {Name: "memory__evil"}}, untold, false},
		"which the host tells apart":            {[]Server{behind, {Name: "Memory"}, {Name: "memory__evil"}}, told(""), true},
		"of the person's settings, as it says":  {[]Server{behind, repo}, told("user"), true},
		"of the project's, as it says":          {[]Server{behind, repo}, told("project"), false},
		"of the project's, which are not found": {[]Server{behind}, told("project"), false},
		"of a directory in the person's file":   {[]Server{behind, with(func(v *Server) { v.Project, v.Decides = "/srv/app", false })}, told("local"), false},
		"of settings of another name":           {[]Server{behind, repo}, told("dynamic"), false},
		"a gateway of another home":             {[]Server{with(func(v *Server) { v.File = "other" })}, untold, false},
	} {
		if got := Surely(c.all, c.call, func(v Server) bool { return v.File != "other" }); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestServersOfDirectories(t *testing.T) {
	gateway := func(name string) string {
		return `{"command": "/usr/bin/hearsay", "args": ["mcp", "--name=` + name + `", "--profile=cautious", "--", "x"]}`
	}
	m := memory{
		testHome + "/.claude.json": `{"mcpServers": {"a": ` + gateway("a") + `, "b": {"command": "x"}},
			"projects": {"/srv/app": {"mcpServers": {"c": {"command": "x"}}}, "/srv/app2": {"mcpServers": {"d": {"command": "x"}}}}}`,
		"/srv/.mcp.json":                    `{"mcpServers": {"e": {"command": "/usr/bin/hearsay", "args": ["mcp", "serve", "--name", "e"]}}}`,
		"/srv/app/.mcp.json":                `{"mcpServers": {"a": {"url": "https://a.test"}}}`,
		testHome + "/.gemini/settings.json": `{"mcpServers": {"a": ` + gateway("a") + `}}`,
	}
	names := func(h Host, dirs ...string) (out []string) {
		t.Helper()
		all, err := h.Servers(m.read, testHome, "/usr/bin/hearsay", dirs...)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range all {
			n := v.Name
			if v.Decides {
				n += "!"
			}
			out = append(out, n)
		}
		return out
	}
	for dir, want := range map[string]string{"/srv/app/sub": "a! b c a e!", "/srv": "a! b e!", "/": "a! b", "/srv/app2": "a! b d e!"} {
		if got := strings.Join(names(claude, dir), " "); got != want {
			t.Errorf("%s: %s, want %s", dir, got, want)
		}
	}
	// A project below the home directory: the person's file is not one of a project's too.
	if got := names(gemini, testHome+"/work"); !slices.Equal(got, []string{"a!"}) {
		t.Errorf("below the home: %v", got)
	}
	if _, err := claude.Servers(m.read, testHome, "", "work"); err == nil {
		t.Error("a relative directory is not refused")
	}
	m["/srv/app/.mcp.json"] = `{"mcpServers": [`
	if all, err := claude.Servers(m.read, testHome, "", "/srv/app"); err == nil || len(all) == 0 {
		t.Errorf("a broken file: %v, %v", all, err)
	}
	if _, err := (Host{}).Servers(m.read, testHome, "", "/srv"); err == nil {
		t.Error("no host is not refused")
	}
}

func TestAlikeServers(t *testing.T) {
	all := []Server{
		{Name: "memory", Decides: true}, {Name: "my-mem", Decides: true}, {Name: "my_mem", Decides: true, Scope: Project},
		{Name: "memory", Scope: Project}, {Name: "Pages"}, {Name: "pages"}, {Name: "notes", Decides: true}, {Name: "notes", Decides: true, Scope: Project},
		{Name: "x", Decides: true, Project: "/a"}, {Name: "x", Project: "/b"},
	}
	for _, c := range []struct {
		host Host
		want string
	}{{claude, "memory my-mem my_mem memory"}, {codex, "memory my-mem my_mem memory"}, {copilot, "memory my-mem my_mem memory"}, {gemini, "memory memory"}, {windsurf, "memory memory"}} {
		var got []string
		for _, v := range c.host.Alike(all) {
			got = append(got, v.Name)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v", c.host.Name, got)
		}
	}
}

// What is installed says so each time.
func TestAlikeIsTold(t *testing.T) {
	for name, h := range map[string]Host{testHome + "/.copilot/mcp-config.json": copilot, testHome + "/.claude.json": claude} {
		m := memory{name: `{"mcpServers": {"my_mem": {"command": "memory", "args": ["server"]}, "my mem": {"command": "uvx", "args": ["x"]}}}`}
		for range 2 {
			changes, err := h.Install(m.read, User, testHome, testProject, options(h.Name))
			if err != nil {
				t.Fatal(err)
			}
			notes := notesOf(changes)
			if !strings.Contains(notes, `server "my_mem", server "my mem": by their names one can be taken for another`) || !strings.Contains(notes, adviceAlike) {
				t.Errorf("%s: %s", h.Name, notes)
			}
			m = m.with(t, changes)
		}
	}
	m := memory{testHome + "/.codex/config.toml": "[mcp_servers.my-mem]\ncommand = \"memory\"\nargs = [\"server\"]\n[mcp_servers.my_mem]\ncommand = \"x\"\n"}
	changes, err := codex.Install(m.read, User, testHome, testProject, options("codex"))
	if err != nil || !strings.Contains(notesOf(changes), "by their names") {
		t.Errorf("%v, %v", changes, err)
	}
}

// A call that may be left to a gateway has the hook read the settings.
func BenchmarkServers(b *testing.B) {
	for _, kib := range []int{16, 1 << 10} {
		b.Run(fmt.Sprintf("%dKiB", kib), func(b *testing.B) {
			var projects []string
			for i := range kib * 2 {
				projects = append(projects, fmt.Sprintf(`"/srv/p%d": {"history": [%q], "mcpServers": {}}`, i, strings.Repeat("a", 450)))
			}
			m := memory{testHome + "/.claude.json": `{"mcpServers": {"memory": {"command": "x"}}, "projects": {` + strings.Join(projects, ", ") + `}}`}
			b.SetBytes(int64(len(m[testHome+"/.claude.json"])))
			for b.Loop() {
				if all, err := claude.Servers(m.read, testHome, "", testProject); err != nil || len(all) != 1 {
					b.Fatal(all, err)
				}
			}
		})
	}
}
