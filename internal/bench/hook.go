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

// hookEvent is an event of Claude Code. The verbs are the session, the working
// directory, the event's name and its own members.
const hookEvent = `{"session_id":%q,"transcript_path":"/t.jsonl","cwd":%q,"permission_mode":"default","hook_event_name":%q,%s}`

// workspace is where events happen.
type workspace struct{ dir, session string }

// began is the event by which its session begins.
func (w workspace) began() []byte {
	return fmt.Appendf(nil, hookEvent, w.session, w.dir, "SessionStart", `"source":"startup"`)
}

// call is the event before a call of a tool.
func (w workspace) call(tool, input string) []byte {
	return fmt.Appendf(nil, hookEvent, w.session, w.dir, "PreToolUse",
		fmt.Sprintf(`"tool_name":%q,"tool_use_id":"t-%d","tool_input":%s`, tool, time.Now().UnixNano(), input))
}

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
	home, err := c.home(ctx, c.Events)
	if err != nil {
		return nil, err
	}
	line := c.hookLine(home)
	at := workspace{c.Dir, "bench"}
	read := at.call("Read", fmt.Sprintf(`{"file_path":%q}`, filepath.Join(c.Dir, "a.go")))
	if _, err := timed(ctx, line, at.began()); err != nil {
		return nil, err
	}
	nothing := started{line: []string{empty}}
	ours, bare, err := c.pairs(ctx, started{line, func() []byte { return read }}, nothing)
	if err != nil {
		return nil, err
	}
	out := []Result{result("hook-read", "ns", ours, bare)}
	if _, err := timed(ctx, line, at.call("WebFetch", `{"url":"https://example.test","prompt":"read"}`)); err != nil {
		return nil, err
	}
	n := 0
	ours, bare, err = c.pairs(ctx, started{line, func() []byte {
		n++
		return at.call("Read", fmt.Sprintf(`{"file_path":%q}`, filepath.Join(c.Dir, fmt.Sprintf("%d.go", n))))
	}}, nothing)
	if err != nil {
		return nil, err
	}
	return append(out, result("hook-sealed", "ns", ours, bare)), nil
}

// hookLine is the command line of the hook for Claude Code.
func (c *Config) hookLine(home string) []string {
	return append(append([]string{}, c.Hook...), "claude", "--home", home)
}

// home makes a home whose log has a number of events.
func (c *Config) home(ctx context.Context, events int) (dir string, err error) {
	dir = filepath.Join(c.Dir, "home")
	if _, err := people.Create(ctx, people.Setup{Dir: dir, Principal: "bench", Reviewer: "bench", Unprotected: true, WorkFactor: 10}); err != nil {
		return "", err
	}
	in, err := instance.Open(ctx, dir, instance.Options{Deadline: time.Minute})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	for left := events; left > 0; left -= atATime {
		if err := sealMany(ctx, in.Store, min(left, atATime)); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// started is a program that is started with an input; nil: none.
type started struct {
	line  []string
	input func() []byte
}

// pairs starts two programs in turns, and returns the median of each in nanoseconds.
func (c *Config) pairs(ctx context.Context, ours, floor started) (value, least float64, err error) {
	var took [2][]time.Duration
	for range c.Starts {
		for i, p := range [...]started{ours, floor} {
			var input []byte
			if p.input != nil {
				input = p.input()
			}
			t, err := timed(ctx, p.line, input)
			if err != nil {
				return 0, 0, err
			}
			took[i] = append(took[i], t)
		}
	}
	return float64(median(took[0]).Nanoseconds()), float64(median(took[1]).Nanoseconds()), nil
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
