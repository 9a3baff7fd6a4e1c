package caller

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/instance"
)

// Misnamed says that a caller gave itself a name that it may not bear.
type Misnamed string

func (m Misnamed) Error() string { return string(m) }

// OfSession makes the caller of a session that is named, and says which surface opened it;
// empty where none did: then it is the principal's shared one, which is tainted. A name
// that a caller gives itself must not get it a softer mode, so the agent is that of the
// session, and to give another one is [Misnamed].
func OfSession(ctx context.Context, in *instance.Instance, surface hearsay.Surface, session, agent string) (c hearsay.Caller, opener hearsay.Surface, err error) {
	c = in.Caller(surface)
	c.Session, c.Agent = session, agent
	row, err := in.Store.Session(ctx, guard.SessionKey{Principal: c.Principal, ID: session}, time.Now().UnixMilli())
	switch {
	case err == nil:
		if agent != "" && agent != row.Agent {
			return c, "", Misnamed(fmt.Sprintf("session %s is of agent %s, not %s: leave --agent out", session, cmp.Or(row.Agent, "(default)"), agent))
		}
		c.Agent = row.Agent
		return c, row.Surface, nil
	case !errors.Is(err, guard.ErrNotFound):
		return c, "", err
	}
	// All that nobody opened is one session, so that making up ids gives no room for more
	// questions and puts no words into the log.
	c.Session = ""
	if agent != "" && !hearsay.ValidTag(agent) {
		return c, "", Misnamed("--agent: want 1 to 96 printable ASCII characters without spaces, commas, quotes or backslashes")
	}
	if p := in.Guard.Policy(); p.ModeFor(agent) > p.ModeFor("") {
		return c, "", Misnamed(fmt.Sprintf("nobody opened session %s, so it cannot have the mode %s of agent %s: leave --agent out", session, p.ModeFor(agent), agent))
	}
	return c, "", nil
}
