package setup

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/hearsay-memory/hearsay/internal/home"
	"github.com/hearsay-memory/hearsay/internal/hosts/install"
)

// Job is what becomes of hosts' settings.
type Job struct {
	Hosts   []install.Host
	Remove  bool
	Changes []install.Change
}

func (j *Job) Changed() bool { return slices.ContainsFunc(j.Changes, install.Change.Changed) }

// PlanInstall says how the settings at a place come to have our entries, with hooks that
// are told of the home own and, where that is not empty, of an agent. Where profile is not
// nil the host's MCP servers get the proxy, too: it names the profile of the memory server
// that a command line starts, or none. It reads only.
func PlanInstall(hosts []install.Host, at Place, own, agent string, profile func(command []string) string) (*Job, error) {
	if at.Project != "" && inside(own, at.Project) {
		return nil, fmt.Errorf("the home %s lies in the project %s, where its agents may write: give another --home", own, at.Project)
	}
	p, err := FindPrograms()
	if err != nil {
		return nil, err
	}
	j := &Job{Hosts: hosts}
	for _, h := range hosts {
		if variable, to := Moved(h, at.Home); variable != "" && at.Scope == install.User {
			return nil, fmt.Errorf("$%s makes %s read its settings from %s, where nothing is installed: unset it, or install with --project", variable, Product(h.Name), to)
		}
		o := p.Wanted(h, own, agent, profile != nil)
		o.Profile = profile
		changes, err := h.Install(install.Read, at.Scope, at.Home, at.Project, o)
		if err != nil {
			return nil, err
		}
		j.Changes = append(j.Changes, changes...)
	}
	return j, nil
}

// PlanRemove says how the settings at a place lose our entries. It reads only.
func PlanRemove(hosts []install.Host, at Place) (*Job, error) {
	j := &Job{Hosts: hosts, Remove: true}
	for _, h := range hosts {
		changes, err := h.Remove(install.Read, at.Scope, at.Home, at.Project)
		if err != nil {
			return nil, err
		}
		j.Changes = append(j.Changes, changes...)
	}
	return j, nil
}

// inside reports whether path is dir or lies in it, after links.
func inside(path, dir string) bool {
	if h, err := home.Open(path); err == nil {
		return h.Inside(dir)
	}
	rel, err := filepath.Rel(dir, path)
	return err == nil && (rel == "." || filepath.IsLocal(rel))
}
