package doctor

import (
	"context"
	"errors"
	"io/fs"

	"github.com/hearsay-memory/hearsay/internal/home"
	"github.com/hearsay-memory/hearsay/internal/instance"
)

// Subject is what is examined.
type Subject struct {
	Dir      string // of the home
	HomeFlag string // by which the home was named; empty: it is found without
	Project  string // whose memory files and hosts' settings are looked at, absolute
	UserHome string // the person's; empty: there is none

	// Profile names the profile of the memory server that a command line starts; empty: none.
	Profile func(command []string) string
}

// Examine looks at everything and changes nothing.
func Examine(ctx context.Context, s Subject) []Diagnosis {
	x := &examination{}
	var opened *instance.Instance
	in, err := instance.Open(ctx, s.Dir, instance.Options{ReadOnly: true})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		x.add("home", Fail, "run `hearsay init`, or give the right --home; a home that was there before has lost a file", "%v", err)
	case errors.Is(err, home.ErrUnsafe):
		x.add("home", Fail, "run the command that it names; then ask who could have changed it", "%v", err)
	case err != nil:
		x.cannot("home", err)
	default:
		opened = in
		defer in.Close()
		x.home(in)
		x.policy(in.Guard.Policy(), in.PolicyNote)
		x.reviewers(ctx, in)
		x.copies(ctx, in)
		x.held(ctx, in)
		x.deliveries(ctx, in)
		x.sessions(ctx, in)
		x.files(ctx, in, s.UserHome, s.Project)
		x.limits(in)
	}
	x.hosts(ctx, opened, s)
	return x.all
}
