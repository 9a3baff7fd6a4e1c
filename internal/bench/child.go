package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
)

// Streams are where a child process reads and writes.
type Streams struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer
}

// Child is one of the other processes of a benchmark. args begins with its role; self
// is the command line that leads back here, for a child of its own.
func Child(ctx context.Context, self, args []string, s Streams) error {
	if len(args) < 2 {
		return errors.New("a process of a benchmark needs its role and what it works on")
	}
	switch role, arg := args[0], args[1]; role {
	case roleServer:
		size, err := strconv.Atoi(arg)
		if err != nil {
			return err
		}
		return serve(s, size)
	case roleCopy:
		return copyThrough(ctx, append(self, roleServer, arg), s)
	case roleProxy:
		if len(args) < 3 {
			return errors.New("a proxy needs a folder for its store")
		}
		return proxyThrough(ctx, append(self, roleServer, arg), args[2], s)
	case roleStore, roleDriver:
		return writeAgain(ctx, role, arg, s)
	default:
		return fmt.Errorf("no process of a benchmark has the role %q", role)
	}
}

// The roles of child processes.
const (
	roleServer = "server" // answers each line with one of a size
	roleCopy   = "copy"   // copies bytes to and from a server behind
	roleProxy  = "proxy"  // the proxy in front of a server
	roleStore  = "store"  // writes into a store again and again
	roleDriver = "driver" // the same by the driver alone
)

// process is a child that runs.
type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out io.ReadCloser
}

// run starts a command with pipes to both its ends.
func run(ctx context.Context, line []string) (*process, error) {
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", line[0], err)
	}
	return &process{cmd, in, out}, nil
}

// Close ends the child by ending its input.
func (p *process) Close() error {
	err := p.in.Close()
	if errors.Is(err, os.ErrClosed) {
		err = nil
	}
	return errors.Join(err, p.cmd.Wait())
}

// child starts a child of ours.
func (c *Config) child(ctx context.Context, args ...string) (*process, error) {
	return run(ctx, append(append([]string{}, c.Self...), args...))
}
