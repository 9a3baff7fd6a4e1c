package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/caller"
	"github.com/hearsay-memory/hearsay/internal/hostproc"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/loopback"
	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/internal/memtool"
	"github.com/hearsay-memory/hearsay/internal/shell"
)

// toolFlags are what the memory tool is told on its command line.
type toolFlags struct {
	dir, session, assume, agent, http, tokens string
}

// memoryToolCommand carries out the commands of a model's memory tool.
func (a *app) memoryToolCommand() *cobra.Command {
	var f toolFlags
	c := &cobra.Command{
		Use:   "memory-tool",
		Short: "Be the memory of Anthropic's memory tool, for the SDKs' helper classes",
		Long: `Carry out the commands of Anthropic's memory tool (memory_20250818). Each line on
standard input is the input of one tool_use block, as JSON; each line on standard output
is the reply: {"text":…,"is_error":…}. docs/memory-tool.md has the few lines of Python and
TypeScript that put it behind the helper classes of the SDKs.

What the model knows as /memories is a folder of the home. Each write is decided before
it is made; a held one is answered with an id, and lands as it was held when a reviewer
approves it. hearsay blame, diff and attest work on the files.

Processes under one host process are one session: what a proxy of hearsay mcp lets the
agent read counts here, and so does what the hooks of the sessions above saw. What your
program reads by itself is not seen. Without --assume agent a write therefore comes from an
unknown source and is held; with it the agent is taken for the speaker, as long as no live
session of the principal is tainted. Let your program say what it read with
` + "`hearsay check --taint`" + ` and the session's id, or through proxies.

With --http a POST of an input is answered by its reply, on this machine alone. A token
file has a name and a token a line, and each request bears one (Authorization: Bearer
TOKEN). A token is a session of its own, for good: what was shown to one request, all
that bear it have read.

The home comes from --home or is ~/.hearsay; the environment is not asked, because an
agent can set it.`,
		Example: `  hearsay memory-tool --assume agent
  hearsay memory-tool --http 127.0.0.1:7416 --token-file tokens.txt
  echo '{"command":"view","path":"/memories"}' | hearsay memory-tool`,
		Args: exactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			host, err := hostproc.Current()
			return a.memoryTool(c.Context(), f, host, err)
		},
	}
	c.Flags().StringVar(&f.dir, "dir", "", "`DIR` of the files, outside the home (default: a folder of the principal's in the home)")
	c.Flags().StringVar(&f.session, "session", "", "`ID` of the session that it is for, see `hearsay session ls` (default: that of the host process)")
	c.Flags().StringVar(&f.assume, "assume", "", "`WHO` speaks in writes: agent")
	c.Flags().StringVar(&f.agent, "agent", "", "`NAME` of the agent, as the policy knows it")
	c.Flags().StringVar(&f.http, "http", "", "serve HTTP on `ADDRESS:PORT` of this machine instead of standard input")
	c.Flags().StringVar(&f.tokens, "token-file", "", "`FILE` of names and tokens, for --http")
	return c
}

// check refuses flags that do not go together.
func (f *toolFlags) check() error {
	assume := checkAssume(f.assume)
	switch {
	case assume != nil:
		return assume
	case (f.http == "") != (f.tokens == ""):
		return usageError("--http and --token-file go together: a token tells who calls")
	case f.http != "" && (f.session != "" || f.agent != ""):
		return usageError("--session and --agent are not for --http: each token has a session and is an agent's name")
	}
	return nil
}

// memoryTool serves. host is the process that this one runs beneath; unknown says that it
// could not be told.
func (a *app) memoryTool(ctx context.Context, f toolFlags, host hostproc.Host, unknown error) error {
	in, err := a.openByFlag(ctx)
	if err != nil {
		return err
	}
	defer in.Close()
	h, err := a.memoryFiles(in, f.dir)
	if err != nil {
		return err
	}
	if f.assume != "" {
		h.Source, h.Assumed = hearsay.Source{Type: "agent"}, true
	}
	if in.PolicyNote != "" {
		h.Log.Warn(in.PolicyNote)
	}
	if f.http != "" {
		h.Caller = in.Caller(hearsay.SurfaceLib)
		return a.serveTool(ctx, &f, h)
	}
	h.Host = host.ID
	h.Above = func(ctx context.Context) ([]guard.SessionKey, error) {
		return caller.Above(ctx, in, host.ID, unknown == nil)
	}
	if h.Caller, err = f.caller(ctx, in, host, unknown, h.Log); err != nil {
		return err
	}
	err = h.Lines(ctx, a.in, a.out)
	if errors.Is(err, context.Canceled) {
		return nil // who started it has ended it
	}
	return err
}

// serveTool serves over HTTP, to this machine alone.
func (a *app) serveTool(ctx context.Context, f *toolFlags, h *memtool.Handler) error {
	tokens, err := readTokens(f.tokens)
	if err != nil {
		return err
	}
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", f.http)
	if err != nil {
		return fmt.Errorf("--http %s: %w", f.http, err)
	}
	defer ln.Close()
	if !loopback.Is(ln) {
		return usageError("--http %s: other machines could connect: listen on 127.0.0.1, and put a proxy with TLS before it", f.http)
	}
	fmt.Fprintf(a.err, "hearsay: the memory tool is on http://%s\n", ln.Addr())
	return h.Serve(ctx, ln, tokens)
}

// memoryFiles makes the files that the memory tool works on; where no folder is named, those
// in the home.
func (a *app) memoryFiles(in *instance.Instance, named string) (*memtool.Handler, error) {
	h := &memtool.Handler{
		Guard: in.Guard, Log: slog.New(slog.NewTextHandler(a.err, nil)), Command: "hearsay",
		Lock: func(ctx context.Context) (func() error, error) { return in.Home.LockNamed(ctx, memfile.Store) },
	}
	if a.homeFlag != "" {
		h.Command = "hearsay --home " + shell.Word(in.Home.Dir())
	}
	var err error
	h.Dir, err = toolDir(in, named)
	return h, err
}

// toolDir makes the folder of the files. One that a person names must not let a model
// into the home.
func toolDir(in *instance.Instance, named string) (string, error) {
	if named == "" {
		return memtool.Prepare(memtool.Folder(in.Home.Dir(), in.Config.Principal))
	}
	abs, err := filepath.Abs(named)
	if err != nil {
		return "", err
	}
	if in.Home.Inside(abs) {
		return "", usageError("--dir %s: it is the home, lies in it, or around it: name another folder, or none", named)
	}
	dir, err := memtool.Prepare(abs)
	if err == nil && in.Home.Inside(dir) {
		err = usageError("--dir %s: a link leads from it into the home", named)
	}
	return dir, err
}

// caller makes the caller: of the session that is named, if a surface opened it, else of
// the one that all processes of the host process share. Where neither is known it is the
// principal's shared session, which is tainted.
func (f *toolFlags) caller(ctx context.Context, in *instance.Instance, host hostproc.Host, unknown error, log *slog.Logger) (hearsay.Caller, error) {
	if f.session == "" {
		return caller.OfHost(ctx, in, hearsay.SurfaceLib, f.agent, host, unknown, log)
	}
	c, opener, err := sessionNamed(ctx, in, hearsay.SurfaceLib, f.session, f.agent)
	if err == nil && opener == "" {
		log.Warn("nobody opened that session: what is written here counts as tainted")
	}
	return c, err
}
