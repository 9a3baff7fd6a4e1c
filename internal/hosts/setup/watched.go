package setup

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/hostproc"
	"github.com/hearsay-memory/hearsay/internal/hosts/install"
	"github.com/hearsay-memory/hearsay/internal/instance"
)

// Watched reports whether a hook of ours watches an agent above this process: one of the
// home own, or of a home that the settings at a place name. It finds honest processes, not
// one that hides from its host.
func Watched(ctx context.Context, hosts []install.Host, at Place, own string) (bool, error) {
	proc, err := hostproc.Current()
	if err != nil || !proc.Joined {
		return false, nil
	}
	homes := []string{own}
	for _, h := range hosts {
		// A file that cannot be read as settings was refused before.
		st, _ := h.State(install.Read, at.Scope, at.Home, at.Project, install.Options{})
		for _, hook := range st.Hooks {
			if d := hook.Flag("home"); filepath.IsAbs(d) && !slices.Contains(homes, d) {
				homes = append(homes, d)
			}
		}
	}
	for _, d := range homes {
		if is, err := watchedUnder(ctx, d, proc.ID); err != nil || is {
			return is, err
		}
	}
	return false, nil
}

// watchedUnder reports whether a hook of the home has a live session under a host
// process.
func watchedUnder(ctx context.Context, dir, host string) (bool, error) {
	in, err := instance.Open(ctx, dir, instance.Options{ReadOnly: true})
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer in.Close()
	live, err := in.Store.Sessions(ctx, nil, time.Now().UnixMilli())
	if err != nil {
		return false, err
	}
	for _, s := range live {
		if s.Surface == hearsay.SurfaceHook && s.Host == host {
			return true, nil
		}
	}
	return false, nil
}
