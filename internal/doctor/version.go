package doctor

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

const maxVersionText = 4096 // bytes that are read of a program's answer

// bounds are those of a program that is asked for its version.
type bounds struct {
	patience time.Duration // with it
	grace    time.Duration // with what it leaves behind
}

// doctors are those of doctor.
var doctors = bounds{2 * time.Second, time.Second}

// versionNumber is three numbers; the zero one is not known.
type versionNumber [3]int

func (v versionNumber) String() string { return fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2]) }

func (v versionNumber) known() bool { return v != versionNumber{} }

// before reports whether v is older than w.
func (v versionNumber) before(w versionNumber) bool {
	for i := range v {
		if v[i] != w[i] {
			return v[i] < w[i]
		}
	}
	return false
}

// askVersion runs a host's program with --version, in a directory that is no project,
// where the program finds nothing of a stranger's.
func (b bounds) askVersion(ctx context.Context, path, dir string) (versionNumber, error) {
	ctx, cancel := context.WithTimeout(ctx, b.patience)
	defer cancel()
	c := exec.CommandContext(ctx, path, "--version")
	c.Dir, c.WaitDelay = dir, b.grace
	out := &capped{}
	c.Stdout = out
	err := c.Run()
	if v, ok := parseVersion(out.String()); ok {
		return v, nil
	}
	switch {
	case ctx.Err() != nil:
		return versionNumber{}, fmt.Errorf("%s --version took longer than %s", path, b.patience)
	case err != nil:
		return versionNumber{}, fmt.Errorf("%s --version: %w", path, err)
	}
	return versionNumber{}, fmt.Errorf("%s --version names none", path)
}

// capped keeps the beginning of what is written to it and lets the rest go.
type capped struct{ bytes.Buffer }

func (c *capped) Write(p []byte) (int, error) {
	c.Buffer.Write(p[:min(len(p), maxVersionText-c.Len())])
	return len(p), nil
}

// parseVersion finds the first word that is three numbers with dots; what follows them
// in the word, such as -beta, does not count.
func parseVersion(text string) (v versionNumber, ok bool) {
	for word := range strings.FieldsSeq(text) {
		parts := strings.SplitN(strings.TrimPrefix(word, "v"), ".", 3)
		if len(parts) != 3 {
			continue
		}
		if i := strings.IndexFunc(parts[2], func(r rune) bool { return r < '0' || r > '9' }); i >= 0 {
			parts[2] = parts[2][:i]
		}
		ok = true
		for i, p := range parts {
			n, err := strconv.ParseUint(p, 10, 31)
			v[i], ok = int(n), ok && err == nil
		}
		if ok {
			return v, true
		}
	}
	return versionNumber{}, false
}
