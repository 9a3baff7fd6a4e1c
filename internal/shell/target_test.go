package shell

import (
	"slices"
	"testing"
)

func TestWrites(t *testing.T) {
	c := Context{Dir: "/srv/app", Home: "/home/ana", Workspace: []string{"/srv/app"}}
	for name, want := range map[string][]string{
		"/srv/app/src/a.go":            nil,
		"/srv/app/.git/hooks/pre-push": {"file.autorun"},
		"/home/ana/.bashrc":            {"file.autorun", "file.outside"},
		"/etc/motd":                    {"file.outside"},
	} {
		if got := Writes(c, name); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
