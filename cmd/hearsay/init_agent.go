package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/hostproc"
	"github.com/hearsay-memory/hearsay/internal/hosts/install"
	"github.com/hearsay-memory/hearsay/internal/instance"
)

// refuseAgents keeps an agent's tools from taking their own guard off, or exchanging it,
// on the word of a page: with --yes nobody is asked, so a session that a hook of ours
// watches above this process is enough to say no. It finds honest processes, not one
// that hides from its host.
func refuseAgents(ctx context.Context, f *hostFlags, hosts []install.Host, dir string) error {
	proc, err := hostproc.Current()
	if err != nil || !proc.Joined {
		return nil
	}
	homes := []string{dir}
	at, err := f.place()
	if err != nil {
		return err
	}
	for _, h := range hosts {
		// A file that cannot be read as settings was refused before.
		st, _ := h.State(install.Read, at.scope, at.home, at.project, install.Options{})
		for _, hook := range st.Hooks {
			if d := hook.Flag("home"); filepath.IsAbs(d) && !slices.Contains(homes, d) {
				homes = append(homes, d)
			}
		}
	}
	for _, d := range homes {
		watched, err := watchedUnder(ctx, d, proc.ID)
		if err != nil {
			return fmt.Errorf("whether an agent asks for this cannot be told: %w; run it without --yes", err)
		}
		if watched {
			return &exitError{exitHeld, "nothing was changed: an agent that Hearsay watches started this command; run it in a terminal of your own, without --yes"}
		}
	}
	return nil
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
