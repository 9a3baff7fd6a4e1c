package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/mcp/wire"
	"github.com/hearsay-memory/hearsay/internal/strictjson"
	"github.com/hearsay-memory/hearsay/mark"
)

// claims is the prefix of what a payload may say of itself.
const claims = "dev.hearsay/"

// toolCall is a call of a tool of a memory server.
type toolCall struct {
	id     []byte
	params strictjson.Value
	name   string
	args   strictjson.Value
	tool   Tool
	known  bool // to the profile
	call   guard.Call

	changes []hearsay.RecordID // records that it changes, see lookBefore
	gone    []guard.Item       // what a deletion takes out
	takes   bool               // there is something that it changes
}

// guarded handles a request to a memory server.
func (p *proxy) guarded(ctx context.Context, id []byte, method string, params strictjson.Value) {
	as, params := params, p.unmarked(params)
	if method != "tools/call" {
		p.ask(request(id, method, params), &pending{id: id, method: method, answer: p.scrubbed(ctx, p.Caller, id, method, params)})
		return
	}
	if _, ok := params.Get("task"); ok {
		// Its outcome would come later and under another name than the decision's.
		p.tell(wire.ReplyError(id, wire.CodeInvalid, "a call of a guarded memory server cannot run as a task: call it without `task`"))
		return
	}
	c, err := p.toolCall(id, params)
	if err != nil {
		p.tell(wire.ReplyError(id, wire.CodeInvalid, err.Error()))
		return
	}
	c.call = announced(as, c.name)
	if c.known && c.tool.Op == opRead {
		reader := p.reader(ctx, c.call)
		p.ask(request(id, method, params), &pending{id: id, method: method, answer: p.scrubbed(ctx, reader, id, method, params)})
		return
	}
	// Changes are decided and carried out one after the other, in the order asked.
	if !p.queue(ctx, func() { p.write(ctx, c) }) {
		p.unanswered(id, errors.New("the connection ended"))
	}
}

// unmarked takes our own marks around names off: they come back as parts of ids, and
// what is inspected, kept and forwarded is the name itself.
func (p *proxy) unmarked(params strictjson.Value) strictjson.Value {
	params, _ = strictjson.Rewrite(params, func(_ strictjson.Path, v strictjson.Value) (strictjson.Value, bool) {
		if v.Kind() == strictjson.KindString {
			if bare, ok := mark.StripInline(p.Nonce, v.String()); ok {
				return strictjson.String(bare), true
			}
		}
		return v, true
	})
	return params
}

// toolCall takes a call apart.
func (p *proxy) toolCall(id []byte, params strictjson.Value) (toolCall, error) {
	name, ok := params.Get("name")
	if !ok || name.Kind() != strictjson.KindString {
		return toolCall{}, errors.New("the call names no tool")
	}
	c := toolCall{id: id, params: params, name: name.String()}
	if c.args, ok = params.Get("arguments"); !ok {
		c.args = strictjson.Object()
	}
	c.tool, c.known = p.Profile.Tools[c.name]
	if !c.known || c.tool.Op == opRead && !c.tool.takes(c.args) {
		// A tool that nobody knows may store anything, and so may a known one whose
		// arguments are not those of a read.
		c.tool, c.known = Tool{Op: opUpdate}, false
	}
	return c, nil
}

// takes reports whether a tool that reads is known to take these arguments, and they
// are flat.
func (t Tool) takes(args strictjson.Value) bool {
	if args.Kind() != strictjson.KindObject {
		return false
	}
	for arg := range t.Values {
		if v, ok := args.Get(arg); !ok || v.Kind() != strictjson.KindString || !slices.Contains(t.Values[arg], v.String()) {
			return false
		}
	}
	for k, v := range args.Members() {
		if slices.Contains(t.Arguments, k+"{}") {
			continue
		}
		if !slices.Contains(t.Arguments, k) || v.Kind() == strictjson.KindObject {
			return false
		}
		for _, el := range v.Elements() {
			if el.Kind() == strictjson.KindObject || el.Kind() == strictjson.KindArray {
				return false
			}
		}
	}
	return true
}

// queue has a change carried out after those before it. It is false where the
// connection ended first.
func (p *proxy) queue(ctx context.Context, change func()) bool {
	p.queued.Add(1)
	done := func() { defer p.queued.Add(-1); change() }
	select {
	case p.writes <- done:
		return true
	case <-ctx.Done():
		p.queued.Add(-1)
		return false
	}
}

// work carries out changes, one after the other. Those that are left when the
// connection ends find the server dead and say so.
func (p *proxy) work(ctx context.Context) {
	for {
		select {
		case f := <-p.writes:
			f()
		case <-ctx.Done():
			for {
				select {
				case f := <-p.writes:
					f()
				default:
					return
				}
			}
		}
	}
}

// write decides one call that changes the memory, and carries it out where it may be.
func (p *proxy) write(ctx context.Context, c toolCall) {
	if dead := p.deadFor(); dead != nil {
		p.unanswered(c.id, dead)
		return
	}
	if err := p.lookBefore(ctx, &c); err != nil {
		p.Log.Error("a change was not decided", "tool", c.name, "error", err)
		p.tell(wire.ReplyError(c.id, codeUpstream, "nothing was changed: what it would change could not be looked at: "+err.Error()))
		return
	}
	d, err := p.Guard.Write(ctx, p.Caller, p.question(c))
	switch {
	case errors.Is(err, guard.ErrRefused):
		p.tell(wire.ReplyError(c.id, wire.CodeInvalid, "the write was not stored: "+err.Error()))
	case err != nil:
		p.Log.Error("a write was not decided", "tool", c.name, "error", err)
		p.tell(wire.ReplyError(c.id, wire.CodeInternal, "the write was not stored because it could not be decided and sealed; nothing was changed"))
	case !d.Standing.Visible():
		p.tell(reply(c.id, refusal(d, c.tool)))
	default:
		p.deliver(ctx, c, d.ID)
	}
}

// deliver carries a write out that was let through, seals what came of it and only
// then tells the client.
//
// A crash, or a server that falls silent, between the seal of the decision and that
// of the outcome leaves an open intent: the next start looks for it.
func (p *proxy) deliver(ctx context.Context, c toolCall, id hearsay.RecordID) {
	unlock, err := p.lock(ctx)
	if err != nil {
		p.outcome(ctx, id, guard.Outcome{Delivery: hearsay.Failed})
		p.tell(wire.ReplyError(c.id, wire.CodeInternal, "the write was not stored: another process holds the memory server's store; try again"))
		return
	}
	defer func() {
		if err := unlock(); err != nil {
			p.Log.Warn("unlock the store", "error", err)
		}
	}()
	if !p.stillAllowed(ctx, id) {
		p.tell(wire.ReplyError(c.id, wire.CodeInternal, "the write was not stored: it was withdrawn before it was carried out"))
		return
	}
	wait, cancel := context.WithTimeout(ctx, p.Wait)
	defer cancel()
	f, err := p.call(wait, "tools/call", c.params)
	if err != nil {
		p.outcome(ctx, id, guard.Outcome{Delivery: hearsay.UnknownDelivery})
		p.tell(wire.ReplyError(c.id, codeUpstream, fmt.Sprintf("whether write %s was stored is not known, because the server behind gave no answer: %v; do not repeat it", id, err)))
		return
	}
	o := p.landed(f, c)
	if !p.outcome(ctx, id, o) {
		p.tell(wire.ReplyError(c.id, wire.CodeInternal, "the write was carried out and what came of it could not be sealed; it recalls as unverified"))
		return
	}
	if c.known && c.tool.answered() && o.Delivery == hearsay.Applied {
		p.tell(withID(f, c.id)) // it tells what this very call stored
		return
	}
	p.scrub(reading{proxy: p, caller: p.Caller, ctx: ctx, params: c.params, answer: c.known}, c.id, "tools/call")(f, nil)
}

// stillAllowed reports whether a write that waited for the lock may still be carried
// out: meanwhile a person may have taken it back.
func (p *proxy) stillAllowed(ctx context.Context, id hearsay.RecordID) bool {
	if id.IsZero() {
		return true // the mode is off: nothing is recorded
	}
	shown, err := p.Guard.Show(ctx, id)
	if err != nil {
		p.Log.Error("a write was not carried out: its record cannot be read", "record", id, "error", err)
		return false
	}
	return shown.Record.Standing.Visible()
}

// question makes what the guard is asked about a call.
func (p *proxy) question(c toolCall) guard.Write {
	w := guard.Write{
		Store: p.Store, Source: hearsay.Source{Type: hearsay.UnknownTag}, Namespace: p.Namespace, Kind: p.Kind,
		Op: event.Op(c.tool.Op), Tool: c.name, Texts: texts(c.args),
		Content: strictjson.AppendValue(nil, strictjson.Object(
			strictjson.Member{Key: "name", Value: strictjson.String(c.name)},
			strictjson.Member{Key: "arguments", Value: c.args})),
		Items: p.items(c), Host: p.Host, Call: &c.call,
		Parents: c.changes, Takes: c.takes, Ingests: ingested(c),
	}
	if p.Assume {
		w.Source, w.Assumed = hearsay.Source{Type: "agent"}, true
	}
	meta, ok := c.params.Get("_meta")
	if !ok {
		return w
	}
	if s, ok := meta.Get(claims + "source"); ok {
		w.Claimed.Source = hearsay.Source{Type: claimedType(s)}
	}
	if list, ok := meta.Get(claims + "parents"); ok {
		claimed, all := parents(list)
		if w.Parents = append(w.Parents, claimed...); !all {
			// A parent that cannot be named tells nothing good of its child.
			w.Claimed.Source = hearsay.Source{Type: hearsay.UnknownTag}
		}
	}
	return w
}

// claimedType reads a claimed source. What is no string says nothing good.
func claimedType(v strictjson.Value) string {
	if v.Kind() != strictjson.KindString || v.String() == "" {
		return hearsay.UnknownTag
	}
	return v.String()
}

// parents reads claimed parents; false where one of them is no id.
func parents(list strictjson.Value) (ids []hearsay.RecordID, all bool) {
	all = list.Kind() == strictjson.KindArray
	for _, el := range list.Elements() {
		id, err := hearsay.ParseRecordID(el.String())
		if err != nil {
			all = false
			continue
		}
		ids = append(ids, id)
	}
	return ids, all
}
