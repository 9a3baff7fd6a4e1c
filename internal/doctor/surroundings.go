package doctor

import (
	"context"
	"fmt"

	"github.com/hearsay-memory/hearsay/internal/audit"
	"github.com/hearsay-memory/hearsay/internal/detect"
	"github.com/hearsay-memory/hearsay/internal/hook"
	"github.com/hearsay-memory/hearsay/internal/hosts/install"
	"github.com/hearsay-memory/hearsay/internal/hosts/setup"
	"github.com/hearsay-memory/hearsay/internal/instance"
)

// Surroundings looks at what belongs to the principal's memory beside its records: the
// memory files of the project and of the agents in the user's home, and the hooks.
func Surroundings(ctx context.Context, in *instance.Instance, userHome, project string) (audit.Scope, error) {
	s := audit.Scope{Principal: in.Config.Principal}
	if rules := in.Guard.Policy(); rules != nil {
		files := hook.NewFiles(rules, userHome, project, in.Home.Dir())
		names, _ := files.Memory()
		var seen seenFiles
		if err := seen.look(ctx, in, names); err != nil {
			return s, err
		}
		seen.indexes(files, names)
		s.Guarded, s.Orphans = seen.drifted, append(seen.unlisted, seen.withoutFile...)
	}
	if userHome == "" {
		return s, nil
	}
	for _, name := range install.Names() {
		h, _ := install.Find(name)
		e := &hostExam{examination: &examination{}, host: h, product: setup.Product(name), own: in.Home.Dir(), in: in, at: setup.Place{Home: userHome, Project: project}}
		e.read()
		beats, err := in.Guard.Beats(ctx, name)
		if err != nil {
			return s, fmt.Errorf("whether the hooks of %s were at work: %w", e.product, err)
		}
		s.Hooks = append(s.Hooks, detect.Hook{Host: e.product, Installed: e.installed(), Beats: beats})
	}
	return s, nil
}
