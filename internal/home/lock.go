package home

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"time"
)

// DefaultWait bounds the wait for a lock when the context has no deadline of its own.
const DefaultWait = 10 * time.Second

// Polling intervals. A waiter sleeps pollMin first and doubles up to a cap, with jitter. The process at the head of the
// queue has the short cap, so that a lock is handed over fast; those behind it have the long one and cost little,
// until they have waited for patience: then they look often, and so beat the ones that came later.
const (
	pollMin  = 50 * time.Microsecond
	pollHead = 250 * time.Microsecond
	pollTail = 2 * time.Millisecond
	patience = 15 * time.Millisecond
)

const queueSuffix = ".queue"

// Lock takes the home's exclusive lock: one holder among all processes and goroutines. It waits until ctx ends, or
// [DefaultWait] if ctx has no deadline, and then returns an error that wraps [ErrLocked] (deadline) or ctx's own error
// (cancelled). The holder calls unlock once; later calls do nothing. A holder that dies releases the lock. Locks are
// not reentrant.
func (h *Home) Lock(ctx context.Context) (unlock func() error, err error) {
	return h.lock(ctx, FileLock)
}

// LockNamed takes a lock of its own for each name, byte-exact, for instance one for each downstream memory server, so
// that calls to it do not interleave. It behaves as [Home.Lock] does. To hold both, take the named lock first.
func (h *Home) LockNamed(ctx context.Context, name string) (unlock func() error, err error) {
	// Names are chosen by configuration; hashing keeps separators and length out of the path.
	sum := sha256.Sum256([]byte(name))
	return h.lock(ctx, DirLocks+"/"+hex.EncodeToString(sum[:16]))
}

func (h *Home) lock(ctx context.Context, name string) (func() error, error) {
	if _, ok := ctx.Deadline(); !ok {
		bounded, cancel := context.WithTimeout(ctx, DefaultWait)
		defer cancel()
		ctx = bounded
	}
	h.mu.Lock()
	l, ok := h.locks[name]
	if !ok {
		path := h.Path(name)
		l = &lockFile{door: make(chan struct{}, 1), main: pinned{path: path}, queue: pinned{path: path + queueSuffix}}
		h.locks[name] = l
	}
	h.mu.Unlock()

	if err := l.acquire(ctx); err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			return nil, fmt.Errorf("home: %s: %w and did not come free in time; nothing was changed, try again (%w)", l.main.path, ErrLocked, err)
		}
		return nil, fmt.Errorf("home: cannot lock %s: %w", l.main.path, err)
	}
	var once sync.Once
	return func() (err error) {
		once.Do(func() { err = l.release() })
		return err
	}, nil
}

// lockFile is one lock of this process. Three things are taken in order: the door (one goroutine of this process, in
// order of arrival), the queue file (one waiting process) and the main file (the holder). The queue file is what keeps
// processes fair: whoever releases the main lock and wants it again stands behind the process that is already at
// the head of the queue, instead of winning it back before a sleeping waiter looks. Polling, not a blocking flock(2),
// because a blocked one does not hear a context.
type lockFile struct {
	door  chan struct{}
	main  pinned
	queue pinned
}

func (l *lockFile) acquire(ctx context.Context) error {
	select {
	case l.door <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	err := l.queue.wait(ctx, pollTail)
	if err == nil {
		err = l.main.wait(ctx, pollHead)
		if qerr := unlock(l.queue.file); err == nil && qerr != nil {
			err = errors.Join(qerr, unlock(l.main.file))
		}
	}
	if err != nil {
		<-l.door
	}
	return err
}

func (l *lockFile) release() error {
	err := unlock(l.main.file)
	<-l.door
	if err != nil {
		return fmt.Errorf("home: cannot unlock %s: %w", l.main.path, err)
	}
	return nil
}

// pinned is a lock file that is kept open between uses. It is guarded by the door.
type pinned struct {
	path string
	file *os.File
}

// wait polls for the lock until it is had or ctx ends.
func (p *pinned) wait(ctx context.Context, most time.Duration) error {
	pause, begun := pollMin, time.Now()
	for {
		ok, err := p.try()
		if ok || err != nil {
			return err
		}
		if err := sleep(ctx, pause/2+rand.N(pause)); err != nil {
			return err
		}
		if time.Since(begun) > patience {
			most = pollMin
		}
		pause = min(2*pause, most)
	}
}

// try makes one attempt. A lock on a file that somebody has since deleted or replaced excludes nobody, so the name is
// compared with what is open after the lock is had, and the file is opened anew if they differ.
func (p *pinned) try() (bool, error) {
	for range 8 {
		if p.file == nil {
			f, err := os.OpenFile(p.path, os.O_RDWR|os.O_CREATE, FileMode)
			if err != nil {
				return false, err
			}
			p.file = f
		}
		ok, err := tryLock(p.file)
		if err != nil || !ok {
			return false, err
		}
		if p.current() {
			return true, nil
		}
		p.file.Close() // also drops the lock
		p.file = nil
	}
	return false, errors.New("the lock file is replaced again and again; look for a program that cleans this directory")
}

func (p *pinned) current() bool {
	named, err := os.Stat(p.path)
	if err != nil {
		return false
	}
	open, err := p.file.Stat()
	return err == nil && os.SameFile(named, open)
}

// sleep waits for d or for the end of ctx.
func sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
