package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// grace is how long a server has to end after its input was closed.
const grace = 3 * time.Second

// memoryPath names the file of the reference memory server.
const memoryPath = "MEMORY_FILE_PATH"

// Command is the server behind.
type Command struct {
	Args   []string
	Env    []string // as of [os.Environ]
	Dir    string   // where relative paths start; empty: here
	Stderr io.Writer
}

// serverPipe is the server's end of a connection.
type serverPipe struct {
	Pipe
	close func() error // tells the server that nothing more comes
}

// start starts the server.
func (c Command) start() (*exec.Cmd, serverPipe, error) {
	if len(c.Args) == 0 {
		return nil, serverPipe{}, errors.New("no server to run: give its command after --")
	}
	cmd := exec.Command(c.Args[0], c.Args[1:]...)
	cmd.Env, cmd.Dir, cmd.Stderr = absolutePaths(c.Env, c.Dir), c.Dir, c.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, serverPipe{}, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, serverPipe{}, err
	}
	if err := cmd.Start(); err != nil {
		return nil, serverPipe{}, fmt.Errorf("the server behind does not start: %w; check the command after --", err)
	}
	return cmd, serverPipe{Pipe{In: out, Out: in}, in.Close}, nil
}

// Run starts the server and serves the client in front of it, see [Serve].
func Run(ctx context.Context, client Pipe, c Command, o Options) error {
	cmd, server, err := c.start()
	if err != nil {
		return err
	}
	served := Serve(ctx, client, server.Pipe, o)
	// A server ends when its input does; one that does not is stopped.
	closed := server.close()
	stop := time.AfterFunc(grace, func() { _ = cmd.Process.Kill() })
	ended := cmd.Wait()
	if !stop.Stop() {
		ended = nil // we ended it
	}
	if served == nil && errors.Is(closed, os.ErrClosed) {
		closed = nil
	}
	if served != nil && ended != nil {
		return fmt.Errorf("%w (%w)", served, ended)
	}
	return cmp.Or(served, closed)
}

// absolutePaths resolves the memory file against the proxy's own directory: a server
// that was installed elsewhere would look for it beside its own code.
func absolutePaths(env []string, dir string) []string {
	out := make([]string, 0, len(env))
	for _, kv := range env {
		if name, value, ok := strings.Cut(kv, "="); ok && name == memoryPath && value != "" && !filepath.IsAbs(value) {
			if abs, err := filepath.Abs(filepath.Join(dir, value)); err == nil {
				kv = memoryPath + "=" + abs
			}
		}
		out = append(out, kv)
	}
	return out
}

// StoreID names the store of a memory server: its profile and, where the environment
// says where the store lies, that place. The variables are the profile's; none stands for
// the one of the reference memory server. Two proxies in front of one store share its name.
func StoreID(profile string, c Command, variables ...string) string {
	if len(variables) == 0 {
		variables = []string{memoryPath}
	}
	var places []string
	for _, v := range variables {
		place := ""
		for _, kv := range c.Env {
			if name, value, ok := strings.Cut(kv, "="); ok && name == v {
				place = value // of two the server sees the last
			}
		}
		if place == "" {
			continue
		}
		if !filepath.IsAbs(place) {
			place = filepath.Join(c.Dir, place)
		}
		if abs, err := filepath.Abs(place); err == nil {
			place = abs
		}
		if real, err := filepath.EvalSymlinks(place); err == nil {
			place = real
		}
		places = append(places, place)
	}
	if places != nil {
		return profile + ":" + strings.Join(places, "\x00")
	}
	return profile + ":" + strings.Join(c.Args, " ")
}
