package hook

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/hearsay-memory/hearsay/internal/hosts"
	"github.com/hearsay-memory/hearsay/internal/hosts/install"
)

// served reports whether a call of an MCP server is left to a proxy of ours: one is at work
// under the server's name, and the settings leave no doubt that the call is of that server.
// A call that goes past the proxy after all would be decided by nobody.
func (h *Handler) served(ctx context.Context, e hosts.Event) (bool, error) {
	// A name that the host had to respell for the tool may be that of another server:
	// nothing says whose gateway stands behind it.
	if e.Server.Name != "" && !strings.HasSuffix(e.Server.Name, e.Tool.Server) {
		return false, nil
	}
	served, err := h.Guard.Served(ctx, h.caller.Principal, h.Host(), e.Tool.Server)
	if err != nil || !served {
		return false, err
	}
	host, ok := install.Find(e.Host)
	if !ok {
		return false, nil
	}
	dirs := []string{e.Dir}
	if h.Project != "" {
		dirs = append(dirs, h.Project)
	}
	all, err := host.Servers(install.Read, filepath.FromSlash(h.Files.Home), h.Program, dirs...)
	if err != nil {
		h.Log.Warn("a call is not left to the gateway: which servers there are cannot be told", "server", e.Tool.Server, "error", err)
		return false, nil
	}
	return install.Surely(all, install.Called{Spelt: e.Tool.Server, Key: e.Server.Name, Source: e.Server.Source}, h.ourGateway), nil
}

// ourGateway reports whether a gateway is of this home. In a project's files, which a
// stranger may have written, it has to be our program as well.
func (h *Handler) ourGateway(v install.Server) bool {
	if v.Scope == install.Project && !v.Own && v.Gateway[0] != h.Program {
		return false
	}
	home := v.Home()
	if home == "" {
		home = filepath.Join(h.Files.Home, ".hearsay")
	}
	return filepath.IsAbs(home) && real(home) == h.Files.own
}
