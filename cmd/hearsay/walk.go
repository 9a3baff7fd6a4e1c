package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// walk is one person going through the queue. A decision is sealed when the next one
// is made or the walk ends, so that the last one can be taken back: once sealed it is
// in the log for good.
type walk struct {
	in      *instance.Instance
	unlock  func() (*reviewer.Signer, error) // asks for the passphrase
	keys    asker
	screen  *term.Printer
	signer  *reviewer.Signer // nil until the first decision
	queue   []hearsay.RecordID
	note    string   // for the next decision
	pending *pending // made and not sealed
	quit    bool
	sealed  int
	failed  failures
}

// asker is the person's side of a [term.TTY].
type asker interface {
	ReadKey() (term.Key, error)
	Ask(prompt string) (string, error)
}

// pending is a decision that can still be taken back.
type pending struct {
	at   int // in the queue
	item item
	choice
}

// reviewWalk walks the queue on the terminal.
func (a *app) reviewWalk(ctx context.Context, s *signing) error {
	in, err := a.open(ctx, false)
	if err != nil {
		return err
	}
	defer in.Close()
	var p person
	defer p.close()
	queue, err := reviewQueue(ctx, in, nowMS())
	if err != nil {
		return err
	}
	if len(queue) == 0 {
		a.printer().Println("Nothing is held, and no question waits.")
		return nil
	}
	keys, err := p.terminal()
	if err != nil {
		return fmt.Errorf("review shows held text to people only: %w; `hearsay review list` lists ids", err)
	}
	screen, err := p.printer()
	if err != nil {
		return err
	}
	sealed, err := throughQueue(ctx, in, queue, keys, screen, func() (*reviewer.Signer, error) { return s.unlock(in, &p) })
	a.printer().Printf("%d of %d decided.\n", sealed, len(queue))
	return err
}

// errBrokenOff is returned where the person broke off, or the terminal went away.
var errBrokenOff = errors.New("broken off")

// throughQueue walks a person through a queue: it shows each item on the screen, takes keys, and
// unlocks their key at the first decision. It returns how many decisions were sealed. The
// error is [errBrokenOff] where the person broke off, or tells how many of the items could
// not be shown or decided.
func throughQueue(ctx context.Context, in *instance.Instance, queue []hearsay.RecordID, keys asker, screen *term.Printer, unlock func() (*reviewer.Signer, error)) (sealed int, err error) {
	w := &walk{in: in, queue: queue, keys: keys, screen: screen, unlock: unlock}
	err = w.run(ctx)
	if w.signer != nil {
		w.signer.Wipe()
	}
	if err == nil {
		err = w.failed.err(fmt.Sprintf("%d item(s) could not be shown or decided", w.failed.n))
	}
	return w.sealed, err
}

// run shows one card after the other until the end or q. Where the person breaks
// off, or the terminal goes away, the decision that is not sealed yet is dropped and
// what it is about stays held.
func (w *walk) run(ctx context.Context) error {
	for at := 0; at < len(w.queue) || w.pending != nil && !w.quit; {
		next, err := w.step(ctx, at)
		if err != nil {
			if w.pending != nil {
				w.screen.Printf("\nNot sealed, still held: %s\n", w.pending.item.id())
			}
			if errors.Is(err, term.ErrInterrupted) || errors.Is(err, io.EOF) {
				return errBrokenOff
			}
			return err
		}
		at = next
	}
	w.seal(ctx)
	return nil
}

// step shows the card at a place of the queue; behind the last one it offers to take
// the last decision back, as nothing follows that would.
func (w *walk) step(ctx context.Context, at int) (next int, err error) {
	if at < len(w.queue) {
		return w.card(ctx, at)
	}
	w.screen.Printf("That was all.  %sany other key ends ", w.undoHint())
	key, err := w.keys.ReadKey()
	if err != nil {
		return 0, err
	}
	w.screen.Println("")
	if key == 'u' || key == 'U' {
		return w.undo(), nil
	}
	w.quit = true
	return at, nil
}

// undo drops the decision that is not sealed yet and returns its place.
func (w *walk) undo() int {
	at := w.pending.at
	w.pending = nil
	return at
}

// card shows what stands at a place of the queue, takes keys, and returns the place to
// go on at.
func (w *walk) card(ctx context.Context, at int) (next int, err error) {
	it, err := loadItem(ctx, w.in, w.queue[at])
	if err != nil {
		// What cannot be shown cannot be decided; the others can.
		w.screen.Printf("\n%s %v\n", w.screen.Red("cannot be shown:"), err)
		w.failed.add(err)
		return at + 1, nil
	}
	w.screen.Printf("\n%s\n", w.screen.Bold(fmt.Sprintf("── %d of %d: %s ──", at+1, len(w.queue), it.what())))
	it.facts(w.screen)
	it.words(w.screen)
	if err := it.decidable(reviewer.Approve, time.Now().UnixMilli()); err != nil {
		w.screen.Printf("It was decided elsewhere meanwhile, or its time is up: %v\n", err)
		return at + 1, nil
	}
	w.note = ""
	for {
		w.screen.Printf("%s  [r]eject  [s]kip  [n]ote  %s[q]uit ", approvals(it), w.undoHint())
		key, err := w.keys.ReadKey()
		if err != nil {
			return 0, err
		}
		w.screen.Println("")
		switch key {
		case 'a', 'A':
			return at + 1, w.decide(ctx, at, it, choice{reviewer.Approve, event.ScopeOnce, w.note})
		case 'd', 'D':
			if it.what() == actionItem {
				return at + 1, w.decide(ctx, at, it, choice{reviewer.Approve, event.ScopeDirectory, w.note})
			}
		case 'r', 'R':
			return at + 1, w.decide(ctx, at, it, choice{reviewer.Reject, "", w.note})
		case 's', 'S':
			return at + 1, nil
		case 'q', 'Q':
			w.quit = true
			return len(w.queue), nil
		case 'n', 'N':
			if w.note, err = w.keys.Ask("Note: "); err != nil {
				return 0, err
			}
		case 'u', 'U':
			if w.pending != nil {
				return w.undo(), nil
			}
			w.screen.Println("Nothing to take back: what was sealed stays sealed.")
		}
	}
}

// approvals are the keys that approve.
func approvals(it item) string {
	if it.what() == actionItem {
		return "[a]pprove once  approve for the [d]irectory, 30 minutes"
	}
	return "[a]pprove"
}

func (w *walk) undoHint() string {
	if w.pending == nil {
		return ""
	}
	return fmt.Sprintf("[u]ndo the last %s  ", w.pending.choice)
}

// decide seals the decision before and keeps this one back.
func (w *walk) decide(ctx context.Context, at int, it item, ch choice) error {
	if w.signer == nil {
		signer, err := w.unlock()
		if err != nil {
			return err
		}
		w.signer = signer
	}
	w.seal(ctx)
	w.pending = &pending{at, it, ch}
	return nil
}

// seal seals the decision that waits, if any. That it could not be is said and
// counted; it keeps nobody from the other items.
func (w *walk) seal(ctx context.Context) {
	d := w.pending
	if d == nil {
		return
	}
	w.pending = nil
	became, err := d.item.decide(ctx, w.in, w.signer, d.choice)
	if err != nil {
		w.failed.add(err)
		w.screen.Printf("%s %v\n", w.screen.Red("not sealed:"), err)
		return
	}
	w.sealed++
	w.screen.Printf("%s %s\n", d.item.id(), became)
}
