package doctor

import (
	"context"
	"encoding/base64"

	"golang.org/x/mod/sumdb/note"

	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/home"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/ledger"
)

// copies compares the newest copy outside with the head of the log.
func (x *examination) copies(ctx context.Context, in *instance.Instance) {
	head, err := in.Store.Head(ctx)
	if err != nil {
		x.cannot("copies", err)
		return
	}
	if head.LogID != in.Config.LogID {
		x.add("ledger", Fail, "run `hearsay verify`; restore what was exchanged", "the store has the log %s, and the home was made for %s", head.LogID, in.Config.LogID)
	}
	if len(in.Config.Checkpoints) == 0 {
		x.add("copies", Warn, "name a place that this machine's programs cannot change, under \"checkpoints\" in "+in.Home.Path("config.json"),
			"no copies of checkpoints: a store that was put back or replaced as a whole is not found")
	}
	for _, t := range in.Config.Checkpoints {
		x.copy(t, head, in.Verifier)
	}
}

func (x *examination) copy(target string, head guard.Head, key note.Verifier) {
	msg, err := home.NewestCopy(target)
	if err != nil {
		x.add("copies", Fail, "make the place reachable, then run `hearsay checkpoint`", "%v", err)
		return
	}
	c, err := ledger.OpenCheckpoint(msg, note.VerifierList(key), head.LogID)
	x.witness(target, c, err, head.Frontier)
}

// witness judges a copy, or why it cannot be believed, against the tree of the log.
func (x *examination) witness(target string, c ledger.Checkpoint, err error, tree ledger.Frontier) {
	root := tree.Root()
	switch size := tree.Size(); {
	case err != nil:
		x.add("copies", Fail, "run `hearsay verify`", "%s: %v", target, err)
	case c.Size > size:
		x.add("copies", Fail, "run `hearsay verify`", "%s has seen %d entries, and the store has %d: it was cut or put back", target, c.Size, size)
	case c.Size == size && c.Root != root:
		x.add("copies", Fail, "run `hearsay verify`", "%s has seen another history of %d entries (root %s)", target, size, base64.StdEncoding.EncodeToString(c.Root[:]))
	case c.Size < size:
		x.add("copies", OK, "", "%s is %d entries behind", target, size-c.Size)
	default:
		x.add("copies", OK, "", "%s agrees at %d entries", target, size)
	}
}
