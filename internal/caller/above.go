package caller

import (
	"context"
	"errors"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/hostproc"
	"github.com/hearsay-memory/hearsay/internal/instance"
)

// Above lists the live sessions that this process could run beneath: those of its host
// process, and all where that cannot be told.
func Above(ctx context.Context, in *instance.Instance, host string, told bool) ([]guard.SessionKey, error) {
	if told && host == "" {
		return nil, nil
	}
	live, err := in.Store.Sessions(ctx, &in.Config.Principal, time.Now().UnixMilli())
	if err != nil {
		return nil, err
	}
	var keys []guard.SessionKey
	for _, s := range live {
		if !told || s.Host == host {
			keys = append(keys, s.Key)
		}
	}
	return keys, nil
}

// Beneath lists the sessions above the process: what they read was said to whoever typed
// the command.
func Beneath(ctx context.Context, in *instance.Instance) (keys []guard.SessionKey, host string, err error) {
	at, err := hostproc.Current()
	keys, err = Above(ctx, in, at.ID, err == nil)
	return keys, at.ID, err
}

// agentAbove reports whether one of the sessions above the process is an agent's. One that
// a command made for itself under the same host counts for what it read, and is nobody.
func agentAbove(ctx context.Context, in *instance.Instance, keys []guard.SessionKey) (bool, error) {
	for _, k := range keys {
		s, err := in.Store.Session(ctx, k, time.Now().UnixMilli())
		if err != nil && !errors.Is(err, guard.ErrNotFound) {
			return false, err
		}
		if err == nil && s.Surface != hearsay.SurfaceCLI {
			return true, nil
		}
	}
	return false, nil
}

// BeneathAgent reports whether an agent's session is above the process.
func BeneathAgent(ctx context.Context, in *instance.Instance) (bool, error) {
	keys, _, err := Beneath(ctx, in)
	if err != nil {
		return false, err
	}
	return agentAbove(ctx, in, keys)
}
