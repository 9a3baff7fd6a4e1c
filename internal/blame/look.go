package blame

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/hook"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// Look looks at a file that is there, without sealing anything.
func Look(ctx context.Context, in *instance.Instance, name string) (*memfile.State, error) {
	s, err := LookFor(ctx, in, name)
	if err != nil {
		return nil, err
	}
	if s.Data == nil {
		return nil, fmt.Errorf("%s: %w", term.Safe(name), fs.ErrNotExist)
	}
	return s, nil
}

// LookFor looks at a file that may be gone. It always reads it.
func LookFor(ctx context.Context, in *instance.Instance, name string) (*memfile.State, error) {
	real, err := RealName(name)
	if err != nil {
		return nil, err
	}
	t := memfile.Tracker{Guard: in.Guard, Caller: in.Caller(hearsay.SurfaceCLI)}
	return t.Look(ctx, real)
}

// RealName is the name that a file is guarded by, whether it is there or not.
func RealName(name string) (string, error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	return new(hook.Files).Real(abs), nil
}
