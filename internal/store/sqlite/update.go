package sqlite

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"zombiezen.com/go/sqlite"

	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/ledger"
)

// maxBatch bounds how many updates share a commit.
const maxBatch = 256

// sweepOne in so many processes drops expired rows with its first commit, whatever the
// process.
const sweepOne = 64

// job is one update on its way.
type job struct {
	ctx  context.Context
	fn   func(guard.Tx) ([]event.Draft, error)
	turn atomic.Bool // somebody has it: the writer, or its caller who gave up
	done chan struct{}

	events []*event.Event
	err    error
}

// finish answers the caller.
func (j *job) finish(events []*event.Event, err error) {
	j.events, j.err = events, err
	close(j.done)
}

// Update implements [guard.Store].
func (s *Store) Update(ctx context.Context, fn func(guard.Tx) ([]event.Draft, error)) ([]*event.Event, error) {
	if s.readOnly {
		return nil, errReadOnly
	}
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	j := &job{ctx: ctx, fn: fn, done: make(chan struct{})}
	defer s.asking.Add(-1)
	if s.asking.Add(1) == 1 && s.turn.TryLock() {
		// Nobody else is about: to hand the job to another goroutine and to wait for it
		// would cost as much as the statements of a small write.
		defer s.turn.Unlock()
		if s.ctx.Err() != nil {
			return nil, guard.ErrClosed
		}
		s.batch(ctx, []*job{j})
		return j.events, j.err
	}
	select {
	case <-s.ctx.Done():
		return nil, guard.ErrClosed
	default:
	}
	select {
	case s.queue <- j:
	case <-s.ctx.Done():
		return nil, guard.ErrClosed
	case <-ctx.Done():
		return nil, late(ctx.Err())
	}
	select {
	case <-j.done:
	case <-s.stopped:
		// The writer went while the job was on its way into the queue.
		if j.turn.CompareAndSwap(false, true) {
			return nil, guard.ErrClosed
		}
		<-j.done
	case <-ctx.Done():
		if j.turn.CompareAndSwap(false, true) {
			return nil, late(ctx.Err())
		}
		// It runs: what comes of it must not stay unknown.
		<-j.done
	}
	return j.events, j.err
}

// write is the goroutine that writes where several ask at once.
func (s *Store) write() {
	defer close(s.stopped)
	for {
		var jobs []*job
		select {
		case <-s.ctx.Done():
		case j := <-s.queue:
			jobs = append(jobs, j)
		}
		if s.ctx.Err() != nil {
			for _, j := range s.drain(jobs) {
				if j.turn.CompareAndSwap(false, true) {
					j.finish(nil, guard.ErrClosed)
				}
			}
			return
		}
		s.together(jobs)
	}
}

// together writes jobs with all that are queued by the time of its turn.
func (s *Store) together(jobs []*job) {
	ctx, cancel := context.WithTimeout(context.Background(), s.deadline)
	defer cancel()
	s.turn.Lock()
	defer s.turn.Unlock()
	// Callers that were just answered come back at once: without this pause they
	// split into two cohorts, each waiting for the other's commit.
	runtime.Gosched()
	runtime.Gosched()
	s.batch(ctx, s.drain(jobs))
}

// drain takes what is queued, up to the bound of a batch.
func (s *Store) drain(jobs []*job) []*job {
	for len(jobs) < maxBatch {
		select {
		case j := <-s.queue:
			jobs = append(jobs, j)
		default:
			return jobs
		}
	}
	return jobs
}

// step names a place where a process can die; tests make it.
type step string

const (
	stepLocked    step = "locked"    // nothing is written: as if never asked
	stepBegun     step = "begun"     // the same; SQLite drops the transaction
	stepRun       step = "run"       // decided, nothing written
	stepFlushed   step = "flushed"   // in the -wal without a commit record: dropped on open
	stepCommitted step = "committed" // durable, and nobody heard of it
)

// batch runs jobs in one transaction and answers them. The deadline of ctx bounds the wait
// for the turn; whoever calls it has the turn among the goroutines.
func (s *Store) batch(ctx context.Context, jobs []*job) {
	ran, err := s.locked(ctx, jobs)
	answer(jobs, ran, err)
}

// locked runs jobs under the home's lock. It leaves neither that nor a transaction behind,
// also where a function ends the goroutine that it runs on.
func (s *Store) locked(ctx context.Context, jobs []*job) (ran map[*job]outcome, err error) {
	unlock, err := s.lock(ctx)
	if err != nil {
		return nil, late(err)
	}
	defer func() {
		if uerr := unlock(); err == nil && uerr != nil && len(ran) == 0 {
			err = uerr
		}
	}()
	defer s.release()
	s.fault(stepLocked)
	return s.transact(ctx, jobs)
}

// outcome is what a job will hear once the commit is durable.
type outcome struct {
	events []*event.Event
	err    error
}

// answer tells the jobs what came of them; err, if any, overrides all: what a function
// refused may rest on what another of the batch had done, and that is gone.
func answer(jobs []*job, ran map[*job]outcome, err error) {
	for _, j := range jobs {
		o, ok := ran[j]
		switch {
		case ok && err == nil:
			j.finish(o.events, o.err)
		case ok:
			j.finish(nil, err)
		case j.turn.CompareAndSwap(false, true):
			j.finish(nil, err)
		}
	}
}

// transact runs jobs between BEGIN and COMMIT. What it returns of each job holds only
// if the error is nil.
func (s *Store) transact(ctx context.Context, jobs []*job) (ran map[*job]outcome, err error) {
	ran = make(map[*job]outcome, len(jobs))
	if err := s.connect(); err != nil {
		return ran, explain("open "+s.path, err)
	}
	if end, ok := ctx.Deadline(); ok {
		s.conn.SetBusyTimeout(time.Until(end)) // what the home's lock left of it
	}
	if err := exec(s.conn, "BEGIN IMMEDIATE"); err != nil {
		return ran, explain("begin", err)
	}
	over := false
	defer func() {
		if !over {
			// After some failures SQLite has rolled back already, and says so.
			_ = exec(s.conn, "ROLLBACK")
			s.builder = nil
		}
	}()
	s.fault(stepBegun)
	head, err := readHead(s.conn)
	if err != nil {
		return ran, explain("read the head", err)
	}
	if head.MinWriter > Writer {
		return ran, fmt.Errorf("store: it wants writers of version %d and this one is %d: %w", head.MinWriter, Writer, guard.ErrNewerStore)
	}
	if s.builder == nil || s.builder.Frontier() != head.Frontier {
		s.builder = ledger.NewBuilder(head.Frontier, hashes{s.conn})
	}
	var all, own overlay
	seq := head.Frontier.Size()
	now := max(s.now().UnixMilli(), head.T)
	for _, j := range jobs {
		if !j.turn.CompareAndSwap(false, true) {
			continue // its caller gave up
		}
		if err := j.ctx.Err(); err != nil {
			ran[j] = outcome{err: late(err)} // its caller is about to
			continue
		}
		t := &tx{conn: s.conn, batch: &all, own: own, now: now, seq: seq}
		events, err := s.run(j.fn, t, now)
		ran[j] = outcome{events, err}
		if err != nil {
			own = overlay{} // there is something of it
			continue
		}
		all.merge(&t.own)
		own, t.own = t.own, overlay{}
		seq += int64(len(events))
	}
	s.fault(stepRun)
	if all.empty() {
		err := exec(s.conn, "ROLLBACK")
		over = err == nil
		return ran, explain("end", err)
	}
	for _, sealed := range all.sealed {
		if err := s.builder.Append(sealed.Leaf); err != nil {
			return ran, err
		}
	}
	if err := s.flush(&all, head, now); err != nil {
		return ran, explain("write", err)
	}
	s.fault(stepFlushed)
	if err := exec(s.conn, "COMMIT"); err != nil {
		return ran, explain("commit", err)
	}
	over = true
	s.fault(stepCommitted)
	s.tidy(&all, now)
	return ran, nil
}

// run calls one function and seals what it drafts. Its tx is over afterwards.
func (s *Store) run(fn func(guard.Tx) ([]event.Draft, error), t *tx, now int64) (events []*event.Event, err error) {
	defer func() {
		t.over = true
		if p := recover(); p != nil {
			events, err = nil, fmt.Errorf("store: an update panicked and nothing of it was kept: %v", p)
		}
	}()
	drafts, err := fn(t)
	if err != nil {
		return nil, err
	}
	if len(drafts) > 0 && s.signer == nil {
		return nil, errors.New("store: no ledger key was given, so no event can be sealed")
	}
	for i, d := range drafts {
		sealed, err := event.Seal(d, t.seq+int64(i), now, now, s.random)
		if err != nil {
			return nil, err
		}
		t.own.add(sealed)
		events = append(events, sealed.Event)
	}
	return events, nil
}

// tidy does what can wait until nobody does: it drops expired rows now and then, and
// takes erased words out of the -wal. Both can fail and be done the next time.
func (s *Store) tidy(all *overlay, now int64) {
	for _, side := range all.sides {
		s.scrub = s.scrub || side == nil
	}
	s.scrub = s.scrub && !s.truncate()
	if s.swept == 0 {
		s.swept = now // a hook lives for one commit, and most of them have something better to do
		if now%sweepOne != 0 {
			return
		}
	} else if now-s.swept < time.Minute.Milliseconds() {
		return
	}
	s.swept = now
	for _, sql := range [...]string{
		"DELETE FROM session WHERE (principal, id) IN (SELECT principal, id FROM session WHERE expires <= ? LIMIT 500)",
		"DELETE FROM words WHERE rowid IN (SELECT rowid FROM words WHERE expires <= ? LIMIT 500)",
		"DELETE FROM mark WHERE mark IN (SELECT mark FROM mark WHERE expires <= ? LIMIT 500)",
	} {
		if err := query(s.conn, sql, func(st *sqlite.Stmt) { st.BindInt64(1, now) }, func(*sqlite.Stmt) (bool, error) { return true, nil }); err != nil {
			return
		}
	}
}

// truncate moves the -wal into the database and empties it, and reports whether it
// could: where somebody reads, it cannot, and does not wait, because writers of every
// process would wait with it.
func (s *Store) truncate() bool {
	s.conn.SetBusyTimeout(0)
	defer s.conn.SetBusyTimeout(s.deadline)
	blocked := true
	err := query(s.conn, "PRAGMA wal_checkpoint(TRUNCATE)", none, func(st *sqlite.Stmt) (bool, error) {
		blocked = st.ColumnInt64(0) != 0 // a row and no error
		return true, nil
	})
	return err == nil && !blocked
}
