package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
		case t.Withdraw && p.stuck[t.Record.ID]:
			continue
		case t.Withdraw:
			if err = p.withdraw(ctx, t); errors.Is(err, errStays) {
				p.stuck[t.Record.ID] = true
				p.warn("stays "+t.Record.ID.String(), "a record was withdrawn and its text is still in the store", "record", t.Record.ID, "error", err)
				err = nil
			}
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
func (p *proxy) held(t guard.Task) (toolCall, error) {
	params, err := limits.Parse(t.Content)
	if err != nil {
		return toolCall{}, err
	}
	return p.toolCall(nil, params)
}

// apply carries out a released write, once.
func (p *proxy) apply(ctx context.Context, t guard.Task) error {
	c, err := p.held(t)
	if err != nil {
		return err
	}
	if c.tool.Op == opDelete {
		if err := p.lookBefore(ctx, &c); err != nil {
			return err
		}
	}
	if err := p.Guard.Begin(ctx, p.Caller, t.Record.ID); err != nil {
		return err
	}
	wait, cancel := context.WithTimeout(ctx, p.Wait)
	defer cancel()
	f, err := p.call(wait, "tools/call", c.params)
	o := guard.Outcome{Delivery: hearsay.UnknownDelivery}
	if err == nil {
		o = p.landed(f, c)
	}
	p.outcome(ctx, t.Record.ID, o)
	return err
}

// lookFor reads back whether a write landed that somebody began.
func (p *proxy) lookFor(ctx context.Context, t guard.Task) error {
	c, err := p.held(t)
	if err != nil {
		return err
	}
	have, err := p.readBack(ctx)
	if err != nil {
		return err
	}
	o := guard.Outcome{Delivery: hearsay.UnknownDelivery}
	wanted := p.items(c)
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

// withdraw takes out what a record put into the memory, names last: they are taken
// out only while nothing of others hangs on them.
func (p *proxy) withdraw(ctx context.Context, t guard.Task) error {
	c, err := p.held(t)
	if err != nil {
		return err
	}
	mine, err := p.owned(ctx, t.Record.ID, p.items(c))
	if err != nil {
		return err
	}
	switch {
	case len(mine) == 0:
	case c.known && c.tool.Undo != nil:
		if mine, err = p.takeBack(ctx, t.Record.ID, c, mine); err != nil {
			return err
		}
	case len(p.Profile.Undo) == 0:
		return stays("the memory server cannot take it out")
	}
	for _, late := range [...]bool{false, true} {
		for _, it := range mine {
			undo, ok := p.Profile.Undo[it.Kind]
			if !ok || (len(undo.Unless) > 0) != late {
				continue
			}
			if err := p.takeOut(ctx, it, undo); err != nil {
				return err
			}
		}
	}
	return p.Guard.Applied(ctx, p.Caller, t.Record.ID, guard.Outcome{Delivery: hearsay.Withdrawn, Landed: mine})
}

// owned returns those of the items that this record put there: it was seen to land,
// and no record that stands was seen to before it.
func (p *proxy) owned(ctx context.Context, id hearsay.RecordID, all []guard.Item) ([]guard.Item, error) {
	var mine []guard.Item
	for _, it := range all {
		key := p.Guard.ItemKey(p.Store, it)
		speak, err := p.Guard.Store().Items(ctx, [][32]byte{key})
		if err != nil {
			return nil, err
		}
		for _, s := range speak[key] {
			if s.State != guard.ItemLanded {
				continue
			}
			if s.Record == id {
				mine = append(mine, it)
				break
			}
			shown, err := p.Guard.Show(ctx, s.Record)
			if err != nil {
				return nil, err
			}
			if shown.Record.Standing.Visible() {
				break
			}
		}
	}
	return mine, nil
}

// takeOut takes one item out, unless something of others hangs on it.
func (p *proxy) takeOut(ctx context.Context, it guard.Item, undo Call) error {
	if len(undo.Unless) > 0 {
		keep, err := p.inUse(ctx, it, undo)
		if err != nil || keep {
			return err
		}
	}
	wait, cancel := context.WithTimeout(ctx, p.Wait)
	defer cancel()
	f, err := p.call(wait, "tools/call", callOf(undo, it.Parts))
	if err != nil {
		return err
	}
	result, err := limits.Parse(f.Result)
	if f.Error != nil || err != nil || isError(result) {
		return errors.New("the memory server refused to take it out")
	}
	return nil
}

// inUse reports whether something that others wrote still hangs on a name.
func (p *proxy) inUse(ctx context.Context, it guard.Item, undo Call) (bool, error) {
	v, err := p.readStore(ctx)
	if err != nil {
		return false, err
	}
	for pl := range find(v, p.Profile.Results) {
		if slices.Contains(undo.Unless, pl.expr.At) && pl.item.Parts[0] == it.Parts[0] {
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
	f, err := p.call(wait, "tools/call", callOf(*p.Profile.Readback, nil))
	if err != nil {
		return strictjson.Null(), err
	}
	result, err := limits.Parse(f.Result)
	if err != nil || f.Error != nil || isError(result) {
		return strictjson.Null(), errors.New("the memory server cannot be read back")
	}
	v, ok := result.Get("structuredContent")
	if !ok {
		return strictjson.Null(), errors.New("the memory server gives no structured answer to read back")
	}
	return v, nil
}

// callOf makes the parameters of a call that a profile describes.
func callOf(c Call, parts []string) strictjson.Value {
	return strictjson.Object(
		strictjson.Member{Key: "name", Value: strictjson.String(c.Tool)},
		strictjson.Member{Key: "arguments", Value: substitute(c.Arguments, parts)})
}
