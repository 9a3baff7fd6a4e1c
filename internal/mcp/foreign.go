package mcp

import (
	"context"
	"fmt"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
)

// foreign says what a text of the memory server that no record explains could be made
// of.
type foreign uint8

const (
	nothingForeign foreign = iota
	withheldOnly           // texts that were held, and as far as was seen never got into the store
	inStore                // texts in the store that are tainted, withdrawn or another principal's
)

// foreignText tells what the store could show the caller. It is cheap while the log
// stands still, and once there is something in the store it stays so: a text that was
// taken out may live on in a summary.
func (p *proxy) foreignText(ctx context.Context) (foreign, error) {
	head, err := p.Guard.Store().Head(ctx)
	if err != nil {
		return inStore, fmt.Errorf("what the store holds cannot be told: %w", err)
	}
	size := head.Frontier.Size()
	p.mu.Lock()
	level, at := p.foreign, p.foreignAt
	p.mu.Unlock()
	if level == inStore || at == size {
		return level, nil
	}
	level = nothingForeign
	for r, err := range p.Guard.List(ctx, guard.Query{Match: func(r *event.Record) bool { return r.Store == p.Store }}) {
		if err != nil {
			return inStore, fmt.Errorf("what the store holds cannot be told: %w", err)
		}
		if level = max(level, foreignIn(r, p.Caller.Principal, p.Profile.exact)); level == inStore {
			break
		}
	}
	p.mu.Lock()
	p.foreign, p.foreignAt = level, size
	p.mu.Unlock()
	return level, nil
}

// foreignIn tells it of one record. A server that does not say what it stored may have
// stored a part of what it then called an error.
func foreignIn(r *event.Record, principal string, exact bool) foreign {
	mine := r.Principal == principal
	if mine && r.Standing.Visible() && !r.Label.Tainted() {
		return nothingForeign
	}
	if r.Delivery == hearsay.Undelivered || r.Delivery == hearsay.Failed && exact {
		return withheldOnly
	}
	return inStore
}

// unfiltered lets text through that cannot be filtered or marked: where it could hold
// something foreign, the session is tainted first.
func (p *proxy) unfiltered(ctx context.Context, caller hearsay.Caller, ref string) error {
	level, err := p.foreignText(ctx)
	if err != nil || level != inStore {
		return err
	}
	// Marked: whatever the operator thinks of this server, what is in its store
	// is not all of it their own.
	_, err = p.Guard.Observe(ctx, caller, guard.Observation{Source: p.source(ref), Tool: ref, Marked: true})
	return err
}
