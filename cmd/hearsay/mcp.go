package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/caller"
	"github.com/hearsay-memory/hearsay/internal/home"
	"github.com/hearsay-memory/hearsay/internal/hostproc"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/mcp"
)

// sourceProfile is the profile of everything that is no memory server.
const sourceProfile = "source"

// proxyFlags are what a proxy is told on its command line.
type proxyFlags struct {
	profile, assume, namespace, agent, server string
	learn                                     bool
}

// mcpCommand stands in front of an MCP server.
func (a *app) mcpCommand() *cobra.Command {
	var f proxyFlags
	c := &cobra.Command{
		Use:   "mcp [flags] -- COMMAND [ARG…]",
		Short: "Stand in front of an MCP server, over stdio",
		Long: `Start an MCP server and stand between it and its client.

In front of a memory server (--profile server-memory, or cautious for one that nobody
here knows) it decides every write, keeps the provenance of every observation, and
filters and marks what is read. In front of any other server (--profile source, the
default) it seals what tools return before the agent sees it. A profile says what a
server's tools do; one of your own is a file in the home, profiles/NAME.yaml. --learn
asks the server for its tools, prints a draft of one, and starts nothing else.

Proxies under one host process share a session: what one of them lets the agent read,
the other knows when the agent writes. A proxy does not see what a host's own tools
read. Without --assume agent a write therefore comes from an unknown source and is
held; with it the agent is taken for the speaker, as long as no live session of the
principal is tainted. Use it only where every tool that reads from outside is behind a
proxy.

The home comes from --home or is ~/.hearsay; the environment is not asked, because an
agent can set it.`,
		Example: `  hearsay mcp --profile server-memory --assume agent -- npx -y @modelcontextprotocol/server-memory
  hearsay mcp --profile basic-memory --assume agent -- uvx basic-memory mcp
  hearsay mcp --learn --name notes -- notes-server > ~/.hearsay/profiles/notes.yaml
  hearsay mcp -- uvx mcp-server-fetch`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError("no server to run: give its command after --")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if f.learn {
				return a.learn(c.Context(), f, args)
			}
			return a.proxy(c.Context(), f, args)
		},
	}
	c.Flags().StringVar(&f.profile, "profile", sourceProfile, "`PROFILE` of the server: source, "+strings.Join(mcp.ProfileNames(), ", ")+", or one of your own")
	c.Flags().StringVar(&f.assume, "assume", "", "`WHO` speaks in writes where no host says so: agent")
	c.Flags().StringVar(&f.namespace, "namespace", "memory", "`NAMESPACE` of the writes, segments separated by /")
	c.Flags().StringVar(&f.agent, "agent", "", "`NAME` of the agent, as the policy knows it")
	c.Flags().StringVar(&f.server, "name", "", "`NAME` of the server in source types (default: from its command)")
	c.Flags().BoolVar(&f.learn, "learn", false, "print a draft of a profile for the server, and end")
	c.AddCommand(a.mcpServeCommand())
	return c
}

// learn prints a draft of a profile.
func (a *app) learn(ctx context.Context, f proxyFlags, args []string) error {
	name := strings.NewReplacer("_", "-", ".", "-").Replace(serverName(f.server, args))
	draft, err := mcp.Learn(ctx, mcp.Command{Args: args, Env: os.Environ(), Stderr: a.err}, name)
	if err != nil {
		return err
	}
	_, err = a.out.Write(draft)
	return err
}

func (a *app) proxy(ctx context.Context, f proxyFlags, args []string) error {
	if err := checkAssume(f.assume); err != nil {
		return err
	}
	o := mcp.Options{Assume: f.assume == "agent", Server: serverName(f.server, args), Log: slog.New(slog.NewTextHandler(a.err, nil))}
	o.Namespace = strings.Split(f.namespace, "/")
	if err := o.Namespace.Check(); err != nil {
		return usageError("--namespace: %v", err)
	}
	var nonce [8]byte
	if _, err := rand.Read(nonce[:]); err != nil {
		return err
	}
	o.Nonce = hex.EncodeToString(nonce[:])
	dir, err := a.flagDir()
	if err != nil {
		return err
	}
	if err := checkProfile(dir, f.profile); err != nil {
		return usageError("--profile: %v", err)
	}
	in, err := instance.Open(ctx, dir, instance.Options{})
	if err != nil {
		return err
	}
	defer in.Close()
	if in.PolicyNote != "" {
		o.Log.Warn(in.PolicyNote)
	}
	var places []string
	if f.profile != sourceProfile {
		if o.Profile, err = profileOf(in.Home, f.profile); err != nil {
			return usageError("--profile: %v", err)
		}
		places = o.Profile.Store
	}
	cmd := mcp.Command{Args: args, Env: os.Environ(), Stderr: a.err}
	o.Guard, o.Store = in.Guard, mcp.StoreID(f.profile, cmd, places...)
	o.LockStore = func(ctx context.Context) (func() error, error) { return in.Home.LockNamed(ctx, o.Store) }
	host, unknown := hostproc.Current()
	if o.Caller, err = caller.OfHost(ctx, in, hearsay.SurfaceMCP, f.agent, host, unknown, o.Log); err != nil {
		return err
	}
	o.Host = o.Caller.Session
	if o.Profile != nil && o.Host != "" {
		// The host's hook leaves the writes of this server to us. It knows the server by its
		// key in the host's settings, just as that is spelt.
		if err := in.Guard.Serve(ctx, o.Caller.Principal, o.Host, cmp.Or(f.server, o.Server)); err != nil {
			return err
		}
	}
	return mcp.Run(ctx, mcp.Pipe{In: a.in, Out: a.out}, cmd, o)
}

// profileFile is where a profile of the home lies in it.
func profileFile(name string) string { return home.DirProfiles + "/" + name + ".yaml" }

// checkProfile reports a profile that is neither shipped nor in the home, before anything
// is opened.
func checkProfile(dir, name string) error {
	shipped := append(mcp.ProfileNames(), sourceProfile)
	if slices.Contains(shipped, name) {
		return nil
	}
	if !mcp.IsProfileName(name) {
		return fmt.Errorf("%q is no name of a profile: want small letters, digits and -", name)
	}
	if _, err := os.Lstat(filepath.Join(dir, profileFile(name))); err != nil {
		return fmt.Errorf("no profile %q: there are %s, and those in %s", name, strings.Join(shipped, ", "), filepath.Join(dir, home.DirProfiles))
	}
	return nil
}

// profileOf returns a shipped profile, or one of the home. A shipped one cannot be
// replaced: its name promises what it does.
func profileOf(h *home.Home, name string) (*mcp.Profile, error) {
	if slices.Contains(mcp.ProfileNames(), name) {
		return mcp.LoadProfile(name)
	}
	data, err := h.ReadFile(profileFile(name))
	if err != nil {
		return nil, err
	}
	p, err := mcp.ParseProfile(data)
	if err != nil {
		return nil, err
	}
	if p.Name != name {
		return nil, fmt.Errorf("the file of profile %q says that its name is %q: make them one", name, p.Name)
	}
	return p, nil
}

// runners start other programs: the name of a server is that of what they start.
var runners = map[string]bool{"npx": true, "npm": true, "node": true, "uvx": true, "uv": true, "python": true, "python3": true, "bunx": true, "docker": true, "env": true, "run": true, "exec": true}

// serverName gives a server a name for its source type. What cannot stand in a taint
// tag is left out.
func serverName(name string, args []string) string {
	for _, arg := range args {
		if name != "" {
			break
		}
		base := strings.TrimSuffix(filepath.Base(arg), filepath.Ext(arg))
		if !strings.HasPrefix(arg, "-") && !runners[base] {
			name = base
		}
	}
	clean := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.' {
			return r
		}
		return -1
	}, strings.ToLower(name))
	if clean == "" {
		clean = "server"
	}
	return fmt.Sprintf("%.64s", clean)
}
