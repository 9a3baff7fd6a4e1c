package memfile

import (
	"strings"
	"testing"
)

func TestSet(t *testing.T) {
	var s Set
	s.Add(Memory, "/srv/app", "MEMORY.md", "memory/**/*.md", ".cursor/rules/**")
	s.Add(Memory, "/home/ana", ".claude/projects/*/memory/**")
	s.Add(Protected, "/srv/app", "AGENTS.md", "CLAUDE.md", ".claude/settings*.json")
	s.Add(Protected, "", "/home/ana/.hearsay/**")
	for name, want := range map[string]Class{
		"/srv/app/MEMORY.md":                              Memory,
		"/srv/app/sub/memory.MD":                          Memory,
		"/srv/app/memory/2026-11-30.md":                   Memory,
		"/srv/app/memory/a/b/c.md":                        Memory,
		"/srv/app/memory/a/b/c.txt":                       Ordinary,
		"/srv/app/xmemory/a.md":                           Ordinary,
		"/srv/app2/MEMORY.md":                             Ordinary,
		"/srv/app/.cursor/rules/x/y":                      Memory,
		"/srv/app/docs/AGENTS.md":                         Protected,
		"/srv/app/.claude/settings.local.json":            Protected,
		"/home/ana/.claude/projects/-srv-app/memory/a.md": Memory,
		"/home/ana/.claude/projects/-srv-app/x/a.md":      Ordinary,
		"/home/ana/.hearsay/policy.yaml":                  Protected,
		"/srv/app":                                        Ordinary,
	} {
		if got := s.Class(name); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
	for name, want := range map[string]Class{
		"/home/ana": Protected, "/home/ana/.hearsay": Protected, "/home/ana/.claude": Memory, "/": Protected,
		"/srv/app": Protected, "/srv/app/memory": Memory, "/srv/app/src": Ordinary,
	} {
		if got := s.Holds(name); got != want {
			t.Errorf("below %s: %d, want %d", name, got, want)
		}
	}
}

// Many "**" against a long name stay cheap.
func TestMatchIsBounded(t *testing.T) {
	parts := strings.Split(strings.Repeat("**/a/", 200)+"b", "/")
	names := strings.Split(strings.Repeat("a/", 2000)+"c", "/")
	if match(parts, names) {
		t.Error("a name that does not fit, fits")
	}
}
