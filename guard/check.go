package guard

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/policy"
)

// Bounds of questions about actions.
const (
	maxWaiting  = 10        // questions of one session that wait at a time
	maxNames    = 64        // names of one action
	maxTarget   = 64 << 10  // bytes of a target
	waitFor     = time.Hour // how long a question waits for a person; then it is unanswered
	approvedFor = 30 * time.Minute
)

// Action is something that an agent is about to do.
type Action struct {
	Names   []string         // all that it amounts to, dotted: "shell.execute", "deploy.run"
	Tool    string           // the tool that was called, for people
	Target  string           // what it is done to: a command line, a path, a host; for people
	Dir     string           // working directory; approvals can cover it
	Args    []byte           // canonical arguments: an approval is of just these
	Call    string           // the host's id of the call, see [Guard.Went]; empty: none
	Sources []hearsay.Source // what flowed in besides what the session took in
	Above   []SessionKey     // sessions that it runs beneath: what they took in counts too

	// Unattended says that nobody can be asked: what would ask is denied, as unanswered.
	Unattended bool
}

// ActionAnswer is the answer to an action. Where it matters it is sealed before it is
// returned.
type ActionAnswer struct {
	ID         hearsay.RecordID // of the question; zero where nothing was sealed
	Verdict    hearsay.ActionVerdict
	State      event.ActionState
	Pattern    string // what of the policy decided; empty: its default
	Reason     string // for the agent and the person; never has foreign text in it
	Label      hearsay.Label
	Flagged    bool // goes on only because the mode is warn
	Absolute   bool // no approval lifts the denial
	Unanswered bool // it is denied because nobody can be asked
}

// question is what an approval is about, in the bytes that are committed to.
type question struct {
	Agent  string   `json:"agent"`
	Names  []string `json:"names"`
	Tool   string   `json:"tool,omitempty"`
	Target string   `json:"target"`
	Dir    string   `json:"dir"`
	Args   string   `json:"args"` // SHA-256, hex
}

// Check decides an action. A harmless one of a clean session makes no event; any
// other answer is sealed before it is returned. On an error a privileged action must
// not go on.
//
// The same question asked again while it waits is the same question.
func (g *Guard) Check(ctx context.Context, c hearsay.Caller, a Action) (ActionAnswer, error) {
	if err := a.check(); err != nil {
		return ActionAnswer{}, err
	}
	flowed := hearsay.LabelIdentity
	for _, s := range a.Sources {
		flowed = flowed.Join(g.table.Classify(s).SessionLabel())
	}
	mode := g.policy.ModeFor(c.Agent)
	session, err := g.labelAbove(ctx, g.store, c, a.Above, now())
	if err != nil {
		return ActionAnswer{}, err
	}
	label := session.Join(flowed)
	if d := g.policy.DecideAction(a.Names, label.Tainted()); d.Verdict == hearsay.AllowAction && !d.Privileged && !label.Tainted() || mode == hearsay.Off && !d.Absolute {
		return ActionAnswer{Verdict: hearsay.AllowAction, State: event.ActionWent, Pattern: d.Pattern, Label: label}, nil
	}
	q, err := a.question(c.Agent)
	if err != nil {
		return ActionAnswer{}, err
	}
	var answer ActionAnswer
	_, err = g.store.Update(ctx, func(tx Tx) ([]event.Draft, error) {
		session, err := g.labelAbove(ctx, tx, c, a.Above, tx.Now())
		if err != nil {
			return nil, err
		}
		ask := asking{guard: g, c: c, a: a, tx: tx, label: session.Join(flowed), mode: mode}
		var drafts []event.Draft
		answer, drafts, err = ask.answer(ctx, q)
		return drafts, err
	})
	if err != nil {
		return ActionAnswer{}, fmt.Errorf("the action was not decided, so it must not go on: %w", err)
	}
	return answer, nil
}

// labelAbove joins the label of the caller's session with those of the ones above it.
func (g *Guard) labelAbove(ctx context.Context, r Reader, c hearsay.Caller, above []SessionKey, at int64) (hearsay.Label, error) {
	label, err := g.labelIn(ctx, r, sessionKey(c), at)
	for _, key := range above {
		if err != nil {
			break
		}
		var l hearsay.Label
		l, err = g.labelIn(ctx, r, key, at)
		label = label.Join(l)
	}
	return label, err
}

// asking is one question on its way through a transaction.
type asking struct {
	guard *Guard
	c     hearsay.Caller
	a     Action
	tx    Tx
	label hearsay.Label
	mode  hearsay.Mode
}

// answer decides, with the approvals and the questions that are there already.
func (k *asking) answer(ctx context.Context, q []byte) (ActionAnswer, []event.Draft, error) {
	g, d := k.guard, k.guard.policy.DecideAction(k.a.Names, k.label.Tainted())
	verdict, flagged := policy.ApplyActionMode(d.Verdict, k.mode)
	out := ActionAnswer{Verdict: verdict, Pattern: d.Pattern, Label: k.label, Flagged: flagged, Absolute: d.Absolute}
	image := &event.Action{
		Verdict: d.Verdict, Label: k.label, Principal: k.c.Principal, Agent: k.c.Agent, Session: sessionKey(k.c).ID, Surface: k.c.Surface,
		Names: k.a.Names, Rule: d.Pattern, PolicyHash: g.policy.Hash(), Flagged: flagged, Asked: k.tx.Now(),
	}
	keys := k.keys()
	if verdict != hearsay.AllowAction && !d.Absolute {
		known, err := questions(ctx, k.tx, keys[:])
		if err != nil {
			return out, nil, err
		}
		if used := usable(known, keys, d.Verdict, k.label, k.tx.Now()); used != nil {
			out.ID, out.Verdict, out.State, out.Reason = used.ID, hearsay.AllowAction, event.ActionWent, "a person approved it"
			if used.Scope == event.ScopeOnce {
				used.State, out.State = event.ActionSpent, event.ActionSpent
				return out, []event.Draft{{Event: event.Event{Kind: event.ActionAllowed, Action: used}}}, nil
			}
			verdict = hearsay.AllowAction
		} else if same := waiting(known, keys[0], k.label, d.Verdict, k.tx.Now()); same != nil && verdict == hearsay.Ask && !k.a.Unattended {
			out.ID, out.State, out.Reason = same.ID, same.State, reason(d, k.label)
			return out, nil, nil
		}
	}
	var err error
	if image.ID, err = g.newID(k.tx.Now()); err != nil {
		return out, nil, err
	}
	kind := event.ActionAllowed
	switch {
	case verdict == hearsay.AllowAction:
		image.State = event.ActionWent
		out.Reason = cmp.Or(out.Reason, reason(d, k.label))
	case verdict == hearsay.Ask && k.a.Unattended:
		kind, image.State = event.ActionDenied, event.ActionUnanswered
		out.Verdict, out.Unanswered = hearsay.Deny, true
		out.Reason = reason(d, k.label) + ", and nobody can be asked here"
	case verdict == hearsay.Ask:
		kind, image.State, image.Expires = event.ActionHeld, event.ActionWaiting, k.tx.Now()+waitFor.Milliseconds()
		if image.Slot, err = freeSlot(ctx, k.tx, image, k.tx.Now()); err != nil {
			return out, nil, err
		}
		out.Reason = reason(d, k.label)
		if image.Slot == 0 {
			kind, image.State, image.Expires = event.ActionDenied, event.ActionRefused, 0
			out.Verdict = hearsay.Deny
			out.Reason = fmt.Sprintf("%d questions of this session wait for a person already", maxWaiting)
		}
	default:
		kind, image.State = event.ActionDenied, event.ActionRefused
		out.Reason = reason(d, k.label)
	}
	if out.ID.IsZero() {
		out.ID = image.ID
	}
	out.State = image.State
	side := event.Side{Tool: k.a.Tool, Project: k.c.Project, Content: q}
	if image.State != event.ActionWent {
		// What went on is never asked about again.
		if k.a.Call != "" {
			keys = append(keys, g.callKey(k.c, k.a.Call))
		}
		for _, key := range keys {
			if err := k.tx.PutItem(StoredItem{Key: key, Record: image.ID}); err != nil {
				return out, nil, err
			}
			side.Items = append(side.Items, key[:])
		}
	}
	return out, []event.Draft{{Event: event.Event{Kind: kind, Action: image}, Side: side}}, nil
}

// keys returns the store-keyed digests of the question: of just this call, and of the
// action in the directory.
func (k *asking) keys() [][32]byte {
	sum := sha256.Sum256(k.a.Args)
	once := [][]byte{[]byte(k.c.Principal), []byte(k.c.Agent), []byte(k.a.Target), []byte(k.a.Dir), sum[:]}
	dir := [][]byte{[]byte(k.c.Principal), []byte(k.c.Agent), []byte(k.a.Dir)}
	for _, n := range k.a.Names {
		once, dir = append(once, []byte(n)), append(dir, []byte(n))
	}
	return [][32]byte{k.guard.index.Digest("action/once", once...), k.guard.index.Digest("action/directory", dir...)}
}

func (g *Guard) callKey(c hearsay.Caller, call string) [32]byte {
	return g.index.Digest("action/call", []byte(c.Principal), []byte(sessionKey(c).ID), []byte(call))
}

// asked is a question that was asked before, and the key by which it was found.
type asked struct {
	key    [32]byte
	action *event.Action
}

// questions loads the questions of the keys.
func questions(ctx context.Context, tx Tx, keys [][32]byte) ([]asked, error) {
	items, err := tx.Items(ctx, keys)
	if err != nil {
		return nil, err
	}
	var out []asked
	for _, key := range keys {
		for _, it := range items[key] {
			a, err := loadAction(ctx, tx, it.Record)
			if errors.Is(err, ErrNotFound) {
				continue
			}
			if err != nil {
				return nil, err
			}
			out = append(out, asked{key, a})
		}
	}
	return out, nil
}

// usable returns an approval that covers the question now; nil where there is none. It
// is good for a session that is at least as clean as the one that it was given for, and
// for an answer that is no stricter than the one that was approved.
func usable(known []asked, keys [][32]byte, v hearsay.ActionVerdict, label hearsay.Label, now int64) *event.Action {
	for _, k := range known {
		scope := event.ScopeOnce
		if k.key == keys[1] {
			scope = event.ScopeDirectory
		}
		if a := k.action; a.State == event.ActionApproved && a.Scope == scope && a.Expires > now && fresh(a) && a.Label.Below(label) && !a.Verdict.Weaker(v) {
			return a
		}
	}
	return nil
}

// fresh reports whether an approval is not over by the clock on the wall: where the
// log's time ran ahead it stands still, and an approval must end all the same.
func fresh(a *event.Action) bool {
	passed := now() - a.Approved
	return passed >= -time.Minute.Milliseconds() && passed < approvedFor.Milliseconds()
}

// waiting returns the same question, of a session with the same label, that waits.
func waiting(known []asked, once [32]byte, label hearsay.Label, v hearsay.ActionVerdict, now int64) *event.Action {
	for _, k := range known {
		if a := k.action; k.key == once && a.State == event.ActionWaiting && a.Expires > now && a.Label == label && a.Verdict == v {
			return a
		}
	}
	return nil
}

// freeSlot returns a place among the session's waiting questions; 0 where all are taken.
func freeSlot(ctx context.Context, tx Tx, a *event.Action, now int64) (int, error) {
	for n := 1; n <= maxWaiting; n++ {
		put, err := tx.Get(ctx, event.Actions, event.SlotKey(a.Principal, a.Session, n))
		if errors.Is(err, ErrNotFound) {
			return n, nil
		}
		if err != nil {
			return 0, err
		}
		last, err := event.DecodeAction(put.Value)
		if err != nil {
			return 0, err
		}
		if last.State != event.ActionWaiting || last.Expires <= now {
			return n, nil
		}
	}
	return 0, nil
}

// reason says why, in words of ours alone.
func reason(d policy.ActionDecision, label hearsay.Label) string {
	what := "the policy"
	if d.Pattern != "" {
		what = d.Pattern
	}
	why := ""
	if label.Tainted() {
		why = fmt.Sprintf(": this session took in text from outside (%s)", label.Taint)
	}
	switch {
	case d.Absolute:
		return what + " is denied" + why + "; no approval lifts it"
	case d.Verdict == hearsay.Deny:
		return what + " is denied by the policy" + why
	case d.Verdict == hearsay.Ask:
		return what + " asks a person" + why
	}
	return what + " lets it go on"
}

// question encodes what is asked.
func (a *Action) question(agent string) ([]byte, error) {
	sum := sha256.Sum256(a.Args)
	b, err := json.Marshal(question{Agent: agent, Names: a.Names, Tool: a.Tool, Target: a.Target, Dir: a.Dir, Args: hex.EncodeToString(sum[:])})
	if err != nil {
		return nil, fmt.Errorf("encode the question: %w", err)
	}
	return b, nil
}

func (a *Action) check() error {
	switch {
	case len(a.Names) == 0:
		return refuse("an action without a name cannot be decided")
	case len(a.Names) > maxNames:
		return refuse("the action amounts to %d names: at most %d", len(a.Names), maxNames)
	case len(a.Target) > maxTarget:
		return refuse("the target has %d bytes: at most %d", len(a.Target), maxTarget)
	}
	for _, n := range a.Names {
		if !hearsay.ValidTag(n) {
			return refuse("the action has a malformed name: want dotted ASCII such as deploy.run")
		}
	}
	a.Names = slices.Compact(slices.Sorted(slices.Values(a.Names)))
	a.Target, a.Dir, a.Tool = strings.ToValidUTF8(a.Target, "\ufffd"), strings.ToValidUTF8(a.Dir, "\ufffd"), strings.ToValidUTF8(a.Tool, "\ufffd")
	return nil
}

func loadAction(ctx context.Context, r Reader, id hearsay.RecordID) (*event.Action, error) {
	put, err := r.Get(ctx, event.Actions, event.ActionKey(id))
	if err != nil {
		return nil, fmt.Errorf("action %s: %w", id, err)
	}
	return event.DecodeAction(put.Value)
}
