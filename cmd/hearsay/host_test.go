package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/hostproc"
	"github.com/hearsay-memory/hearsay/internal/instance"
)

// idle stands in for the hook program, which lies beside hearsay.
func idle() {}

// beat plays a hook at work, for scripts: `beat HOME HOST [SESSION]` leaves its heartbeat
// and, with a session, opens that under the host process of the script.
func beat() {
	where, err := pulse(context.Background(), os.Args[1], os.Args[2], os.Args[3:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(where)
}

func pulse(ctx context.Context, dir, host string, session []string) (string, error) {
	in, err := instance.Open(ctx, dir, instance.Options{})
	if err != nil {
		return "", err
	}
	defer in.Close()
	if err := in.Guard.Heartbeat(ctx, host); err != nil {
		return "", err
	}
	if len(session) == 0 {
		return "", nil
	}
	proc, err := hostproc.Current()
	if err != nil {
		return "", err
	}
	c := in.Caller(hearsay.SurfaceHook)
	c.Session = host + ":" + session[0]
	if _, err := in.Guard.Open(ctx, c, guard.Start{Host: proc.ID}); err != nil {
		return "", err
	}
	if proc.Joined {
		return "joined", nil
	}
	return "alone", nil
}

func TestHostThatIsNone(t *testing.T) {
	for _, in := range []string{"", "Claude", "claude code", "vscode", "codex\x00"} {
		hosts, err := (&hostFlags{names: []string{in}}).hosts(&cobra.Command{})
		if e, ok := errors.AsType[*exitError](err); !ok || e.code != exitUsage || hosts != nil {
			t.Errorf("%q: %v, %v", in, hosts, err)
		}
	}
}
