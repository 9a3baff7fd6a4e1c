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

// Run starts the server and serves the client in front of it, see [Serve].
func Run(ctx context.Context, client Pipe, c Command, o Options) error {
	if len(c.Args) == 0 {
		return errors.New("no server to run: give its command after --")
	}
	cmd := exec.Command(c.Args[0], c.Args[1:]...)
	cmd.Env, cmd.Dir, cmd.Stderr = absolutePaths(c.Env, c.Dir), c.Dir, c.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("the server behind does not start: %w; check the command after --", err)
	}
	served := Serve(ctx, client, Pipe{In: out, Out: in}, o)
	// A server ends when its input does; one that does not is stopped.
	closed := in.Close()
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

// StoreID names the store of a memory server: its profile and, where it is told
// which file to keep, that file. Two proxies in front of one file share its name.
func StoreID(profile string, c Command) string {
	for _, kv := range absolutePaths(c.Env, c.Dir) {
		if name, value, ok := strings.Cut(kv, "="); ok && name == memoryPath && value != "" {
			if real, err := filepath.EvalSymlinks(value); err == nil {
				value = real
			}
			return profile + ":" + filepath.Clean(value)
		}
	}
	return profile + ":" + strings.Join(c.Args, " ")
}
