package bench

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
)

// emptyProgram does nothing: it starts and ends.
const emptyProgram = "package main\n\nfunc main() {}\n"

// start measures how long the program takes to say its version, from the start of the
// process to its end, beside an empty program in Go.
func start(ctx context.Context, c *Config) ([]Result, error) {
	empty, err := buildEmpty(ctx, c.Dir)
	if err != nil {
		c.Note("start is left out: " + err.Error())
		return nil, nil
	}
	var ours, bare []time.Duration
	// One of each in turn: a slice of a slow program would be a few starts.
	for range c.Starts {
		for _, of := range [...]struct {
			took *[]time.Duration
			line []string
		}{{&ours, c.Version}, {&bare, []string{empty}}} {
			cmd := exec.CommandContext(ctx, of.line[0], of.line[1:]...)
			began := time.Now()
			if err := cmd.Run(); err != nil {
				return nil, fmt.Errorf("run %s: %w", of.line[0], err)
			}
			*of.took = append(*of.took, time.Since(began))
		}
	}
	return []Result{result("start", "ns", float64(median(ours).Nanoseconds()), float64(median(bare).Nanoseconds()))}, nil
}

// buildEmpty builds the empty program by the Go tool chain of the machine.
func buildEmpty(ctx context.Context, dir string) (string, error) {
	tool, err := exec.LookPath("go")
	if err != nil {
		return "", fmt.Errorf("there is no Go tool chain to build an empty program with: %w", err)
	}
	source, program := filepath.Join(dir, "empty.go"), filepath.Join(dir, "empty")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	if err := os.WriteFile(source, []byte(emptyProgram), 0o600); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, tool, "build", "-trimpath", "-ldflags", "-s -w", "-o", program, source)
	// Nothing of how the machine builds other programs, and no other tool chain.
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOTOOLCHAIN=local", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("an empty program cannot be built: %w: %.200s", err, out)
	}
	return program, nil
}
