package mcpserver

import (
	"context"
	"fmt"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
)

// within refuses memories that lie outside of what the server is bound to, as if they were
// not there: those of another project, and those beside its namespace.
func (s *Server) within(ctx context.Context, c *call, ids ...hearsay.RecordID) error {
	if s.Namespace == nil && c.caller.Project == "" {
		return nil
	}
	for _, id := range ids {
		m, err := s.Memory.Life(ctx, id)
		if err != nil {
			return err
		}
		if !m.Namespace.HasPrefix(s.Namespace) || foreign(c, m.Project) {
			return fmt.Errorf("memory %s is outside of what this server is bound to: %w", id, guard.ErrNotFound)
		}
	}
	return nil
}

// foreign reports whether a project is another than the one that the server is bound to.
// What belongs to no project is everybody's.
func foreign(c *call, project string) bool {
	return c.caller.Project != "" && project != "" && project != c.caller.Project
}
