package hook

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/hosts"
	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/policy"
)

// maxIDs bounds the ids that a session start lists.
const maxIDs = 5

// greet tells the agent, in one short paragraph, what is held and how it is guarded,
// and the person, in one line, what waits for them.
func (h *Handler) greet(ctx context.Context, e hosts.Event) (hosts.Answer, error) {
	label, err := h.Guard.SessionLabel(ctx, h.caller)
	if err != nil {
		return hosts.Answer{}, err
	}
	h.deliver(ctx)
	waiting, err := h.waiting(ctx)
	if err != nil {
		return hosts.Answer{}, err
	}
	var a hosts.Answer
	lines := []string{"Hearsay records who speaks for each memory. Instruction files are protected: ask the user to change them."}
	if n := len(waiting.records); n > 0 && h.Guard.Policy().Recall().Held != policy.HeldSilent {
		line := plural(n, "memory write waits", "memory writes wait") + " for the user's review and cannot be read"
		if h.Guard.Policy().Recall().Held == policy.HeldIDs {
			line += ": " + waiting.ids()
		}
		lines = append(lines, line+".")
	}
	protected := h.protectedChanges(ctx)
	seen := h.settleAll(ctx, memfile.Hash)
	h.sawIndex(ctx, e)
	if line := h.unverified(ctx, seen.lows); line != "" {
		lines = append(lines, line)
	}
	for _, line := range []string{seen.changedFiles(), protected, h.blind(seen)} {
		if line != "" {
			lines = append(lines, line)
		}
	}
	if label.Tainted() {
		lines = append(lines, fmt.Sprintf("This session took in text from outside (%s): what it saves may be held, and consequential actions ask the user first.", label.Taint))
	}
	a.Context = strings.Join(lines, " ")
	a.Notice = waiting.notice(h.Command)
	if mode := h.Guard.Policy().ModeFor(h.caller.Agent); mode != hearsay.Enforce {
		a.Notice = strings.TrimPrefix(a.Notice+"; hearsay is in mode "+mode.String(), "; ")
	}
	return a, nil
}

// deliver makes the released writes that wait for guarded files. What fails is told and
// tried again at the next start.
func (h *Handler) deliver(ctx context.Context) {
	if h.LockFiles == nil {
		return
	}
	unlock, err := h.LockFiles(ctx)
	if err != nil {
		h.Log.Warn("released writes to files wait: the lock was not to be had", "error", err)
		return
	}
	if _, err := memfile.Deliver(ctx, h.Guard, h.caller); err != nil {
		h.Log.Warn("released writes to files wait", "error", err)
	}
	if err := unlock(); err != nil {
		h.Log.Warn("unlock the store of files", "error", err)
	}
}

// queue is what waits for a person.
type queue struct {
	records   []*event.Record
	questions int
	oldest    int64
}

func (h *Handler) waiting(ctx context.Context) (queue, error) {
	q := queue{oldest: now()}
	mine := func(r *event.Record) bool { return r.Principal == h.caller.Principal }
	for r, err := range h.Guard.List(ctx, guard.Query{Queue: event.QueueReview, Match: mine}) {
		if err != nil {
			return q, err
		}
		q.records, q.oldest = append(q.records, r), min(q.oldest, r.Created)
	}
	for a, err := range h.Guard.Waiting(ctx, h.caller.Principal) {
		if err != nil {
			return q, err
		}
		q.questions, q.oldest = q.questions+1, min(q.oldest, a.Asked)
	}
	return q, nil
}

func (q *queue) ids() string {
	var ids []string
	for _, r := range q.records[:min(len(q.records), maxIDs)] {
		ids = append(ids, r.ID.String())
	}
	if n := len(q.records) - len(ids); n > 0 {
		ids = append(ids, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(ids, ", ")
}

// notice is the line for the person; empty where nothing waits.
func (q *queue) notice(command string) string {
	var parts []string
	if n := len(q.records); n > 0 {
		parts = append(parts, plural(n, "memory write", "memory writes"))
	}
	if q.questions > 0 {
		parts = append(parts, plural(q.questions, "question", "questions"))
	}
	if len(parts) == 0 {
		return ""
	}
	age := "today"
	if days := (now() - q.oldest) / (24 * time.Hour).Milliseconds(); days > 0 {
		age = plural(int(days), "day ago", "days ago")
	}
	return fmt.Sprintf("hearsay: waiting for you: %s, the oldest from %s: %s review", strings.Join(parts, " and "), age, command)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// now is the wall clock in UTC ms.
func now() int64 { return time.Now().UnixMilli() }
