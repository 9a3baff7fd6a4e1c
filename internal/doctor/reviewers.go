package doctor

import (
	"bytes"
	"context"
	"strings"

	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/people"
)

// reviewers looks at each key file: is it protected, and is it the enrolled key.
func (x *examination) reviewers(ctx context.Context, in *instance.Instance) {
	enrolled := make(map[string][]byte)
	for put, err := range in.Store.Rows(ctx, event.Reviewers) {
		if err != nil {
			x.cannot("reviewers", err)
			return
		}
		if strings.HasPrefix(string(put.Key), "key/") {
			continue // a key that was ever enrolled, not a person
		}
		row, err := event.DecodeReviewer(put.Value)
		if err != nil {
			x.cannot("reviewers", err)
			return
		}
		if !row.Retired {
			enrolled[row.Name] = row.Public
		}
	}
	names, err := in.Home.Reviewers()
	if err != nil {
		x.cannot("reviewers", err)
		return
	}
	if len(names) == 0 {
		x.add("reviewers", Fail, "restore a key file from a backup, or use the recovery key", "no key file is here: nobody can sign")
	}
	for _, name := range names {
		key, err := people.KeyFile(in, name)
		switch {
		case err != nil:
			x.add("reviewer", Fail, "restore the file from a backup", "%s: %v", name, err)
		case !bytes.Equal(enrolled[name], key.Public):
			x.add("reviewer", Fail, "restore the file from a backup, then ask who changed it", "%s: the key file is not the key that was enrolled, so what it signs is refused", name)
		case !key.Protected():
			x.add("reviewer", Warn, "make the home anew with a passphrase before an agent that you do not trust runs here", "%s: the key has no passphrase, so whatever runs as you can release what is held", name)
		default:
			x.add("reviewer", OK, "", "%s, key under a passphrase", name)
		}
	}
}
