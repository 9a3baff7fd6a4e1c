package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tailscale/hujson"
)

// maker makes settings that no person would write but every parser accepts.
type maker struct {
	*rand.Rand
	plain bool // standard JSON: no comments, no commas at the end
}

func (m maker) pick(of ...string) string { return of[m.IntN(len(of))] }

// extra is white space and comments.
func (m maker) extra() string {
	s := m.pick("", "", "", " ", "\n", "\n  ", "\n\t\t", "\r\n    ", "  \n")
	if m.plain || m.IntN(6) > 0 {
		return s
	}
	return s + m.pick("// hearsay-hook\n", "/* } */", "/* a */ // b\n", "//\r\n", "// x  \n  ", "/**/ ") + m.pick("", " ", "\n")
}

func (m maker) list(open, end string, n int, item func(i int) string) string {
	var b strings.Builder
	b.WriteString(open)
	for i := range n {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString(m.extra() + item(i) + m.extra())
	}
	if n > 0 && !m.plain && m.IntN(4) == 0 {
		b.WriteString("," + m.extra())
	}
	if n == 0 {
		b.WriteString(m.extra())
	}
	return b.String() + end
}

// object has the given members and further ones, in any order.
func (m maker) object(members ...string) string {
	for i := range m.IntN(3) {
		members = append(members, fmt.Sprintf("%q%s:%s%s", fmt.Sprintf("k%d", i), m.extra(), m.extra(), m.pick("1", "null", `"a\"b"`, "[]", "{}", "[{\"hooks\":[]}]")))
	}
	m.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	return m.list("{", "}", len(members), func(i int) string { return members[i] })
}

func (m maker) member(key, value string) string {
	return fmt.Sprintf("%q%s:%s%s", key, m.extra(), m.extra(), value)
}

// some returns about half of the members.
func (m maker) some(members ...string) []string {
	return slices.DeleteFunc(members, func(string) bool { return m.IntN(2) == 0 })
}

func (m maker) handler() string {
	return m.object(m.some(m.member("type", m.pick(`"command"`, `"prompt"`)), m.member("command", m.pick(`"x"`, `"/opt/hearsay-hooks"`, `"hearsay"`)), m.member("args", `["a"]`))...)
}

func (m maker) group() string {
	handlers := m.list("[", "]", m.IntN(3), func(int) string { return m.handler() })
	return m.object(m.some(m.member("matcher", m.pick(`"*"`, `""`, `"Write"`)), m.member("hooks", handlers), m.member("hooks2", "[]"))...)
}

func (m maker) settings() string {
	var events []string
	for _, e := range []string{"Stop", "PreToolUse", "SessionStart", "Notification", "SessionEnd"} {
		events = append(events, m.member(e, m.list("[", "]", m.IntN(3), func(int) string { return m.group() })))
	}
	env := m.object(m.some(m.member("A", `"b"`), m.member("CLAUDE_CODE_DISABLE_FILE_MENTIONS", m.pick(`"1"`, `"0"`, "1")))...)
	return m.extra() + m.object(m.some(m.member("env", env), m.member("hooks", m.object(m.some(events...)...)), m.member("model", `"x"`))...) + m.extra()
}

func (m maker) servers() string {
	one := func() string {
		args := m.list("[", "]", m.IntN(3), func(int) string { return m.pick(`"a"`, `"--"`, `"\u0062"`, `"mcp"`) })
		return m.object(m.some(m.member("command", m.pick(`"npx"`, `"\u006epx"`, `"hearsay"`)), m.member("args", args), m.member("type", m.pick(`"stdio"`, `"http"`)), m.member("env", "{}"))...)
	}
	some := func() string {
		names := m.some("a", "--", "B c")
		return `"mcpServers":` + m.list("{", "}", len(names), func(i int) string { return m.member(names[i], one()) })
	}
	return m.extra() + m.list("{", "}", 2, func(i int) string {
		if i == 0 {
			return some()
		}
		return `"projects":` + m.object(m.member("/p", m.list("{", "}", 1, func(int) string { return some() })))
	}) + m.extra()
}

// TestRemoveUndoesInstall is the promise of the package, over made settings.
func TestRemoveUndoesInstall(t *testing.T) {
	settings, servers := testHome+"/.claude/settings.json", testHome+"/.claude.json"
	installed := 0
	for seed := range uint64(500) {
		m := maker{Rand: rand.New(rand.NewPCG(seed, 1))}
		before := memory{settings: m.settings(), servers: m.servers()}
		if _, err := claude.Install(before.read, User, testHome, "", options("claude")); err != nil {
			continue // a made server that is none
		}
		installed++
		after, left := roundTrip(t, claude, before, options("claude"))
		if diff := cmp.Diff(before, left); diff != "" {
			t.Fatalf("seed %d (-want +got):\n%s\nafter installing:\n%s\n%s", seed, diff, after[settings], after[servers])
		}
		st, err := claude.State(after.read, User, testHome, "", options("claude"))
		if err != nil || !st.Covered() || len(st.Doubled) > 0 {
			t.Fatalf("seed %d: %+v, %v", seed, st, err)
		}
	}
	if installed < 100 {
		t.Errorf("only %d of the made settings were valid", installed)
	}
}

// TestOthersStay: what other people have in the events stays byte for byte.
func TestOthersStay(t *testing.T) {
	settings := testHome + "/.claude/settings.json"
	for seed := range uint64(200) {
		m := maker{Rand: rand.New(rand.NewPCG(seed, 2))}
		before := memory{settings: m.settings()}
		after, _ := roundTrip(t, claude, before, options("claude"))
		have := handlersOf(t, before[settings])
		got := slices.DeleteFunc(handlersOf(t, after[settings]), func(h string) bool { return strings.Contains(h, "/usr/lib/hearsay/hearsay-hook") })
		slices.Sort(have)
		slices.Sort(got)
		if !slices.Equal(have, got) {
			t.Fatalf("seed %d (-want +got):\n%s", seed, cmp.Diff(have, got))
		}
	}
}

func handlersOf(t *testing.T, in string) (out []string) {
	t.Helper()
	d, err := parse("x", []byte(in))
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range claude.eventLists(d) {
		for g := range l.groups.Elements {
			if handlers := groupHandlers(&l.groups.Elements[g]); handlers != nil {
				for _, h := range handlers.Elements {
					out = append(out, l.name+" "+hujson.Value{Value: h.Value}.String())
				}
			}
		}
	}
	return out
}

// TestRewrittenByTheHost: hosts write their files anew, without our white space. Then
// what is left means the same, but for empty lists.
func TestRewrittenByTheHost(t *testing.T) {
	settings, servers := testHome+"/.claude/settings.json", testHome+"/.claude.json"
	for seed := range uint64(200) {
		m := maker{Rand: rand.New(rand.NewPCG(seed, 3)), plain: true}
		before := memory{settings: m.settings(), servers: m.servers()}
		if _, err := claude.Install(before.read, User, testHome, "", options("claude")); err != nil {
			continue
		}
		after, _ := roundTrip(t, claude, before, options("claude"))
		for name, data := range after {
			var b bytes.Buffer
			if err := json.Indent(&b, []byte(data), "", m.pick("", "  ", "\t")); err != nil {
				t.Fatal(err)
			}
			after[name] = b.String()
		}
		again, err := claude.Install(after.read, User, testHome, "", options("claude"))
		if err != nil || slices.ContainsFunc(again, Change.Changed) {
			t.Fatalf("seed %d: installing again: %v, %v", seed, again, err)
		}
		undone, err := claude.Remove(after.read, User, testHome, "")
		if err != nil {
			t.Fatal(err)
		}
		left := after.with(t, undone)
		for name := range before {
			if diff := cmp.Diff(meaning(t, before[name]), meaning(t, left[name])); diff != "" {
				t.Fatalf("seed %d (-want +got):\n%s\n%s", seed, diff, after[name])
			}
		}
	}
}

// meaning is a file's value without empty lists and objects.
func meaning(t *testing.T, in string) any {
	t.Helper()
	if in == "" {
		return nil
	}
	var v any
	if err := json.Unmarshal([]byte(in), &v); err != nil {
		t.Fatal(err)
	}
	var prune func(v any) any
	prune = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			for k, e := range v {
				if e = prune(e); e == nil {
					delete(v, k)
				} else {
					v[k] = e
				}
			}
			if len(v) == 0 {
				return nil
			}
		case []any:
			if len(v) == 0 {
				return nil
			}
		}
		return v
	}
	return prune(v)
}

// holdsOurs reports whether a file already has entries that are known as ours.
func holdsOurs(h Host, m memory) bool {
	st, err := h.State(m.read, User, testHome, "", Options{})
	return err != nil || len(st.Hooks) > 0 || slices.ContainsFunc(st.Servers, func(s Server) bool { return s.Gateway != nil })
}

// checkRoundTrip is the property for the fuzzers.
func checkRoundTrip(t *testing.T, h Host, before memory) {
	o := options(h.Name)
	changes, err := h.Install(before.read, User, testHome, "", o)
	if err != nil {
		return
	}
	for _, c := range changes {
		_ = Diff(c)
	}
	ours := holdsOurs(h, before)
	after, left := roundTrip(t, h, before, o)
	if !ours {
		if diff := cmp.Diff(before, left); diff != "" {
			t.Fatalf("(-want +got):\n%s\nafter installing: %q", diff, after)
		}
		return
	}
	if _, err := h.Install(left.read, User, testHome, "", o); err != nil {
		t.Fatalf("removing broke the file: %v\n%q", err, left)
	}
}

func FuzzClaude(f *testing.F) {
	for seed := range uint64(20) {
		m := maker{Rand: rand.New(rand.NewPCG(seed, 4))}
		f.Add(m.settings(), m.servers())
	}
	f.Add(`{"hooks":{"Stop":[{"hooks":[{"command":"hearsay-hook"}, // x`+"\n"+`]}]}}`, `{"mcpServers":{"a":{"command":"hearsay","args":["mcp","--","x"]}}}`)
	f.Add(bom, "\t")
	f.Fuzz(func(t *testing.T, settings, servers string) {
		checkRoundTrip(t, claude, memory{testHome + "/.claude/settings.json": settings, testHome + "/.claude.json": servers})
	})
}

func FuzzCodex(f *testing.F) {
	f.Add("{}", "[mcp_servers.a]\ncommand = 'x' # y\n")
	f.Add("{\"hooks\":{}}", "mcp_servers.a = { command = \"\"\"x\"\"\"\"\", args = ['a', ] }\r\n")
	f.Add("", "[[a.b]]\nc.d = [1, {e = 2}]\n[a.b.f]\n[mcp_servers]\nx.command = \"\\u0061\"\nx.args = [\n# c\n]\n")
	f.Add("\n", "mcp_servers.a.command=\"hearsay\"\nmcp_servers.a.args=[\"mcp\",\"--\",\"x\",]")
	f.Fuzz(func(t *testing.T, hooks, config string) {
		checkRoundTrip(t, codex, memory{testHome + "/.codex/hooks.json": hooks, testHome + "/.codex/config.toml": config})
	})
}

// tomlFile makes a config.toml with servers in any form.
func (m maker) tomlFile() string {
	nl := m.pick("\n", "\r\n")
	blank := func() string { return m.pick("", " ", "\t") }
	comment := func() string { return m.pick("", "", " # x \"", "\t#") + nl }
	str := func() string {
		return m.pick(`"x"`, `'a\b'`, `"\u0061\""`, `"""x"""`, "'''"+nl+"y'''", `""""q""""`, `"--"`, `""`)
	}
	space := func() string { return m.pick("", " ", nl+"  ", " # ]"+nl) }
	array := func() string {
		var out strings.Builder
		out.WriteString("[")
		for i := range m.IntN(3) {
			if i > 0 {
				out.WriteString(",")
			}
			out.WriteString(space() + str() + space())
			if m.IntN(5) == 0 {
				return out.String() + "," + space() + "]"
			}
		}
		return out.String() + space() + "]"
	}
	eq := func() string { return blank() + "=" + blank() }
	pairs := func() []string {
		out := []string{m.pick("command", `"command"`, "'command'") + eq() + str()}
		if m.IntN(2) == 0 {
			out = append(out, "args"+eq()+array())
		}
		if m.IntN(2) == 0 {
			out = append(out, "timeout"+eq()+m.pick("1", "1.5", "1979-05-27 07:32:00", "true", "{ a.b = [1, {c = 2}] }"))
		}
		m.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
		return out
	}
	var b strings.Builder
	b.WriteString(m.pick("", bom, "") + m.pick("", "a = 1"+comment()))
	for i := range m.IntN(3) {
		b.WriteString(blank() + fmt.Sprintf("[mcp_servers.%s%d%s]", blank(), i, blank()) + comment())
		for _, p := range pairs() {
			b.WriteString(blank() + p + comment())
		}
	}
	b.WriteString("[mcp_servers]" + comment())
	for i := range m.IntN(4) {
		if m.IntN(2) == 0 {
			b.WriteString(blank() + fmt.Sprintf("s%d", i) + eq() + "{" + blank() + strings.Join(pairs(), blank()+","+blank()) + blank() + "}" + comment())
			continue
		}
		for _, p := range pairs() {
			b.WriteString(blank() + fmt.Sprintf("s%d%s.%s", i, blank(), blank()) + p + comment())
		}
	}
	return strings.TrimSuffix(b.String(), m.pick("", "", nl))
}

func TestRemoveUndoesInstallTOML(t *testing.T) {
	config := testHome + "/.codex/config.toml"
	for seed := range uint64(500) {
		m := maker{Rand: rand.New(rand.NewPCG(seed, 5))}
		before := memory{config: m.tomlFile()}
		if holdsOurs(codex, before) {
			t.Fatalf("seed %d: refused or ours: %q", seed, before[config])
		}
		after, left := roundTrip(t, codex, before, options("codex"))
		if diff := cmp.Diff(before, left); diff != "" {
			t.Fatalf("seed %d (-want +got):\n%s\nafter installing:\n%s", seed, diff, after[config])
		}
		was, err := codex.State(before.read, User, testHome, "", options("codex"))
		if err != nil {
			t.Fatal(err)
		}
		is, err := codex.State(after.read, User, testHome, "", options("codex"))
		if err != nil {
			t.Fatal(err)
		}
		for i := range is.Servers {
			if v := is.Servers[i]; v.Hidden || !slices.Equal(v.Gateway, options("codex").gatewayFor(v.Name, v.Command)) {
				t.Fatalf("seed %d: not wrapped: %+v\n%s", seed, is.Servers[i], after[config])
			}
			is.Servers[i].Gateway = nil
		}
		if diff := cmp.Diff(was.Servers, is.Servers); diff != "" {
			t.Fatalf("seed %d (-want +got):\n%s", seed, diff)
		}
	}
}

// FuzzMade is TestRemoveUndoesInstall for further seeds.
func FuzzMade(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) {
		m := maker{Rand: rand.New(rand.NewPCG(seed, 6))}
		checkRoundTrip(t, claude, memory{testHome + "/.claude/settings.json": m.settings(), testHome + "/.claude.json": m.servers()})
		checkRoundTrip(t, codex, memory{testHome + "/.codex/hooks.json": m.settings(), testHome + "/.codex/config.toml": m.tomlFile()})
	})
}
