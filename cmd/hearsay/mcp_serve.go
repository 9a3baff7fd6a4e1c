package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/caller"
	"github.com/hearsay-memory/hearsay/internal/hostproc"
	"github.com/hearsay-memory/hearsay/internal/loopback"
	"github.com/hearsay-memory/hearsay/internal/mcpserver"
	"github.com/hearsay-memory/hearsay/internal/token"
)

// serveFlags are what our own server is told on its command line.
type serveFlags struct {
	assume, namespace, project, agent, name, http, tokens, page string
	files                                                       bool
}

// mcpServeCommand is our own MCP server.
func (a *app) mcpServeCommand() *cobra.Command {
	var f serveFlags
	c := &cobra.Command{
		Use:   "serve [flags]",
		Short: "Serve Hearsay's own memory as an MCP server",
		Long: `Serve Hearsay's own memory to an MCP client: tools to remember, search, list, read
and forget, and to see how much waits for you. Over stdio, or with --http over
Streamable HTTP on the path /mcp, for this machine alone. Both eras of the protocol are
spoken.

Over stdio the server shares a session with the proxies and the hooks under the same
host process, and knows from them what the agent has read. Where no hook says who
speaks, a write comes from an unknown source and is held, unless --assume agent takes
the agent for the speaker; see ` + "`hearsay mcp --help`" + ` for what that needs.

Over HTTP a token tells callers apart, and every request needs one. A token file has a
name and a token a line and is yours alone to read. Each token has a session of its own,
by which the policy knows it as an agent: connecting anew cleans nothing.

With --memory-tool the six commands of Anthropic's memory tool are served too, as a tool
named memory, over the files that ` + "`hearsay memory-tool`" + ` keeps.

No tool decides what is held. An agent is told how much waits, and under which ids; you
look at it with ` + "`hearsay review`" + `. See docs/mcp-server.md.

The home comes from --home or is ~/.hearsay; the environment is not asked, because an
agent can set it.`,
		Example: `  hearsay mcp serve --assume agent
  hearsay mcp serve --http 127.0.0.1:7415 --token-file tokens.txt --assume agent`,
		Args: exactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error { return a.serveMemory(c.Context(), f) },
	}
	c.Flags().StringVar(&f.assume, "assume", "", "`WHO` speaks in writes where no host says so: agent")
	c.Flags().StringVar(&f.namespace, "namespace", "", "`NAMESPACE` of the writes, segments separated by /; what lies beside it is not found (default: memory, and everything is found)")
	c.Flags().StringVar(&f.project, "project", "", "`DIR` of the project: writes belong to it, and what belongs to others is not found (default: all)")
	c.Flags().StringVar(&f.agent, "agent", "", "`NAME` of the agent, as the policy knows it; over HTTP it is that of the token")
	c.Flags().StringVar(&f.name, "name", "memory", "`NAME` of this server in the host's settings, by which its hook knows it")
	c.Flags().StringVar(&f.http, "http", "", "serve HTTP on `ADDRESS:PORT` instead of stdio")
	c.Flags().StringVar(&f.tokens, "token-file", "", "`FILE` of names and tokens, a pair a line, for --http")
	c.Flags().BoolVar(&f.files, "memory-tool", false, "serve Anthropic's memory tool too")
	c.Flags().StringVar(&f.page, "review-page", "", "`URL` of a page on which you review, for clients that can open one")
	return c
}

// check refuses flags that do not go together.
func (f *serveFlags) check() error {
	assume := checkAssume(f.assume)
	switch {
	case assume != nil:
		return assume
	case f.tokens != "" && f.http == "":
		return usageError("--token-file names callers over HTTP: give --http ADDRESS:PORT too")
	case f.tokens == "" && f.http != "":
		return usageError("--http needs --token-file, because every program of this machine can connect: a line `NAME TOKEN` for each caller, such as `openssl rand -hex 32` makes one")
	case f.agent != "" && f.http != "":
		return usageError("--agent: over HTTP the name of a token is that of its agent")
	}
	if f.page == "" {
		return nil
	}
	if u, err := url.Parse(f.page); err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		return usageError("--review-page: want an http or https URL without a password")
	}
	return nil
}

func (a *app) serveMemory(ctx context.Context, f serveFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	o := mcpserver.Options{
		Name: f.name, Assume: f.assume == "agent", Page: f.page,
		Version: version(), Log: slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
	if f.namespace != "" {
		o.Namespace = strings.Split(f.namespace, "/")
	}
	if err := o.Namespace.Check(); err != nil {
		return usageError("--namespace: %v", err)
	}
	project, err := projectOf(f.project)
	if err != nil {
		return err
	}
	if f.tokens != "" {
		if o.Tokens, err = readTokens(f.tokens); err != nil {
			return err
		}
	}
	in, err := a.openByFlag(ctx)
	if err != nil {
		return err
	}
	defer in.Close()
	if in.PolicyNote != "" {
		o.Log.Warn(in.PolicyNote)
	}
	o.Guard, o.Memory = in.Guard, a.memoryOf(in)
	defer o.Memory.Close()
	defer inBackground(ctx, func(ctx context.Context) {
		if _, err := o.Memory.Embed(ctx); err != nil && ctx.Err() == nil {
			o.Log.Warn("vectors of memories are missing", "error", err)
		}
	})()
	if f.files {
		if o.Files, err = a.memoryFiles(in, ""); err != nil {
			return err
		}
	}
	if f.http != "" {
		o.Caller = in.Caller(hearsay.SurfaceOwn)
		o.Caller.Project = project
		return a.serveHTTP(ctx, f.http, o)
	}
	host, unknown := hostproc.Current()
	if o.Caller, err = caller.OfHost(ctx, in, hearsay.SurfaceOwn, f.agent, host, unknown, o.Log); err != nil {
		return err
	}
	o.Host, o.Caller.Project = o.Caller.Session, project
	s, err := mcpserver.New(ctx, o)
	if err != nil {
		return err
	}
	return s.Run(ctx, a.in, a.out)
}

// inBackground runs f beside what follows, and returns what ends it and waits for that.
func inBackground(ctx context.Context, f func(context.Context)) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { f(ctx) })
	return func() { cancel(); wg.Wait() }
}

func (a *app) serveHTTP(ctx context.Context, address string, o mcpserver.Options) error {
	s, err := mcpserver.New(ctx, o)
	if err != nil {
		return err
	}
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("--http %s: %w", address, err)
	}
	defer ln.Close()
	if !loopback.Is(ln) {
		return usageError("--http %s: others than this machine could connect: listen on 127.0.0.1", address)
	}
	fmt.Fprintf(a.err, "hearsay: serving http://%s%s\n", ln.Addr(), mcpserver.Path)
	return s.Serve(ctx, ln)
}

// readTokens reads the token file.
func readTokens(name string) (token.Tokens, error) {
	f, err := token.Open(name)
	if err != nil {
		return nil, fmt.Errorf("--token-file: %w", err)
	}
	defer f.Close()
	t, err := token.Read(f)
	if err != nil {
		return nil, fmt.Errorf("--token-file %s: %w", name, err)
	}
	return t, nil
}
