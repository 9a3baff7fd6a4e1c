package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/recall"
)

// exactArgs wants n arguments, and says so as a usage error.
func exactArgs(n int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != n {
			return usageError("%s takes %d argument(s), not %d; see `%s --help`", c.CommandPath(), n, len(args), c.CommandPath())
		}
		return nil
	}
}

// atMostOneFile wants no argument or one.
func atMostOneFile(c *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usageError("%s takes at most one file; see `%s --help`", c.CommandPath(), c.CommandPath())
	}
	return nil
}

// parseID reads a record id from the command line.
func parseID(s string) (hearsay.RecordID, error) {
	id, err := hearsay.ParseRecordID(s)
	if err != nil {
		return id, usageError("%v; `hearsay ls` shows the ids", err)
	}
	return id, nil
}

// parseIDs reads record ids from the command line.
func parseIDs(list []string) (ids []hearsay.RecordID, err error) {
	for _, s := range list {
		id, err := parseID(s)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// parseKinds reads kinds of memories from the command line.
func parseKinds(list []string) (kinds []recall.Kind, err error) {
	for _, s := range list {
		k, err := recall.ParseKind(s)
		if err != nil {
			return nil, usageError("--kind: %v", err)
		}
		kinds = append(kinds, k)
	}
	return kinds, nil
}

// parseSince reads a point in time: RFC 3339, or how long ago, as in 90m, 2h, 3d.
func parseSince(s string, now time.Time) (time.Time, error) {
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return t, nil
	}
	if days, ok := strings.CutSuffix(s, "d"); ok {
		if n, err := strconv.ParseUint(days, 10, 16); err == nil && n > 0 {
			return now.AddDate(0, 0, -int(n)), nil
		}
	}
	if d, err := time.ParseDuration(s); err == nil && d > 0 {
		return now.Add(-d), nil
	}
	return time.Time{}, usageError("%q is no time: write 2026-01-31T12:00:00Z, or how long ago: 90m, 2h, 3d", s)
}

// projectOf names a project as memories do; empty: none.
func projectOf(dir string) (string, error) {
	if dir == "" {
		return "", nil
	}
	real, err := realDir(dir)
	if err != nil {
		return "", usageError("--project: %v", err)
	}
	return real, nil
}

// realDir names a directory as approvals do: absolute, links resolved.
func realDir(dir string) (string, error) {
	dir, err := filepath.Abs(dir) // of nothing: the current one
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", fmt.Errorf("%s is no directory", dir)
	}
	return filepath.ToSlash(dir), nil
}

// readText reads the text of a memory: the argument, or for "-" what is piped in.
func (a *app) readText(arg string) (string, error) {
	if arg != "-" {
		return arg, nil
	}
	data, err := io.ReadAll(io.LimitReader(a.in, memory.MaxText+1))
	if err != nil {
		return "", fmt.Errorf("read the text: %w", err)
	}
	return string(data), nil
}

// checkAssume refuses to take anybody but the agent for the speaker.
func checkAssume(who string) error {
	if who != "" && who != "agent" {
		return usageError("--assume %s: only agent can be assumed", who)
	}
	return nil
}
