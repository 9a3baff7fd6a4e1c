package doctor

import (
	"os"
	"testing"

	"github.com/hearsay-memory/hearsay/internal/hosts/install"
)

func TestServerKind(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	gateway := func(flags ...string) []string { return append(append([]string{self, "mcp"}, flags...), "--") }
	for want, v := range map[string]install.Server{
		"remote":     {Remote: true},
		"memory":     {Profile: "server-memory"},
		"bare":       {},
		"absent":     {Gateway: []string{"/nowhere/hearsay", "mcp", "--"}},
		"home":       {Gateway: gateway("--home", "/other")},
		"hidden":     {Gateway: gateway("--home", "/own"), Hidden: true},
		"stale":      {Gateway: gateway("--home", "/own"), Stale: true},
		"wrapped":    {Gateway: gateway("--home", "/own", "--profile", "cautious"), Profile: "server-memory", Unknown: true},
		"unprofiled": {Gateway: gateway("--home", "/own", "--profile=source"), Profile: "server-memory"},
		"own":        {Own: true},
		"unknown":    {Unknown: true},

		"remote memory": {Remote: true, Unknown: true},
		"own hidden":    {Own: true, Hidden: true},
	} {
		if got := serverKind(v, "/own"); got != want {
			t.Errorf("%+v is %s, want %s", v, got, want)
		}
	}
	if got := serverKind(install.Server{Gateway: gateway(), Unknown: true}, "/own"); got != "unknown" {
		t.Errorf("one that looks like a memory server, behind a gateway, is %s", got)
	}
	if got := serverKind(install.Server{Gateway: gateway("--home=/other")}, "/own"); got != "home" {
		t.Errorf("a gateway of another home, in one word, is %s", got)
	}
}
