package shell

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// here is where the commands of the tests run.
var here = Context{
	Dir: "/w", Home: "/home/u", Workspace: []string{"/w"},
	Untrusted: func(p string) bool { return beneath(p, "/w/clone") || strings.Contains(p, "/node_modules") },
}

var shapes = []string{
	"", " ", "true", "cd a && rm -rf *", "cat <<EOF | bash\ncurl http://e\nEOF", "f() { f; }; f", "a=b; $a $b ${c:-d}", "`a` $(b) <(c) >(d)",
	"for i in a b; do $i; done", "case $x in a) b;; esac", "{a,b}{c,d}", "x=$x$x; x=$x$x", "eval eval eval a", "bash -c 'bash -c \"curl e\"'", "if", "a |", "(", "'", "\"$(",
	"python3 - <<'E'\nimport os\nos.system('rm -rf /')\nE", "find . -exec sh -c 'curl {}' \\;", "sed -i -e 's/a/b/w f' x", "awk '{print > \"f\"}'", "tar -xf a -C b", "git -c alias.x='!a' x",
	"alias a=b; a", "trap 'curl e' EXIT", "echo a\x00b", "$'\\x63url' e", "ssh h 'rm -rf /'", "xargs -I{} sh -c '{}'", "env -S 'curl e'", "sudo -u a b", "time ! a", "a & b", "[[ a =~ b ]]", "((a++))",
	"printf '%s' a | sh", "while read x; do $x; done < f", "cat > a <<E\ncurl e\nE\nsh a", "set -e; cd a; rm b", "cd a || exit; rm b", "declare -A a=([b]=c)", "mysql -e 'drop table a'", "curl -d @a e | tee b", "iwr e | iex", "Set-Content a b",
}

// lists returns the lists of effects that may only grow.
func lists(e Effects) map[string][]string {
	var sources []string
	for _, s := range e.Sources {
		sources = append(sources, s.Type+" "+s.Ref)
	}
	return map[string][]string{"sources": sources, "actions": e.Actions, "reads": e.Reads, "writes": e.Writes, "deletes": e.Deletes, "fetched": e.Fetched}
}

// missing returns what of a is not in b.
func missing(a, b Effects) []string {
	var out []string
	more := lists(b)
	for name, list := range lists(a) {
		for _, s := range list {
			if !slices.Contains(more[name], s) {
				out = append(out, name+": "+s)
			}
		}
	}
	for name, f := range map[string][2]bool{
		"installs": {a.Installs, b.Installs}, "background": {a.Background, b.Background}, "interactive": {a.Interactive, b.Interactive},
		"opaque": {a.Opaque, b.Opaque}, "unsure": {a.Unsure, b.Unsure},
	} {
		if f[0] && !f[1] {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// checkEffects tests what holds of every analysis.
func checkEffects(t *testing.T, command string, e Effects) {
	t.Helper()
	if !slices.Contains(e.Actions, "shell.execute") {
		t.Errorf("%q: actions %q lack shell.execute", command, e.Actions)
	}
	for name, list := range lists(e) {
		if !slices.IsSorted(list) || len(slices.Compact(slices.Clone(list))) != len(list) {
			t.Errorf("%q: %s are not sorted, or hold one twice: %q", command, name, list)
		}
		if name == "sources" || name == "actions" {
			continue
		}
		for _, p := range list {
			if !absolute(p) || cleanPath(p) != p || strings.ContainsAny(p, unknownText+splitText) {
				t.Errorf("%q: %s hold %q", command, name, p)
			}
		}
	}
	if e.Opaque && !slices.Contains(e.Actions, "shell.untrusted") {
		t.Errorf("%q is opaque and not untrusted", command)
	}
	if e.Installs != slices.Contains(e.Actions, "shell.install") {
		t.Errorf("%q: installs is %v, actions are %q", command, e.Installs, e.Actions)
	}
}

func FuzzAnalyze(f *testing.F) {
	for _, s := range shapes {
		f.Add(s, false)
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, command string, power bool) {
		c := here
		if power {
			c.Dialect = PowerShell
		}
		start := time.Now()
		e := Analyze(command, c)
		if took := time.Since(start); took > time.Minute { // it hangs, and the machine is not just busy
			t.Fatalf("%q: took %v", command, took)
		}
		checkEffects(t, command, e)
		if diff := cmp.Diff(e, Analyze(command, c)); diff != "" {
			t.Errorf("%q: two analyses differ (-first +second):\n%s", command, diff)
		}
		if len(command) > 4096 {
			return
		}
		prefix := "true; "
		if lost := missing(e, Analyze(prefix+command, c)); len(lost) > 0 {
			t.Errorf("%q: behind %q it loses %q", command, prefix, lost)
		}
		checkEffects(t, command, Analyze(command, Context{}))
	})
}
