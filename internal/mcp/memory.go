package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/strictjson"
	"github.com/hearsay-memory/hearsay/mark"
)

// claims is the prefix of what a payload may say of itself.
const claims = "dev.hearsay/"

// guarded handles a request to a memory server.
func (p *proxy) guarded(ctx context.Context, id []byte, method string, params strictjson.Value) {
	// Our own marks around names come back as parts of ids: take them off, so that
	// what is inspected, kept and forwarded is the name itself.
	params, _ = strictjson.Rewrite(params, func(_ strictjson.Path, v strictjson.Value) (strictjson.Value, bool) {
		if v.Kind() == strictjson.KindString {
			if bare, ok := mark.StripInline(p.Nonce, v.String()); ok {
				return strictjson.String(bare), true
			}
		}
		return v, true
	})
	if method != "tools/call" {
		p.ask(id, request(id, method, params), &pending{method: method, answer: p.scrubbed(ctx, id, method, params)})
		return
	}
	name, ok := params.Get("name")
	if !ok || name.Kind() != strictjson.KindString {
		p.tell(replyError(id, codeInvalid, "the call names no tool"))
		return
	}
	tool, known := p.Profile.Tools[name.String()]
	if known && tool.Op == opRead {
		p.ask(id, request(id, method, params), &pending{method: method, answer: p.scrubbed(ctx, id, method, params)})
		return
	}
	if !known {
		tool = Tool{Op: opUpdate}
	}
	// Changes are decided and carried out one after the other, in the order asked.
	p.mu.Lock()
	dead := p.dead
	p.mu.Unlock()
	if dead != nil {
		p.tell(replyError(id, codeUpstream, "the server behind gave no answer: "+dead.Error()))
		return
	}
	p.queue(ctx, func() { p.write(ctx, id, name.String(), tool, known, params) })
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

// work carries out changes, one after the other.
func (p *proxy) work(ctx context.Context) {
	for {
		select {
		case f := <-p.writes:
			f()
		case <-ctx.Done():
			return
		}
	}
}

// write decides one call that changes the memory, and carries it out where it may be.
func (p *proxy) write(ctx context.Context, id []byte, name string, tool Tool, known bool, params strictjson.Value) {
	args, ok := params.Get("arguments")
	if !ok {
		args = strictjson.Object()
	}
	d, err := p.Guard.Write(ctx, p.Caller, p.question(name, tool, known, params, args))
	if err != nil {
		p.Log.Error("a write was not decided", "tool", name, "error", err)
		p.tell(replyError(id, codeInternal, "the write was not stored because it could not be decided and sealed; nothing was changed"))
		return
	}
	if !d.Standing.Visible() {
		p.tell(reply(id, refusal(d, tool)))
		return
	}
	unlock, err := p.lock(ctx)
	if err != nil {
		p.outcome(ctx, d.ID, guard.Outcome{Delivery: hearsay.Failed})
		p.tell(replyError(id, codeInternal, "the write was not stored: another process holds the memory server's store; try again"))
		return
	}
	wait, cancel := context.WithTimeout(ctx, p.Wait)
	defer cancel()
	f, err := p.call(wait, "tools/call", params)
	if err != nil {
		p.outcome(ctx, d.ID, guard.Outcome{Delivery: hearsay.UnknownDelivery})
		_ = unlock()
		p.tell(replyError(id, codeUpstream, fmt.Sprintf("whether write %s was stored is not known, because the server behind gave no answer: %v; do not repeat it", d.ID, err)))
		return
	}
	o := landed(f, tool, args, known)
	sealed := p.outcome(ctx, d.ID, o)
	if err := unlock(); err != nil {
		p.Log.Warn("unlock the store", "error", err)
	}
	if !sealed {
		p.tell(replyError(id, codeInternal, "the write was carried out and what came of it could not be sealed; it recalls as unverified"))
		return
	}
	p.tell(withID(f, id))
}

// question makes what the guard is asked about a call.
func (p *proxy) question(name string, tool Tool, known bool, params, args strictjson.Value) guard.Write {
	w := guard.Write{
		Store: p.Store, Source: hearsay.Source{Type: hearsay.UnknownTag}, Namespace: p.Namespace, Kind: p.Kind,
		Op: event.Op(tool.Op), Tool: name, Texts: texts(args),
		Content: strictjson.AppendValue(nil, strictjson.Object(
			strictjson.Member{Key: "name", Value: strictjson.String(name)},
			strictjson.Member{Key: "arguments", Value: args})),
		Items: items(args, tool.Items, known),
	}
	if p.Assume {
		w.Source, w.Assumed = hearsay.Source{Type: "agent"}, true
	}
	if meta, ok := params.Get("_meta"); ok && meta.Kind() == strictjson.KindObject {
		if s, ok := meta.Get(claims + "source"); ok {
			w.Claimed.Source = hearsay.Source{Type: claimedType(s)}
		}
		if list, ok := meta.Get(claims + "parents"); ok && list.Kind() == strictjson.KindArray {
			for _, el := range list.Elements() {
				// An id that names nothing is a parent that cannot be seen.
				id, err := hearsay.ParseRecordID(el.String())
				if err != nil {
					w.Claimed.Source = hearsay.Source{Type: hearsay.UnknownTag}
					continue
				}
				w.Parents = append(w.Parents, id)
			}
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

// items lists the things that a call makes or takes out. Of a tool that nobody
// knows every text is one.
func items(args strictjson.Value, exprs []Expr, known bool) []guard.Item {
	var out []guard.Item
	if !known {
		for _, text := range texts(args) {
			out = append(out, guard.Item{Kind: "text", Parts: []string{text}})
		}
		return out
	}
	for pl := range find(args, exprs) {
		out = append(out, pl.item)
	}
	return out
}

// landed reads from an answer what was really stored.
func landed(f strictjson.Frame, tool Tool, args strictjson.Value, known bool) guard.Outcome {
	result, err := limits.Parse(f.Result)
	if f.Error != nil || err != nil {
		return guard.Outcome{Delivery: hearsay.Failed}
	}
	if failed, ok := result.Get("isError"); ok && failed.Kind() == strictjson.KindBool && failed.Bool() {
		return guard.Outcome{Delivery: hearsay.Failed}
	}
	o := guard.Outcome{Delivery: hearsay.Applied}
	structured, ok := result.Get("structuredContent")
	if tool.Landed == nil || !ok {
		o.Landed = items(args, tool.Items, known)
		return o
	}
	for pl := range find(structured, tool.Landed) {
		o.Landed = append(o.Landed, pl.item)
	}
	return o
}

// outcome seals what came of a write.
func (p *proxy) outcome(ctx context.Context, id hearsay.RecordID, o guard.Outcome) bool {
	if id.IsZero() {
		return true // the mode is off: nothing is recorded
	}
	// What happened is sealed even if the client has just left.
	err := p.Guard.Applied(context.WithoutCancel(ctx), p.Caller, id, o)
	if err != nil {
		p.Log.Error("what came of a write was not sealed", "record", id, "error", err)
	}
	return err == nil
}

// withID puts the client's id on an answer to a request of ours.
func withID(f strictjson.Frame, id []byte) []byte {
	v, err := limits.Parse(f.Raw)
	if err != nil {
		return replyError(id, codeUpstream, err.Error())
	}
	if e, ok := v.Get("error"); ok {
		b := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
		return append(strictjson.AppendValue(append(b, `,"error":`...), e), '}')
	}
	result, _ := v.Get("result")
	return reply(id, result)
}

// refusal is the ordinary tool result that tells an agent that a write was held or
// refused: its id and how many wait, never a word of the text.
func refusal(d guard.Decision, tool Tool) strictjson.Value {
	text := fmt.Sprintf("Not stored: this memory write is held for review as %s (%d waiting). A person decides with `hearsay review`. Saving it in another way will be held as well.", d.ID, max(d.Waiting, 1))
	if d.Standing == hearsay.Blocked {
		text = fmt.Sprintf("Not stored: this memory write was refused by rule %s (record %s). No review releases it.", d.Verdict.Rule.ID, d.ID)
	}
	members := []strictjson.Member{{Key: "content", Value: strictjson.Array(textBlock(text))}}
	if tool.Refused != nil {
		members = append(members, strictjson.Member{Key: "structuredContent", Value: substitute(map[string]any(tool.Refused), nil)})
	}
	return strictjson.Object(append(members, strictjson.Member{Key: "isError", Value: strictjson.Bool(false)})...)
}

func textBlock(text string) strictjson.Value {
	return strictjson.Object(strictjson.Member{Key: "type", Value: strictjson.String("text")},
		strictjson.Member{Key: "text", Value: strictjson.String(text)})
}

// scrubbed filters and marks what a memory server returns to a read.
func (p *proxy) scrubbed(ctx context.Context, id []byte, method string, params strictjson.Value) func(strictjson.Frame, error) {
	return func(f strictjson.Frame, failed error) {
		if failed != nil || f.Result == nil {
			p.through(id)(f, failed)
			return
		}
		result, err := limits.Parse(f.Result)
		if err == nil {
			result, err = p.scrub(ctx, result)
		}
		if err != nil {
			p.Log.Error("a read was kept back", "method", method, "error", err)
			p.tell(replyError(id, codeInternal, "the memories were kept back because their provenance could not be read or sealed"))
			return
		}
		p.tell(reply(id, result))
	}
}

// scrub filters a whole result: structured content first, then every text, so that
// the copies agree.
func (p *proxy) scrub(ctx context.Context, result strictjson.Value) (strictjson.Value, error) {
	if result.Kind() != strictjson.KindObject {
		return result, errors.New("the result is no object")
	}
	var left omissions
	structured, has := result.Get("structuredContent")
	if has {
		var err error
		if structured, err = p.filter(ctx, structured, &left); err != nil {
			return result, err
		}
		result = result.With("structuredContent", structured)
	}
	for _, key := range [...]string{"content", "contents", "messages"} {
		list, ok := result.Get(key)
		if !ok || list.Kind() != strictjson.KindArray {
			continue
		}
		var blocks []strictjson.Value
		for _, b := range list.Elements() {
			b, err := p.block(ctx, b, structured, has, &left)
			if err != nil {
				return result, err
			}
			blocks = append(blocks, b)
		}
		for _, line := range left.lines() {
			if key == "content" {
				blocks = append(blocks, textBlock(line))
			}
		}
		result = result.With(key, strictjson.Array(blocks...))
	}
	// What this caller may see is not what another may: no shared cache.
	if _, ok := result.Get("cacheScope"); ok {
		result = result.With("cacheScope", strictjson.String("private"))
	}
	if _, ok := result.Get("ttlMs"); ok {
		result = result.With("ttlMs", strictjson.Int(0))
	}
	return result, nil
}

// block filters one block of text. A text that is the structured content's copy is
// written anew from what is left of that; another one that is JSON is filtered like
// it; the rest is text that nobody was seen writing.
func (p *proxy) block(ctx context.Context, b, structured strictjson.Value, has bool, left *omissions) (strictjson.Value, error) {
	if b.Kind() != strictjson.KindObject {
		return b, nil
	}
	if inner, ok := b.Get("resource"); ok {
		inner, err := p.block(ctx, inner, structured, has, left)
		return b.With("resource", inner), err
	}
	if inner, ok := b.Get("content"); ok && inner.Kind() == strictjson.KindObject {
		inner, err := p.block(ctx, inner, structured, has, left)
		return b.With("content", inner), err
	}
	text, ok := b.Get("text")
	if !ok || text.Kind() != strictjson.KindString {
		return b, nil
	}
	v, err := limits.Parse([]byte(text.String()))
	if err != nil || v.Kind() != strictjson.KindObject {
		shown, err := p.plain(ctx, text.String(), left)
		return b.With("text", strictjson.String(shown)), err
	}
	if has {
		return b.With("text", strictjson.String(string(strictjson.AppendValue(nil, structured)))), nil
	}
	v, err = p.filter(ctx, v, left)
	if err != nil {
		return b, err
	}
	return b.With("text", strictjson.String(string(strictjson.AppendValue(nil, v)))), nil
}

// plain handles a text without known structure.
func (p *proxy) plain(ctx context.Context, text string, left *omissions) (string, error) {
	got, err := p.Guard.Recall(ctx, p.Caller, p.Store, []guard.Item{{Kind: "text", Parts: []string{text}}})
	if err != nil {
		return "", err
	}
	left.add(got)
	if got.Items[0].Show != guard.Pass {
		return "", nil
	}
	return mark.Text(p.Nonce, got.Items[0].Label.Origin, text), nil
}

// omissions gathers what was left out of an answer.
type omissions struct {
	hidden  int
	omitted []hearsay.RecordID
}

func (o *omissions) add(r guard.Recalled) {
	o.hidden = max(o.hidden, r.Hidden)
	for _, id := range r.Omitted {
		if !slices.Contains(o.omitted, id) {
			o.omitted = append(o.omitted, id)
		}
	}
}

// lines announces what was left out: how many, and ids, never a word of it.
func (o *omissions) lines() []string {
	var ids []string
	for _, id := range o.omitted {
		ids = append(ids, id.String())
	}
	return slices.DeleteFunc([]string{mark.Omitted(len(ids), ids), mark.Withheld(o.hidden)}, func(s string) bool { return s == "" })
}

// filter takes out what may not be shown and marks the rest.
func (p *proxy) filter(ctx context.Context, v strictjson.Value, left *omissions) (strictjson.Value, error) {
	if len(p.Profile.Results) == 0 {
		return p.filterTexts(ctx, v, left)
	}
	places := slices.Collect(find(v, p.Profile.Results))
	asked := make([]guard.Item, len(places))
	for i, pl := range places {
		asked[i] = pl.item
	}
	got, err := p.Guard.Recall(ctx, p.Caller, p.Store, asked)
	if err != nil {
		return v, err
	}
	left.add(got)
	drop := make(map[string]bool)
	shown := make(map[string]place)
	origin := make(map[string]hearsay.Origin)
	for i, pl := range places {
		at := pl.path
		if pl.expr.Holds {
			at = pl.over
		}
		switch {
		case got.Items[i].Show != guard.Pass:
			drop[at] = true
		case !pl.expr.Holds:
			shown[at], origin[at] = pl, got.Items[i].Label.Origin
			for _, name := range pl.expr.Inline {
				leaf := joinPath(at, name)
				shown[leaf], origin[leaf] = place{expr: &Expr{Short: true}}, got.Items[i].Label.Origin
			}
		}
	}
	out, keep := strictjson.Rewrite(v, func(path strictjson.Path, v strictjson.Value) (strictjson.Value, bool) {
		at := pathString(path)
		if drop[at] {
			// A member cannot go without breaking the shape that the tool promises.
			if v.Kind() == strictjson.KindString && len(path) > 0 && path[len(path)-1].Key.Kind() == strictjson.KindString {
				return strictjson.String(""), true
			}
			return v, false
		}
		pl, ok := shown[at]
		if !ok || v.Kind() != strictjson.KindString {
			return v, true
		}
		if pl.expr.Short {
			if origin[at] == hearsay.External {
				return strictjson.String(mark.Inline(p.Nonce, mark.Defang(v.String()))), true
			}
			return v, true
		}
		return strictjson.String(mark.Text(p.Nonce, origin[at], v.String())), true
	})
	if !keep {
		return strictjson.Null(), nil
	}
	return out, nil
}

// filterTexts handles a structure that nobody knows: each text is one thing.
func (p *proxy) filterTexts(ctx context.Context, v strictjson.Value, left *omissions) (strictjson.Value, error) {
	var asked []guard.Item
	for _, text := range texts(v) {
		asked = append(asked, guard.Item{Kind: "text", Parts: []string{text}})
	}
	got, err := p.Guard.Recall(ctx, p.Caller, p.Store, asked)
	if err != nil {
		return v, err
	}
	left.add(got)
	known := make(map[string]guard.RecalledItem, len(asked))
	for i, it := range asked {
		known[it.Parts[0]] = got.Items[i]
	}
	out, _ := strictjson.Rewrite(v, func(_ strictjson.Path, v strictjson.Value) (strictjson.Value, bool) {
		if v.Kind() != strictjson.KindString {
			return v, true
		}
		it := known[v.String()]
		if it.Show != guard.Pass {
			return strictjson.String(""), true
		}
		return strictjson.String(mark.Text(p.Nonce, it.Label.Origin, v.String())), true
	})
	return out, nil
}
