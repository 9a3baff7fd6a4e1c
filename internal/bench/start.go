package bench

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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
	ours, bare, err := c.pairs(ctx, started{line: c.Version}, started{line: []string{empty}})
	if err != nil {
		return nil, err
	}
	return []Result{result("start", "ns", ours, bare)}, nil
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
