package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
)

// Erasing is one record that an erasure destroys, and why.
type Erasing struct {
	Record *event.Record
	Quotes bool // it was not named: it holds the words of one that was
}

// WouldErase returns what [Store.Erase] destroys: the records that are named, and those of
// any store that quote them word for word, each once.
func (s *Store) WouldErase(ctx context.Context, ids []hearsay.RecordID) ([]Erasing, error) {
	list, _, err := s.erasing(ctx, ids)
	return list, err
}

// erasing also returns the texts that are to be gone.
func (s *Store) erasing(ctx context.Context, ids []hearsay.RecordID) (list []Erasing, texts []string, err error) {
	if len(ids) == 0 {
		return nil, nil, errors.New("erase: name the memories, see `hearsay ls --memory`")
	}
	seen := make(map[hearsay.RecordID]bool)
	for _, id := range ids {
		if seen[id] {
			continue
		}
		seen[id] = true
		shown, err := s.guard.Show(ctx, id)
		if err != nil {
			return nil, nil, err
		}
		if shown.Record.Principal != s.principal || shown.Record.Store != guard.OwnStore {
			return nil, nil, fmt.Errorf("record %s: %w", id, guard.ErrNotFound)
		}
		if shown.Record.Standing == hearsay.Erased {
			continue
		}
		m, err := memoryOf(shown)
		if err != nil {
			return nil, nil, err
		}
		list = append(list, Erasing{Record: shown.Record})
		for _, t := range []string{m.Text, m.Title} {
			if t != "" {
				texts = append(texts, t)
			}
		}
	}
	quoting, err := s.guard.Quoting(ctx, s.principal, texts)
	if err != nil {
		return nil, nil, err
	}
	for _, r := range quoting {
		if !seen[r.ID] {
			seen[r.ID] = true
			list = append(list, Erasing{r, true})
		}
	}
	return list, texts, nil
}

// Erase destroys the words of memories and of what quotes them, by a person who signs for
// each: when it returns they are in no file of the home that is ours. The log stays valid,
// and a write that brings the words again is blocked unless a person says it. It returns
// what was erased, also beside an error.
func (s *Store) Erase(ctx context.Context, c hearsay.Caller, ids []hearsay.RecordID, sign Signing) ([]Erasing, error) {
	if err := s.ours(c); err != nil {
		return nil, err
	}
	list, texts, err := s.erasing(ctx, ids)
	if err != nil {
		return nil, err
	}
	var done []Erasing
	for _, e := range list {
		st, err := s.guard.Statement(ctx, reviewer.Erase, e.Record.ID, "")
		if err != nil {
			return done, err
		}
		signed, err := sign(st)
		if err != nil {
			return done, err
		}
		r, err := s.guard.Erase(ctx, signed, texts)
		if err != nil {
			return done, err
		}
		done = append(done, Erasing{r, e.Quotes})
	}
	return done, s.Settle(ctx)
}

// Settle brings files and index in line with the log now. Every use does it; it is for who
// has to know that it went well.
func (s *Store) Settle(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.withIndex(ctx, nothing); err != nil {
		return fmt.Errorf("files and index of the memory are behind: %w", err)
	}
	if s.scrub {
		return errors.New("erased words may still be in the index's write-ahead log, because another process reads it: run the command again")
	}
	return nil
}

// About returns the records of the principal's memory, held ones too, whose subject is the
// one that is named, whatever its case; what was erased has none.
func (s *Store) About(ctx context.Context, subject string) ([]hearsay.RecordID, error) {
	if strings.TrimSpace(subject) == "" {
		return nil, errors.New("the subject is empty: say whom or what to forget")
	}
	var ids []hearsay.RecordID
	for r, err := range s.guard.List(ctx, guard.Query{Match: func(r *event.Record) bool {
		return r.Principal == s.principal && r.Store == guard.OwnStore && r.Standing != hearsay.Erased && r.Op != event.Delete
	}}) {
		if err != nil {
			return nil, err
		}
		ids = append(ids, r.ID)
	}
	var errs []error
	about := slices.DeleteFunc(ids, func(id hearsay.RecordID) bool {
		m, err := s.read(ctx, id)
		if err != nil {
			errs = append(errs, err)
			return true
		}
		return !strings.EqualFold(m.Subject, subject)
	})
	return about, errors.Join(errs...)
}
