package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/people"
)

// hookEvent is an event of Claude Code. The verbs are the working directory, the
// event's name and its own members.
const hookEvent = `{"session_id":"bench","transcript_path":"/t.jsonl","cwd":%q,"permission_mode":"default","hook_event_name":%q,%s}`

// hookStart measures the hook program from its start to its answer, in a home whose
// store has a long log, beside an empty program.
func hookStart(ctx context.Context, c *Config) ([]Result, error) {
	leave := func(why string) ([]Result, error) {
		c.Note("hook-read is left out: " + why)
		c.Note("hook-sealed is left out: " + why)
		return nil, nil
	}
	if c.Hook == nil {
		return leave("there is no hearsay-hook beside the program")
	}
	empty, err := buildEmpty(ctx, c.Dir)
	if err != nil {
		return leave(err.Error())
	}
	home, err := c.longHome(ctx)
	if err != nil {
		return nil, err
	}
	line := append(append([]string{}, c.Hook...), "claude", "--home", home)
	event := func(name, members string) []byte { return fmt.Appendf(nil, hookEvent, c.Dir, name, members) }
	call := func(tool, input string) []byte {
		return event("PreToolUse", fmt.Sprintf(`"tool_name":%q,"tool_use_id":"t-%d","tool_input":%s`, tool, time.Now().UnixNano(), input))
	}
	read := call("Read", fmt.Sprintf(`{"file_path":%q}`, filepath.Join(c.Dir, "a.go")))
	if _, err := timed(ctx, line, event("SessionStart", `"source":"startup"`)); err != nil {
		return nil, err
	}
	ours, bare, err := c.pairs(ctx, line, empty, func() []byte { return read })
	if err != nil {
		return nil, err
	}
	out := []Result{result("hook-read", "ns", ours, bare)}
	if _, err := timed(ctx, line, call("WebFetch", `{"url":"https://example.test","prompt":"read"}`)); err != nil {
		return nil, err
	}
	n := 0
	ours, bare, err = c.pairs(ctx, line, empty, func() []byte {
		n++
		return call("Read", fmt.Sprintf(`{"file_path":%q}`, filepath.Join(c.Dir, fmt.Sprintf("%d.go", n))))
	})
	if err != nil {
		return nil, err
	}
	return append(out, result("hook-sealed", "ns", ours, bare)), nil
}

// longHome makes a home and fills its log.
func (c *Config) longHome(ctx context.Context) (dir string, err error) {
	dir = filepath.Join(c.Dir, "home")
	if _, err := people.Create(ctx, people.Setup{Dir: dir, Principal: "bench", Reviewer: "bench", Unprotected: true, WorkFactor: 10}); err != nil {
		return "", err
	}
	in, err := instance.Open(ctx, dir, instance.Options{})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	for left := c.Events; left > 0; left -= atATime {
		if err := sealMany(ctx, in.Store, min(left, atATime)); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// pairs starts a program with an event and an empty one, in turns, and returns the
// median of each in nanoseconds.
func (c *Config) pairs(ctx context.Context, line []string, empty string, event func() []byte) (ours, bare float64, err error) {
	var a, b []time.Duration
	for range c.Starts {
		took, err := timed(ctx, line, event())
		if err != nil {
			return 0, 0, err
		}
		a = append(a, took)
		if took, err = timed(ctx, []string{empty}, nil); err != nil {
			return 0, 0, err
		}
		b = append(b, took)
	}
	return float64(median(a).Nanoseconds()), float64(median(b).Nanoseconds()), nil
}

// timed runs a program on an input and returns how long it took.
func timed(ctx context.Context, line []string, input []byte) (time.Duration, error) {
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(input), os.Stderr
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("run %s: %w", filepath.Base(line[0]), err)
	}
	return time.Since(start), nil
}
