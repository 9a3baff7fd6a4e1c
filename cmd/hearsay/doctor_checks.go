package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/people"
	"github.com/hearsay-memory/hearsay/internal/tell"
	"github.com/hearsay-memory/hearsay/ledger"
)

// heldTooLong is how long a record may wait before doctor asks about it.
const heldTooLong = 7 * 24 * time.Hour

// home looks at modes, owners and links.
func (x *examination) home(in *instance.Instance) {
	found, err := in.Home.Check()
	if err != nil {
		x.cannot("home", err)
	}
	for _, f := range found {
		x.add("home", stateFail, f.Fix, "%s is %s, wanted %s", f.Path, f.Found, f.Wanted)
	}
	if err == nil && len(found) == 0 {
		x.add("home", stateOK, "", "%s is private", in.Home.Dir())
	}
}

// policy looks at what is in force, and how strictly.
func (x *examination) policy(in *instance.Instance) {
	p := in.Guard.Policy()
	if p == nil {
		x.add("policy", stateFail, "", "%s", in.PolicyNote)
		return
	}
	if in.PolicyNote != "" {
		x.add("policy", stateWarn, "look at the file; if the change is yours, run `hearsay policy sign`", "%s", in.PolicyNote)
	} else {
		x.add("policy", stateOK, "", "signed, %d rules, %.12s", len(p.Rules()), p.Hash())
	}
	switch mode, set := p.Mode(); {
	case mode != hearsay.Enforce:
		x.add("mode", stateWarn, "set `mode: enforce` and run `hearsay policy sign`", "%s: what should be held is let through", mode)
	case !set:
		x.add("mode", stateOK, "", "enforce, as the policy names none")
	default:
		x.add("mode", stateOK, "", "enforce")
	}
}

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
		x.add("reviewers", stateFail, "restore a key file from a backup, or use the recovery key", "no key file is here: nobody can sign")
	}
	for _, name := range names {
		key, err := people.KeyFile(in, name)
		switch {
		case err != nil:
			x.add("reviewer", stateFail, "restore the file from a backup", "%s: %v", name, err)
		case !bytes.Equal(enrolled[name], key.Public):
			x.add("reviewer", stateFail, "restore the file from a backup, then ask who changed it", "%s: the key file is not the key that was enrolled, so what it signs is refused", name)
		case !key.Protected():
			x.add("reviewer", stateWarn, "make the home anew with a passphrase before an agent that you do not trust runs here", "%s: the key has no passphrase, so whatever runs as you can release what is held", name)
		default:
			x.add("reviewer", stateOK, "", "%s, key under a passphrase", name)
		}
	}
}

// copies compares the newest copy outside with the head of the log.
func (x *examination) copies(ctx context.Context, in *instance.Instance) {
	head, err := in.Store.Head(ctx)
	if err != nil {
		x.cannot("copies", err)
		return
	}
	if head.LogID != in.Config.LogID {
		x.add("ledger", stateFail, "run `hearsay verify`; restore what was exchanged", "the store has the log %s, and the home was made for %s", head.LogID, in.Config.LogID)
	}
	if len(in.Config.Checkpoints) == 0 {
		x.add("copies", stateWarn, "name a place that this machine's programs cannot change, under \"checkpoints\" in "+in.Home.Path("config.json"),
			"no copies of checkpoints: a store that was put back or replaced as a whole is not found")
	}
	for _, t := range in.Config.Checkpoints {
		x.copy(t, head, in.Verifier)
	}
}

func (x *examination) copy(target string, head guard.Head, key note.Verifier) {
	msg, err := newestCopy(target)
	if err != nil {
		x.add("copies", stateFail, "make the place reachable, then run `hearsay checkpoint`", "%v", err)
		return
	}
	c, err := ledger.OpenCheckpoint(msg, note.VerifierList(key), head.LogID)
	root := head.Frontier.Root()
	switch size := head.Frontier.Size(); {
	case err != nil:
		x.add("copies", stateFail, "run `hearsay verify`", "%s: %v", target, err)
	case c.Size > size:
		x.add("copies", stateFail, "run `hearsay verify`", "%s has seen %d entries, and the store has %d: it was cut or put back", target, c.Size, size)
	case c.Size == size && c.Root != root:
		x.add("copies", stateFail, "run `hearsay verify`", "%s has seen another history of %d entries (root %s)", target, size, base64.StdEncoding.EncodeToString(c.Root[:]))
	case c.Size < size:
		x.add("copies", stateOK, "", "%s is %d entries behind", target, size-c.Size)
	default:
		x.add("copies", stateOK, "", "%s agrees at %d entries", target, size)
	}
}

// held looks at what waits for a person.
func (x *examination) held(ctx context.Context, in *instance.Instance) {
	n, oldest := 0, int64(0)
	for r, err := range in.Guard.List(ctx, guard.Query{Queue: event.QueueReview}) {
		if err != nil {
			x.cannot("held", err)
			return
		}
		if n++; n == 1 || r.Created < oldest {
			oldest = r.Created
		}
	}
	now := time.Now()
	switch {
	case n == 0:
		x.add("held", stateOK, "", "nothing waits for you")
	case now.Sub(time.UnixMilli(oldest)) > heldTooLong:
		x.add("held", stateWarn, "run `hearsay review`", "%d wait for you, the oldest from %s", n, tell.Ago(oldest, now))
	default:
		x.add("held", stateOK, "run `hearsay review`", "%d wait for you, the oldest from %s", n, tell.Ago(oldest, now))
	}
}

// deliveries looks at what a surface still has to carry out.
func (x *examination) deliveries(ctx context.Context, in *instance.Instance) {
	n, unknown := 0, 0
	for r, err := range in.Guard.List(ctx, guard.Query{Queue: event.QueueDelivery}) {
		if err != nil {
			x.cannot("deliveries", err)
			return
		}
		n++
		if r.Delivery == hearsay.UnknownDelivery {
			unknown++
		}
	}
	switch {
	case unknown > 0:
		x.add("deliveries", stateWarn, "call the memory server once more, so that its proxy looks; `hearsay show ID` shows each", "%d are under way, of which nobody saw %d land", n, unknown)
	case n > 0:
		x.add("deliveries", stateOK, "", "%d are carried out with the next call of their proxy", n)
	default:
		x.add("deliveries", stateOK, "", "none are under way")
	}
}

// sessions counts the live sessions and those that have taken something in.
func (x *examination) sessions(ctx context.Context, in *instance.Instance) {
	live, err := in.Store.Sessions(ctx, nil, time.Now().UnixMilli())
	if err != nil {
		x.cannot("sessions", err)
		return
	}
	tainted := 0
	for _, s := range live {
		if s.Label.Tainted() {
			tainted++
		}
	}
	x.add("sessions", stateOK, "", "%d live, %d of them tainted", len(live), tainted)
}

// limits says what no check here can change.
func (x *examination) limits(in *instance.Instance) {
	x.add("limits", stateWarn, "run agents as another user, or in a sandbox that cannot write "+in.Home.Dir(),
		"an agent that runs with your own rights can change these files and act as you: then hearsay finds it out, and does not prevent it")
}
