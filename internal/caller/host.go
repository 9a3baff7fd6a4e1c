package caller

import (
	"context"
	"log/slog"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/hostproc"
	"github.com/hearsay-memory/hearsay/internal/instance"
)

// OfHost makes the caller whose session is the host process that this one runs under. Where
// that could not be told it is the principal's shared session, which counts as tainted.
func OfHost(ctx context.Context, in *instance.Instance, surface hearsay.Surface, agent string, host hostproc.Host, unknown error, log *slog.Logger) (hearsay.Caller, error) {
	c := in.Caller(surface)
	c.Agent = agent
	if unknown != nil || !host.Joined {
		log.Warn("the host process cannot be told: what is written here counts as tainted", "error", unknown)
		return c, nil
	}
	c.Session = host.ID
	_, err := in.Guard.Open(ctx, c, guard.Start{Host: host.ID})
	return c, err
}
