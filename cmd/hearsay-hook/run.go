package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/home"
	"github.com/hearsay-memory/hearsay/internal/hook"
	"github.com/hearsay-memory/hearsay/internal/hostproc"
	"github.com/hearsay-memory/hearsay/internal/hosts"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/internal/shell"
	"github.com/hearsay-memory/hearsay/policy"
)

// maxPayload bounds what is read of one event, in bytes.
const maxPayload = 64 << 20

// failed is the exit code that stops a tool on hosts that know no other way.
const failed = 2

// run answers one event within a time.
func run(args []string, s streams, env func(string) string, within time.Duration) int {
	o, err := parse(args)
	if err != nil {
		return complain(s, "%v", err)
	}
	o.within = within
	payload, err := io.ReadAll(io.LimitReader(s.in, maxPayload+1))
	if err != nil || len(payload) > maxPayload {
		return complain(s, "the event cannot be read, or has more than %d bytes", maxPayload)
	}
	dialect, err := hosts.Detect(payload, env, o.host)
	if err != nil {
		return complain(s, "%v", err)
	}
	event, err := dialect.Decode(payload)
	if err != nil {
		return say(s, unreadable(dialect, event, err, o))
	}
	if event.Dir == "" {
		// The host does not say where it works; it starts its hooks there.
		if event.Dir, err = os.Getwd(); err != nil {
			return say(s, unreadable(dialect, event, err, o))
		}
	}
	if event.Kind == hosts.Other {
		return say(s, dialect.Encode(event, hosts.Answer{}))
	}
	return say(s, answer(dialect, event, o))
}

// answer asks the guard, within a time, and never panics.
func answer(d hosts.Dialect, e hosts.Event, o options) hosts.Reply {
	ctx, cancel := context.WithTimeout(context.Background(), o.within)
	defer cancel()
	replies := make(chan hosts.Reply, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				replies <- failure(d, e, o, nil, fmt.Errorf("it crashed: %v", p))
			}
		}()
		replies <- decide(ctx, d, e, o)
	}()
	select {
	case r := <-replies:
		return r
	case <-ctx.Done():
		return failure(d, e, o, nil, errors.New("it took too long"))
	}
}

// decide opens the home and handles the event.
func decide(ctx context.Context, d hosts.Dialect, e hosts.Event, o options) hosts.Reply {
	in, err := instance.Open(ctx, o.home, instance.Options{Brief: true, Deadline: o.share()})
	if err != nil {
		return failure(d, e, o, nil, err)
	}
	defer in.Close()
	rules := in.Guard.Policy()
	caller := in.Caller(hearsay.SurfaceHook)
	caller.Agent = o.agent
	h := hook.New(hook.Config{
		Guard: in.Guard, Caller: caller, Host: sync.OnceValue(hostProcess), Lost: lost(o),
		Files: hook.NewFiles(rules, userHome(), e.Dir, o.home), Command: "hearsay --home " + shell.Word(o.home), Program: program(os.Args[0]), Project: started(os.Getenv),
		LockFiles: func(ctx context.Context) (func() error, error) { return in.Home.LockNamed(ctx, memfile.Store) },
	})
	got, err := h.Handle(ctx, e)
	if err != nil {
		return failure(d, e, o, rules, err)
	}
	return d.Encode(e, got)
}

// hostProcess names the host process that runs this one. Where none is told apart, the
// session stands alone.
func hostProcess() string {
	proc, _ := hostproc.Current()
	return proc.ID
}

// failure answers an event that could not be decided: what is grave is refused, all
// else goes on and taints.
func failure(d hosts.Dialect, e hosts.Event, o options, rules *policy.Policy, cause error) hosts.Reply {
	if err := lost(o).Mark(hook.SessionID(e)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		// The session cannot be remembered as tainted, so nothing of it may go on.
		return d.Fail(e, true, "hearsay: the hook failed and the session cannot be remembered as tainted: "+err.Error())
	}
	if rules == nil {
		rules = fallback()
	}
	return d.Fail(e, grave(e, o, rules), "hearsay: the hook failed, so this was not allowed: "+cause.Error()+"; run `hearsay doctor`")
}

// grave reports whether an event must not go on. What cannot be told in its share of the
// time, as in a tree that is slow to look at, must not: that and the deadline before it are
// still far below what hosts wait.
func grave(e hosts.Event, o options, rules *policy.Policy) bool {
	if !e.Kind.Gating() {
		return false
	}
	found := make(chan bool, 1)
	go func() {
		defer func() {
			if recover() != nil {
				found <- true
			}
		}()
		found <- hook.NewFiles(rules, userHome(), e.Dir, o.home).Grave(e, rules)
	}()
	select {
	case is := <-found:
		return is
	case <-time.After(o.share()):
		return true
	}
}

// unreadable answers a payload that was not read as an event.
func unreadable(d hosts.Dialect, e hosts.Event, cause error, o options) hosts.Reply {
	gating := true
	if bad, ok := errors.AsType[*hosts.DecodeError](cause); ok {
		gating = bad.Gating()
	}
	if e.Session != "" {
		if err := lost(o).Mark(hook.SessionID(e)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			gating = true
		}
	}
	return d.Fail(e, gating, "hearsay: "+cause.Error())
}

// fallback is the policy by which is judged what is grave when the one in force cannot
// be read.
func fallback() *policy.Policy {
	data, err := policy.Profile("default")
	if err != nil {
		return nil
	}
	p, err := policy.Parse("default", data)
	if err != nil {
		return nil
	}
	return p
}

func lost(o options) hook.Lost { return hook.Lost{Dir: filepath.Join(o.home, home.DirLost)} }

// say writes a reply and returns its exit code. An answer that cannot be written is no
// answer.
func say(s streams, r hosts.Reply) int {
	if len(r.Stderr) > 0 {
		_, _ = s.err.Write(r.Stderr)
	}
	if len(r.Stdout) > 0 {
		if _, err := s.out.Write(r.Stdout); err != nil {
			return failed
		}
	}
	return r.Exit
}

func complain(s streams, format string, args ...any) int {
	fmt.Fprintf(s.err, "hearsay: "+format+"\n", args...)
	return failed
}

func userHome() string {
	dir, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return dir
}
