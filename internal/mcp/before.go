package mcp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// lookBefore has the server show what a call is about to change. Records that put it there
// are the parents of a change; of a deletion it tells what goes, and whose it is. What the
// server shows goes no further. That nothing is there is an answer.
func (p *proxy) lookBefore(ctx context.Context, c *toolCall) error {
	if !c.known || c.tool.Before == nil {
		return nil
	}
	where := fill(c.tool.Before.Where, c.args)
	if c.tool.Op != opDelete && where.Len() < len(c.tool.Before.Where) {
		return nil // it names nothing that is there
	}
	wait, cancel := context.WithTimeout(ctx, p.Wait)
	defer cancel()
	f, err := p.call(wait, "tools/call", strictjson.Object(
		strictjson.Member{Key: "name", Value: strictjson.String(c.tool.Before.Tool)},
		strictjson.Member{Key: "arguments", Value: fill(c.tool.Before.Arguments, c.args)}))
	if err != nil {
		return err
	}
	result, err := limits.Parse(f.Result)
	if f.Error != nil || err == nil && isError(result) {
		return nil
	}
	if err != nil {
		return errors.New("the memory server's answer cannot be read")
	}
	shown := p.shown(result, where)
	c.takes = len(shown) > 0
	keys := make([][32]byte, len(shown))
	for i, it := range shown {
		keys[i] = p.Guard.ItemKey(p.Store, it)
	}
	known, err := p.Guard.Store().Items(ctx, keys)
	if err != nil {
		return fmt.Errorf("the records of it cannot be read: %w", err)
	}
	seen := make(map[hearsay.RecordID]bool)
	for i, key := range keys {
		there := false
		for _, it := range known[key] {
			if it.State != guard.ItemLanded {
				continue
			}
			there = true
			if c.tool.Op != opDelete && !seen[it.Record] {
				seen[it.Record] = true
				c.changes = append(c.changes, it.Record)
			}
		}
		if there && c.tool.Op == opDelete {
			c.gone = append(c.gone, shown[i])
		}
	}
	return nil
}

// shown lists the texts of an answer, with where those of the objects that have all its members.
func (p *proxy) shown(result, where strictjson.Value) []guard.Item {
	var all []strictjson.Value
	if v, ok := result.Get("structuredContent"); ok {
		all = append(all, v)
	}
	blocks, _ := result.Get("content")
	for _, b := range blocks.Elements() {
		text, _ := b.Get("text")
		all = append(all, text)
	}
	v := strictjson.Array(all...)
	if where.Len() > 0 {
		v = selected(v, where, maxInner)
	}
	return keptTexts(strictjson.Object(strictjson.Member{Key: "shown", Value: v}), Tool{}, p.Profile.Lines)
}

// selected gives the objects in v, and in texts of it that are JSON, that have all members
// of want.
func selected(v, want strictjson.Value, depth int) strictjson.Value {
	var out []strictjson.Value
	strictjson.Rewrite(v, func(_ strictjson.Path, v strictjson.Value) (strictjson.Value, bool) {
		if v.Kind() == strictjson.KindString && depth > 0 {
			if inner, ok := container(v.String()); ok {
				out = append(out, selected(inner, want, depth-1))
			}
		}
		if v.Kind() == strictjson.KindObject {
			all := true
			for k, w := range want.Members() {
				have, ok := v.Get(k)
				all = all && ok && have.Kind() == strictjson.KindString && have.String() == w.String()
			}
			if all {
				out = append(out, v)
			}
		}
		return v, true
	})
	return strictjson.Array(out...)
}

// fill puts the call's arguments for $NAME in a template. A member whose argument the call
// does not have is left out.
func fill(t map[string]any, args strictjson.Value) strictjson.Value {
	var members []strictjson.Member
	for _, k := range slices.Sorted(maps.Keys(t)) {
		v := substitute(t[k], nil)
		if text, ok := t[k].(string); ok && strings.HasPrefix(text, "$") {
			if v, ok = args.Get(text[1:]); !ok {
				continue
			}
		}
		members = append(members, strictjson.Member{Key: k, Value: v})
	}
	return strictjson.Object(members...)
}

// ingested gives the sources of what the server takes in by itself at this call. A tool
// that does so and names nothing takes in nobody knows what.
func ingested(c toolCall) []hearsay.Source {
	if !c.known || len(c.tool.Ingests) == 0 {
		return nil
	}
	var out []hearsay.Source
	for _, arg := range slices.Sorted(maps.Keys(c.tool.Ingests)) {
		v, ok := c.args.Get(arg)
		if !ok {
			continue
		}
		for s := range v.Strings() {
			out = append(out, hearsay.Source{Type: c.tool.Ingests[arg], Ref: clip(s.String())})
		}
	}
	if out == nil {
		return []hearsay.Source{{Type: hearsay.UnknownTag, Ref: clip(c.name)}}
	}
	return out
}
