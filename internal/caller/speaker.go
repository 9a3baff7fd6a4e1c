package caller

import (
	"context"
	"crypto/rand"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/instance"
)

// Speaker says who speaks where no person signs: the sessions above the process, by a
// session of the call's own that inherits them, or else nobody knows who.
func Speaker(ctx context.Context, in *instance.Instance) (hearsay.Caller, hearsay.Source, error) {
	keys, host, err := Beneath(ctx, in)
	c := in.Caller(hearsay.SurfaceCLI)
	if err != nil {
		return c, hearsay.Source{}, err
	}
	said := hearsay.Source{Type: "hand_edit"}
	agent, err := agentAbove(ctx, in, keys)
	if err != nil {
		return c, said, err
	}
	if agent {
		said.Type = "agent"
	}
	c.Session = "cli-" + rand.Text()
	_, err = in.Guard.Open(ctx, c, guard.Start{Host: host, Inherit: keys})
	return c, said, err
}
