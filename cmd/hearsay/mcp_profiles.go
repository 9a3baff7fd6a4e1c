package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hearsay-memory/hearsay/internal/home"
	"github.com/hearsay-memory/hearsay/internal/mcp"
)

// maxOwnProfiles bounds the profiles of a home that are looked at.
const maxOwnProfiles = 200

// startedProfile says by which profile a command line is read: a shipped one, or else one
// of the home in dir, which need not be there yet. A file there that is no profile is told.
func (a *app) startedProfile(dir string) func(command []string) string {
	var all []*mcp.Profile
	for _, name := range mcp.ProfileNames() {
		if p, err := mcp.LoadProfile(name); err == nil {
			all = append(all, p)
		}
	}
	entries, err := os.ReadDir(filepath.Join(dir, home.DirProfiles))
	if err == nil && len(entries) > 0 {
		own, err := a.ownProfiles(dir, entries)
		if err != nil {
			fmt.Fprintf(a.err, "hearsay: the profiles of %s are left out: %v\n", dir, err)
		}
		all = append(all, own...)
	}
	return func(command []string) string {
		for _, p := range all {
			if p.StartedBy(command) {
				return p.Name
			}
		}
		return ""
	}
}

// ownProfiles reads the profiles of a home, by their names.
func (a *app) ownProfiles(dir string, entries []os.DirEntry) (all []*mcp.Profile, err error) {
	h, err := home.Open(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".yaml")
		if !ok || !mcp.IsProfileName(name) || len(all) == maxOwnProfiles {
			continue
		}
		p, err := profileOf(h, name)
		if err != nil {
			fmt.Fprintf(a.err, "hearsay: %s is left out: %v\n", profileFile(name), err)
			continue
		}
		all = append(all, p)
	}
	return all, nil
}
