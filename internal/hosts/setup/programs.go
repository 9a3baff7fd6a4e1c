package setup

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/hearsay-memory/hearsay/internal/hosts/install"
)

// Programs are the paths of our programs, as they go into hosts' settings.
type Programs struct {
	Hearsay, Hook string
}

// FindPrograms looks for the hook program beside the running one. The name by which
// hearsay was called comes first: a link such as /usr/local/bin/hearsay stays where it
// is when what it leads to is upgraded, and Codex wants a person's trust again for each
// changed path.
func FindPrograms() (Programs, error) {
	self, err := os.Executable()
	if err != nil {
		return Programs{}, fmt.Errorf("the path of this program cannot be told: %w", err)
	}
	candidates := []string{self}
	if called, err := exec.LookPath(os.Args[0]); err == nil {
		if called, err = filepath.Abs(called); err == nil && SameFile(called, self) {
			candidates = []string{called, self}
		}
	}
	if real, err := filepath.EvalSymlinks(self); err == nil {
		candidates = append(candidates, real)
	}
	return programsBeside(candidates)
}

// Wanted is what should stand in a host's settings.
func (p Programs) Wanted(h install.Host, home, agent string, servers bool) install.Options {
	o := install.Options{Binary: p.Hook, Args: []string{h.Name, "--home", home}}
	if servers {
		o.Gateway = []string{p.Hearsay, "mcp", "--home", home, install.ServerName, install.ServerProfile}
	}
	if agent != "" {
		o.Args = append(o.Args, "--agent", agent)
		if servers {
			o.Gateway = append(o.Gateway, "--agent", agent)
		}
	}
	if servers {
		o.Gateway = append(o.Gateway, "--")
	}
	return o
}

// programsBeside takes the first path of hearsay that has the hook program beside it.
func programsBeside(candidates []string) (Programs, error) {
	suffix := ""
	if runtime.GOOS == "windows" {
		suffix = ".exe"
	}
	var looked []string
	for _, path := range candidates {
		if filepath.Base(path) != "hearsay"+suffix {
			continue
		}
		p := Programs{Hearsay: path, Hook: filepath.Join(filepath.Dir(path), "hearsay-hook"+suffix)}
		if len(install.Absent([]install.Hook{{Program: p.Hook}})) == 0 {
			return p, nil
		}
		if !slices.Contains(looked, p.Hook) {
			looked = append(looked, p.Hook)
		}
	}
	if len(looked) == 0 {
		return Programs{}, fmt.Errorf("this program is called %s, and what goes into a host's settings has to be called hearsay: install it under that name, with hearsay-hook beside it", filepath.Base(candidates[0]))
	}
	return Programs{}, fmt.Errorf("the hook program is missing: %s cannot be run; `make build` makes it: put it beside hearsay and run the command again", strings.Join(looked, " and "))
}

// SameFile reports whether two paths lead to one file; false where that cannot be told.
func SameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
