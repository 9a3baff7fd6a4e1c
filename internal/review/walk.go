package review

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

// ErrBrokenOff is returned where the person broke off, or the terminal went away.
var ErrBrokenOff = errors.New("broken off")

// Keys is the person's side of a [term.TTY].
type Keys interface {
	ReadKey() (term.Key, error)
	Ask(prompt string) (string, error)
}

// Walk walks a person through a queue: it shows each item on the screen, takes keys, and
// unlocks their key at the first decision. It returns how many decisions were sealed. The
// error is [ErrBrokenOff] where the person broke off, or tells how many of the items could
// not be shown or decided.
func Walk(ctx context.Context, in *instance.Instance, queue []hearsay.RecordID, keys Keys, screen *term.Printer, unlock func() (*reviewer.Signer, error)) (sealed int, err error) {
	w := &walk{in: in, queue: queue, keys: keys, screen: screen, unlock: unlock}
	err = w.run(ctx)
	if w.signer != nil {
		w.signer.Wipe()
	}
	if err == nil {
		err = w.failed.Err(fmt.Sprintf("%d item(s) could not be shown or decided", w.failed.N))
	}
	return w.sealed, err
}

// walk is one person going through the queue. A decision is sealed when the next one
// is made or the walk ends, so that the last one can be taken back: once sealed it is
// in the log for good.
type walk struct {
	in      *instance.Instance
	unlock  func() (*reviewer.Signer, error) // asks for the passphrase
	keys    Keys
	screen  *term.Printer
	signer  *reviewer.Signer // nil until the first decision
	queue   []hearsay.RecordID
	note    string   // for the next decision
	pending *pending // made and not sealed
	quit    bool
	sealed  int
	failed  Failures
}

// pending is a decision that can still be taken back.
type pending struct {
	at   int // in the queue
	item Item
	Choice
}

// run shows one card after the other until the end or q. Where the person breaks
// off, or the terminal goes away, the decision that is not sealed yet is dropped and
// what it is about stays held.
func (w *walk) run(ctx context.Context) error {
	for at := 0; at < len(w.queue) || w.pending != nil && !w.quit; {
		next, err := w.step(ctx, at)
		if err != nil {
			if w.pending != nil {
				w.screen.Printf("\nNot sealed, still held: %s\n", w.pending.item.ID())
			}
			if errors.Is(err, term.ErrInterrupted) || errors.Is(err, io.EOF) {
				return ErrBrokenOff
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
	it, err := Load(ctx, w.in, w.queue[at])
	if err != nil {
		// What cannot be shown cannot be decided; the others can.
		w.screen.Printf("\n%s %v\n", w.screen.Red("cannot be shown:"), err)
		w.failed.Add(err)
		return at + 1, nil
	}
	w.screen.Printf("\n%s\n", w.screen.Bold(fmt.Sprintf("── %d of %d: %s ──", at+1, len(w.queue), it.What())))
	it.Facts(w.screen)
	it.Words(w.screen)
	if err := it.Decidable(reviewer.Approve, time.Now().UnixMilli()); err != nil {
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
			return at + 1, w.decide(ctx, at, it, Choice{reviewer.Approve, event.ScopeOnce, w.note})
		case 'd', 'D':
			if it.What() == Action {
				return at + 1, w.decide(ctx, at, it, Choice{reviewer.Approve, event.ScopeDirectory, w.note})
			}
		case 'r', 'R':
			return at + 1, w.decide(ctx, at, it, Choice{reviewer.Reject, "", w.note})
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

func (w *walk) undoHint() string {
	if w.pending == nil {
		return ""
	}
	return fmt.Sprintf("[u]ndo the last %s  ", w.pending.Choice)
}

// decide seals the decision before and keeps this one back.
func (w *walk) decide(ctx context.Context, at int, it Item, ch Choice) error {
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
	became, err := d.item.Decide(ctx, w.in, w.signer, d.Choice)
	if err != nil {
		w.failed.Add(err)
		w.screen.Printf("%s %v\n", w.screen.Red("not sealed:"), err)
		return
	}
	w.sealed++
	w.screen.Printf("%s %s\n", d.item.ID(), became)
}

// approvals are the keys that approve.
func approvals(it Item) string {
	if it.What() == Action {
		return "[a]pprove once  approve for the [d]irectory, 30 minutes"
	}
	return "[a]pprove"
}
