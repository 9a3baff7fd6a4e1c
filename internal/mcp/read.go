package mcp

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/mcp/wire"
	"github.com/hearsay-memory/hearsay/internal/strictjson"
	"github.com/hearsay-memory/hearsay/mark"
)

// errUnreadable keeps back what cannot be taken apart.
var errUnreadable = errors.New("the result cannot be taken apart, so what must not be shown cannot be taken out of it")

// scrubbed filters and marks what a memory server returns to a read of the caller's.
func (p *proxy) scrubbed(ctx context.Context, caller hearsay.Caller, id []byte, method string, params strictjson.Value) func(strictjson.Frame, error) {
	return p.scrub(reading{proxy: p, caller: caller, ctx: ctx, params: params}, id, method)
}

func (p *proxy) scrub(r reading, id []byte, method string) func(strictjson.Frame, error) {
	return func(f strictjson.Frame, failed error) {
		if failed != nil {
			p.unanswered(id, failed)
			return
		}
		if f.Error != nil {
			p.tell(p.scrubError(r.ctx, id, f, r.params))
			return
		}
		result, err := limits.Parse(f.Result)
		if err == nil {
			result, err = r.result(result)
		}
		if err != nil {
			p.Log.Error("a read was kept back", "method", method, "error", err)
			p.tell(wire.ReplyError(id, wire.CodeInternal, "the memories were kept back because their provenance could not be read or sealed"))
			return
		}
		p.tell(reply(id, result))
	}
}

// reading is the result of one request on its way to the client.
type reading struct {
	*proxy
	caller     hearsay.Caller // whose session takes it in
	ctx        context.Context
	params     strictjson.Value
	depth      int              // of JSON in a text in JSON
	answer     bool             // to a change, of a tool that is known
	asked      map[string]bool  // texts of the request, see isOwn
	original   strictjson.Value // the structured content as it came
	structured strictjson.Value // what is left of it
	has        bool             // there is some
	left       omissions
}

// result filters a whole result: structured content first, then every text, so that
// the copies agree.
func (r *reading) result(result strictjson.Value) (strictjson.Value, error) {
	if result.Kind() != strictjson.KindObject {
		return result, errUnreadable
	}
	if isError(result) {
		return r.failure(result)
	}
	var err error
	if r.original, r.has = result.Get("structuredContent"); r.has {
		if r.structured, err = r.filter(r.original); err != nil {
			return result, err
		}
		result = result.With("structuredContent", r.structured)
	}
	for key, v := range result.Members() {
		switch key {
		case "structuredContent", "isError", "resultType", "_meta", "nextCursor":
		case "cacheScope":
			// What this caller may see is not what another may: no shared cache.
			result = result.With(key, strictjson.String("private"))
		case "ttlMs":
			result = result.With(key, strictjson.Int(0))
		case "content", "contents", "messages":
			if v, err = r.blocks(key, v); err != nil {
				return result, err
			}
			result = result.With(key, v)
		default:
			if err := r.unfiltered(r.ctx, r.caller, "result"); err != nil {
				return result, err
			}
		}
	}
	return result, nil
}

// blocks filters a list of blocks and announces at its end what was left out: numbers
// and ids, never a word of it.
func (r *reading) blocks(key string, list strictjson.Value) (strictjson.Value, error) {
	if list.Kind() != strictjson.KindArray {
		return list, errUnreadable
	}
	var out []strictjson.Value
	uri := strictjson.Value{}
	for _, b := range list.Elements() {
		uri, _ = b.Get("uri")
		b, err := r.block(b)
		if err != nil {
			return list, err
		}
		out = append(out, b)
	}
	for _, line := range r.left.lines() {
		switch {
		case key == "content":
			out = append(out, textBlock(line))
		case key == "contents" && uri.Kind() == strictjson.KindString:
			out = append(out, strictjson.Object(
				strictjson.Member{Key: "uri", Value: uri},
				strictjson.Member{Key: "mimeType", Value: strictjson.String("text/plain")},
				strictjson.Member{Key: "text", Value: strictjson.String(line)}))
		}
	}
	return strictjson.Array(out...), nil
}

// lines says what was left out.
func (o *omissions) lines() []string {
	var ids []string
	for _, id := range o.omitted {
		ids = append(ids, id.String())
	}
	return slices.DeleteFunc([]string{mark.Omitted(len(ids), ids), mark.Withheld(o.hidden)}, func(s string) bool { return s == "" })
}

// block filters one block. What is no text (a blob, an image, a link's title) cannot
// be filtered.
func (r *reading) block(b strictjson.Value) (strictjson.Value, error) {
	if b.Kind() != strictjson.KindObject {
		return b, errUnreadable
	}
	for key, v := range b.Members() {
		var err error
		switch {
		case key == "text" && v.Kind() == strictjson.KindString:
			var shown string
			if shown, err = r.text(v.String()); err == nil {
				b = b.With(key, strictjson.String(shown))
			}
		case (key == "resource" || key == "content") && v.Kind() == strictjson.KindObject:
			if v, err = r.block(v); err == nil {
				b = b.With(key, v)
			}
		case key == "type", key == "mimeType", key == "role", key == "uri", key == "annotations", key == "_meta":
		default:
			err = r.unfiltered(r.ctx, r.caller, "content")
		}
		if err != nil {
			return b, err
		}
	}
	return b, nil
}

// text filters a text. One that is the structured content's copy is written anew from
// what is left of that; another one that is JSON is filtered like it; the rest is text
// that nobody was seen writing.
func (r *reading) text(text string) (string, error) {
	if shown, ok := r.copied(text); ok {
		return shown, nil
	}
	if t := strings.TrimSpace(text); t == "" || t[0] != '{' && t[0] != '[' {
		return r.plain(text)
	}
	v, err := limits.Parse([]byte(text))
	if err != nil {
		if len(r.Profile.Results) > 0 {
			return "", errUnreadable // a copy of the store that no two readers need to read alike
		}
		return r.plain(text)
	}
	if r.has && v.Kind() == strictjson.KindObject && !r.wrapped() {
		return string(strictjson.AppendValue(nil, r.structured)), nil
	}
	if v, err = r.filter(v); err != nil {
		return "", err
	}
	return string(strictjson.AppendValue(nil, v)), nil
}

// plain handles a text without known structure.
func (r *reading) plain(text string) (string, error) {
	pr, pieces := r.prose(text)
	got, err := r.Guard.Recall(r.ctx, r.caller, r.Store, append([]guard.Item{{Kind: textItem, Parts: []string{text}}}, pr.items...))
	if err != nil {
		return "", err
	}
	if pieces && !explained(got.Items[0]) {
		shown, withheld, err := r.tell(pr, got.Items[1:])
		got.Hidden = withheld
		r.left.add(got)
		return shown, err
	}
	got.Hidden = 0
	if got.Items[0].Show == guard.Hide {
		got.Hidden = 1
	}
	r.left.add(got)
	if got.Items[0].Show != guard.Pass {
		return "", nil
	}
	it, err := r.unseen(got.Items[0], text)
	if err != nil || it.Show != guard.Pass {
		return "", err
	}
	return mark.Text(r.Nonce, it.Label.Origin, text), nil
}

// unseen completes what is known of a text that is no thing of a known kind. Nobody was
// seen writing it as it stands; it could be made of anything in the store. What a change
// is answered with is not worth that: there such a text is left out.
func (r *reading) unseen(it guard.RecalledItem, text string) (guard.RecalledItem, error) {
	if explained(it) || isID(text) {
		return it, nil
	}
	level, err := r.foreignText(r.ctx)
	if err != nil || level != inStore {
		return it, err
	}
	if r.answer {
		it.Show = guard.Omit
		return it, nil
	}
	it.Label.Origin = hearsay.External
	return it, r.unfiltered(r.ctx, r.caller, "text")
}

// keptBack stands for the text of an error that could hold what must not be shown.
const keptBack = "The memory server reported an error. Its text is kept back, because it could repeat what is not shown."

// failure handles a result that is an error.
func (r *reading) failure(result strictjson.Value) (strictjson.Value, error) {
	list, _ := result.Get("content")
	plain := true
	for _, b := range list.Elements() {
		text, _ := b.Get("text")
		ok, err := r.harmless(r.ctx, text.String(), r.params)
		if err != nil {
			return result, err
		}
		plain = plain && ok && text.Kind() == strictjson.KindString && b.Len() == 2
	}
	if plain {
		return strictjson.Object(
			strictjson.Member{Key: "content", Value: list},
			strictjson.Member{Key: "isError", Value: strictjson.Bool(true)}), nil
	}
	return strictjson.Object(
		strictjson.Member{Key: "content", Value: strictjson.Array(textBlock(keptBack))},
		strictjson.Member{Key: "isError", Value: strictjson.Bool(true)}), nil
}

// scrubError handles an error of the protocol: the same rule, and its data go.
func (p *proxy) scrubError(ctx context.Context, id []byte, f strictjson.Frame, params strictjson.Value) []byte {
	e, err := limits.Parse(f.Error)
	text, _ := e.Get("message")
	if err == nil {
		var ok bool
		if ok, err = p.harmless(ctx, text.String(), params); err == nil && ok && e.Len() == 2 {
			return withID(f, id)
		}
	}
	if err != nil {
		p.Log.Error("the text of an error was kept back", "error", err)
	}
	return wire.ReplyError(id, codeUpstream, keptBack)
}

// harmless reports whether the text of an error may be shown: there is nothing in or
// before the store that it could repeat, or it is one of those that the profile
// knows, and repeats the request alone.
func (p *proxy) harmless(ctx context.Context, text string, params strictjson.Value) (bool, error) {
	args, _ := params.Get("arguments")
	for _, known := range p.Profile.Errors {
		before, after, _ := strings.Cut(known, "*")
		rest, begins := strings.CutPrefix(text, before)
		repeated, ends := strings.CutSuffix(rest, after)
		if begins && ends && slices.Contains(texts(args), repeated) {
			return true, nil
		}
	}
	level, err := p.foreignText(ctx)
	return level == nothingForeign, err
}
