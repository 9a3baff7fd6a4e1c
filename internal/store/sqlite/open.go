package sqlite

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/mod/sumdb/note"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/ledger"
)

// DefaultDeadline bounds how long an update waits for its turn.
const DefaultDeadline = 2 * time.Second

// Options say which store to open, and with what. Only Path is always needed.
type Options struct {
	// Path is the database file.
	Path string
	// LogID names a new log: it is the origin of its checkpoints. Where it is set, a
	// store that is not there is made, and one that is there must bear that name.
	// Where it is empty, a store that is not there is an error (fs.ErrNotExist), so
	// that a deleted log is noticed and not begun anew.
	LogID string
	// Lock takes the home's file lock, before the database's own, so that writers of
	// several processes get their turn in order of arrival. Its error wraps
	// context.DeadlineExceeded where the wait was too long. Nil: no such lock.
	Lock func(ctx context.Context) (unlock func() error, err error)
	// Signer signs one checkpoint a commit with the ledger key. It is needed for
	// updates that seal an event.
	Signer note.Signer
	// Rand gives the salts; nil: crypto/rand.
	Rand io.Reader
	// Now is the clock; nil: time.Now. It may go backwards, the log's time does not.
	Now func() time.Time
	// Deadline bounds the wait of an update for its turn, in addition to its context;
	// 0: [DefaultDeadline].
	Deadline time.Duration
	// ReadOnly refuses updates and changes nothing in the file.
	ReadOnly bool
	// Brief is for a process that makes one update or none and then ends: it reads and writes
	// by one connection, which it leaves to the end of the process. See [Store.Close].
	Brief bool

	fault func(step) // called at each step of a commit; tests only
}

// Store is an open store. See [guard.Store] for its methods; all of them may be called
// concurrently.
type Store struct {
	path     string
	lock     func(ctx context.Context) (func() error, error)
	signer   note.Signer
	random   io.Reader
	now      func() time.Time
	deadline time.Duration
	readOnly bool
	brief    bool
	logID    string
	fault    func(step)
	reads    pool

	queue   chan *job
	ctx     context.Context // ends when Close begins
	close   context.CancelFunc
	stopped chan struct{} // closed when the writer has gone
	closing sync.Once

	asking  atomic.Int32 // updates that are under way
	turn    sync.Mutex   // the right to write; the rest belongs to who has it
	conn    *sqlite.Conn
	builder *ledger.Builder // nil: make one from the head
	swept   int64           // when expired rows were last dropped, UTC ms
	scrub   bool            // erased words may still be in the -wal
	wrote   bool            // there was a connection that writes
}

var _ guard.Store = (*Store)(nil)

// Open opens a store, or makes one where opts.LogID is set and there is none. It reads
// a handful of rows, however long the log is. It returns [guard.ErrNewerStore] for a
// store that a newer program has made its own.
func Open(ctx context.Context, opts Options) (*Store, error) {
	s := &Store{
		path:     opts.Path,
		lock:     opts.Lock,
		signer:   opts.Signer,
		random:   opts.Rand,
		now:      opts.Now,
		deadline: cmp.Or(opts.Deadline, DefaultDeadline),
		readOnly: opts.ReadOnly,
		brief:    opts.Brief,
		fault:    opts.fault,
		queue:    make(chan *job, maxBatch),
		stopped:  make(chan struct{}),
	}
	if s.random == nil {
		s.random = rand.Reader
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.lock == nil {
		s.lock = func(context.Context) (func() error, error) { return func() error { return nil }, nil }
	}
	if s.fault == nil {
		s.fault = func(step) {}
	}
	s.reads = pool{path: opts.Path, mode: sqlite.OpenReadOnly, wait: s.deadline}
	if s.brief {
		s.reads.mode = sqlite.OpenReadWrite
	}
	if err := s.open(ctx, opts.LogID); err != nil {
		if s.conn != nil {
			err = errors.Join(err, s.conn.Close())
		}
		return nil, errors.Join(err, s.reads.close())
	}
	s.ctx, s.close = context.WithCancel(context.Background())
	if s.readOnly {
		close(s.stopped)
	} else {
		go s.write()
	}
	return s, nil
}

func (s *Store) open(ctx context.Context, logID string) error {
	if err := s.ensure(logID != "" && !s.readOnly); err != nil {
		return err
	}
	c, err := s.reads.take()
	if err != nil {
		return explain("open "+s.path, err)
	}
	defer s.reads.put(c)
	version, err := check(c)
	if err != nil {
		return explain("open "+s.path, err)
	}
	switch {
	case version == 0:
		if s.readOnly {
			return fmt.Errorf("store: %s is empty: %w; run `hearsay init`", s.path, fs.ErrNotExist)
		}
		if err := s.make(ctx, logID); err != nil {
			return explain("open "+s.path, err)
		}
	case version < schemaVersion:
		if err := s.upgrade(ctx); err != nil {
			return explain("open "+s.path, err)
		}
	}
	h, err := readHead(c)
	if err != nil {
		return explain("open "+s.path, err)
	}
	if logID != "" && h.LogID != logID {
		return fmt.Errorf("store: %s holds the log %q, not %q: it was exchanged, or belongs to another home", s.path, h.LogID, logID)
	}
	if h.MinWriter > Writer && !s.readOnly {
		return fmt.Errorf("store: %s wants writers of version %d and this one is %d: %w", s.path, h.MinWriter, Writer, guard.ErrNewerStore)
	}
	s.logID = h.LogID
	return nil
}

// ensure looks for the file, and makes an empty one that only its owner can read where
// that is allowed; SQLite gives the files beside it the same mode.
func (s *Store) ensure(make bool) error {
	_, err := os.Stat(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		if !make {
			return fmt.Errorf("store: %s does not exist: %w; run `hearsay init`, or restore a backup", s.path, fs.ErrNotExist)
		}
		f, err := os.OpenFile(s.path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			return nil // another process was faster
		}
		if err != nil {
			return fmt.Errorf("store: cannot make %s: %w", s.path, err)
		}
		return f.Close()
	}
	if err != nil {
		return fmt.Errorf("store: cannot look at %s: %w", s.path, err)
	}
	return nil
}

// connect opens the connection that writes, when it is first needed: most runs of a
// hook only read. A brief process writes by one that it has for reading.
func (s *Store) connect() error {
	if s.conn != nil {
		return nil
	}
	if lazy, ok := s.signer.(interface{ Ready() }); ok {
		go lazy.Ready() // beside the opening
	}
	open := func() (*sqlite.Conn, error) { return openConn(s.path, sqlite.OpenReadWrite, s.deadline) }
	if s.brief {
		open = s.reads.take
	}
	conn, err := open()
	if err != nil {
		return err
	}
	if err := pragmas(conn, writing); err != nil {
		return errors.Join(err, conn.Close())
	}
	s.conn, s.wrote = conn, true
	return nil
}

// release gives the connection of a brief process back to those who read.
func (s *Store) release() {
	if !s.brief || s.conn == nil {
		return
	}
	s.conn.SetBusyTimeout(s.deadline) // a transaction leaves what it had of it
	s.reads.put(s.conn)
	s.conn, s.builder = nil, nil
}

// make makes the schema under the file lock.
func (s *Store) make(ctx context.Context, logID string) error {
	if logID == "" {
		return fmt.Errorf("the file is empty: %w; run `hearsay init`, or restore a backup", fs.ErrNotExist)
	}
	return s.alone(ctx, func(c *sqlite.Conn) error { return create(c, logID) })
}

// alone runs what changes the schema, under the file lock.
func (s *Store) alone(ctx context.Context, f func(*sqlite.Conn) error) error {
	if err := s.connect(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	unlock, err := s.lock(ctx)
	if err != nil {
		return late(err)
	}
	return errors.Join(f(s.conn), unlock())
}

// maxLeft bounds the -wal that a brief process leaves, in bytes: four to ten updates. Who
// opens the store next reads all of it.
const maxLeft = 128 << 10

// Close ends the store. Updates that wait get [guard.ErrClosed]; one that runs comes to
// its end. Iterators that are open can still be read to theirs.
//
// The last process to close moves the -wal into the database and deletes it. A commit needs
// one sync, that and the next -wal four, so a brief process closes nothing: as after its
// death, all that it committed is in the -wal. It moves it only where more than [maxLeft]
// has come together, or what was erased may be in it.
func (s *Store) Close() (err error) {
	s.closing.Do(func() {
		s.close()
		<-s.stopped
		s.turn.Lock()
		defer s.turn.Unlock()
		if s.brief {
			err = s.leave()
			return
		}
		err = s.reads.close()
		if s.conn != nil {
			if s.scrub {
				s.truncate()
			}
			err = errors.Join(err, s.conn.Close())
		}
	})
	if err != nil {
		return explain("close "+s.path, err)
	}
	return nil
}

// leave empties the -wal of a brief process where it must not stay. Where somebody reads it
// cannot; who comes next does.
func (s *Store) leave() error {
	if !s.wrote {
		return nil
	}
	info, err := os.Stat(s.path + "-wal")
	if !s.scrub && (err != nil || info.Size() <= maxLeft) {
		return nil
	}
	if err := s.connect(); err != nil {
		return err
	}
	s.truncate()
	s.release()
	return nil
}

// writing are the settings of a connection before it writes: secure_delete, so that erased
// words are overwritten and not only unlinked.
const writing = `PRAGMA synchronous=FULL; PRAGMA secure_delete=ON; PRAGMA wal_autocheckpoint=2000;` + fullSync

// openConn opens one connection. Every setting here is per connection.
func openConn(path string, mode sqlite.OpenFlags, wait time.Duration) (*sqlite.Conn, error) {
	syncData()
	c, err := sqlite.OpenConn(path, mode|sqlite.OpenPrivateCache)
	if err != nil {
		return nil, err
	}
	c.SetBusyTimeout(wait)
	if err := pragmas(c, `PRAGMA trusted_schema=OFF; PRAGMA temp_store=MEMORY; PRAGMA cache_size=-8192;`); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// pragmas runs settings, some of which answer with a row and some of which do not.
func pragmas(c *sqlite.Conn, settings string) error {
	for settings != "" {
		st, rest, err := c.PrepareTransient(settings)
		if err != nil {
			return err
		}
		if st == nil {
			return nil // white space alone
		}
		_, err = st.Step()
		if err = errors.Join(err, st.Finalize()); err != nil {
			return err
		}
		settings = settings[len(settings)-rest:]
	}
	return nil
}

// exec runs a statement without parameters or rows.
func exec(c *sqlite.Conn, sql string) error {
	return sqlitex.Execute(c, sql, nil)
}
