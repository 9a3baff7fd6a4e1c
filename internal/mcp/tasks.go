package mcp

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// watch carries out what people decided while the server runs, and, first, what was
// left open before.
func (p *proxy) watch(ctx context.Context) {
	select {
	case <-p.ready:
	case <-ctx.Done():
		return
	}
	tick := time.NewTicker(p.Poll)
	defer tick.Stop()
	seen := int64(-1)
	for {
		if head, err := p.Guard.Store().Head(ctx); err == nil && head.Frontier.Size() != seen {
			done := make(chan error, 1)
			if !p.queue(ctx, func() { done <- p.tasks(ctx) }) {
				return
			}
			select {
			case err := <-done:
				if err != nil && ctx.Err() == nil {
					p.Log.Warn("what was decided could not be carried out; it will be tried again", "error", err)
				} else {
					seen = head.Frontier.Size()
				}
			case <-ctx.Done():
				return
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// tasks applies released records, looks for writes whose outcome nobody sealed, and
// takes out what was withdrawn. The store's lock tells what is under way elsewhere
// from what was left open.
func (p *proxy) tasks(ctx context.Context) (err error) {
	open, err := p.Guard.Tasks(ctx, p.Caller, p.Store)
	if err != nil || len(open) == 0 {
		return err
	}
	unlock, err := p.lock(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if open, err = p.Guard.Tasks(ctx, p.Caller, p.Store); err != nil {
		return err
	}
	var errs []error
	for _, t := range open {
		switch {
		case t.Withdraw:
			err = p.withdraw(ctx, t)
		case t.Begun:
			err = p.lookFor(ctx, t)
		default:
			err = p.apply(ctx, t)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("record %s: %w", t.Record.ID, err))
		}
	}
	return errors.Join(errs...)
}

// held takes a record's exact bytes apart.
func (p *proxy) held(t guard.Task) (params, args strictjson.Value, tool Tool, known bool, err error) {
	params, err = limits.Parse(t.Content)
	if err != nil {
		return params, args, tool, false, err
	}
	name, ok := params.Get("name")
	args, has := params.Get("arguments")
	if !ok || !has || name.Kind() != strictjson.KindString {
		return params, args, tool, false, errors.New("its content is no call of a tool")
	}
	tool, known = p.Profile.Tools[name.String()]
	return params, args, tool, known, nil
}

// apply carries out a released write, once.
func (p *proxy) apply(ctx context.Context, t guard.Task) error {
	params, args, tool, known, err := p.held(t)
	if err != nil {
		return err
	}
	if err := p.Guard.Begin(ctx, p.Caller, t.Record.ID); err != nil {
		return err
	}
	wait, cancel := context.WithTimeout(ctx, p.Wait)
	defer cancel()
	f, err := p.call(wait, "tools/call", params)
	o := guard.Outcome{Delivery: hearsay.UnknownDelivery}
	if err == nil {
		o = landed(f, tool, args, known)
	}
	p.outcome(ctx, t.Record.ID, o)
	return err
}

// lookFor reads back whether a write landed that somebody began.
func (p *proxy) lookFor(ctx context.Context, t guard.Task) error {
	_, args, tool, known, err := p.held(t)
	if err != nil {
		return err
	}
	have, err := p.readBack(ctx)
	if err != nil {
		return err
	}
	o := guard.Outcome{Delivery: hearsay.UnknownDelivery}
	wanted := items(args, tool.Items, known)
	found := 0
	for _, it := range wanted {
		if _, there := have[p.Guard.ItemKey(p.Store, it)]; there != (t.Record.Op == event.Delete) {
			found++
		}
	}
	if p.Profile.Readback != nil && len(wanted) > 0 && found == len(wanted) {
		o = guard.Outcome{Delivery: hearsay.Applied, Landed: wanted}
	}
	if o.Delivery == t.Record.Delivery {
		return nil // it was not known before either
	}
	return p.Guard.Applied(ctx, p.Caller, t.Record.ID, o)
}

// withdraw takes out what a record put into the memory.
func (p *proxy) withdraw(ctx context.Context, t guard.Task) error {
	_, args, tool, known, err := p.held(t)
	if err != nil {
		return err
	}
	var mine []guard.Item
	for _, it := range items(args, tool.Items, known) {
		key := p.Guard.ItemKey(p.Store, it)
		speak, err := p.Guard.Store().Items(ctx, [][32]byte{key})
		if err != nil {
			return err
		}
		for _, s := range speak[key] {
			if s.Record == t.Record.ID && s.State == guard.ItemLanded {
				mine = append(mine, it)
			}
		}
	}
	for _, late := range [...]bool{false, true} {
		for _, it := range mine {
			undo, ok := p.Profile.Undo[it.Kind]
			if !ok || (undo.Unless != "") != late {
				continue
			}
			if late {
				keep, err := p.inUse(ctx, it, undo)
				if err != nil {
					return err
				}
				if keep {
					continue
				}
			}
			wait, cancel := context.WithTimeout(ctx, p.Wait)
			f, err := p.call(wait, "tools/call", toolCall(undo, it.Parts))
			cancel()
			if err != nil {
				return err
			}
			if f.Error != nil {
				return errors.New("the memory server refused to take it out")
			}
		}
	}
	return p.Guard.Applied(ctx, p.Caller, t.Record.ID, guard.Outcome{Delivery: hearsay.Withdrawn, Landed: mine})
}

// inUse reports whether something that others wrote still hangs on a name.
func (p *proxy) inUse(ctx context.Context, it guard.Item, undo Call) (bool, error) {
	v, err := p.readStore(ctx)
	if err != nil {
		return false, err
	}
	for pl := range find(v, p.Profile.Results) {
		if pl.expr.At == undo.Unless && pl.item.Parts[0] == it.Parts[0] {
			return true, nil
		}
	}
	return false, nil
}

// readBack returns the keys of everything that the memory server has.
func (p *proxy) readBack(ctx context.Context) (map[[32]byte]struct{}, error) {
	have := make(map[[32]byte]struct{})
	if p.Profile.Readback == nil {
		return have, nil
	}
	v, err := p.readStore(ctx)
	if err != nil {
		return nil, err
	}
	for pl := range find(v, p.Profile.Results) {
		have[p.Guard.ItemKey(p.Store, pl.item)] = struct{}{}
	}
	return have, nil
}

// readStore asks the memory server for all it has.
func (p *proxy) readStore(ctx context.Context) (strictjson.Value, error) {
	if p.Profile.Readback == nil {
		return strictjson.Object(), nil
	}
	wait, cancel := context.WithTimeout(ctx, p.Wait)
	defer cancel()
	f, err := p.call(wait, "tools/call", toolCall(*p.Profile.Readback, nil))
	if err != nil {
		return strictjson.Null(), err
	}
	result, err := limits.Parse(f.Result)
	if err != nil || f.Error != nil {
		return strictjson.Null(), errors.New("the memory server cannot be read back")
	}
	v, ok := result.Get("structuredContent")
	if !ok {
		return strictjson.Null(), errors.New("the memory server gives no structured answer to read back")
	}
	return v, nil
}

// toolCall makes the parameters of a call of a profile.
func toolCall(c Call, parts []string) strictjson.Value {
	return strictjson.Object(
		strictjson.Member{Key: "name", Value: strictjson.String(c.Tool)},
		strictjson.Member{Key: "arguments", Value: substitute(c.Arguments, parts)})
}
