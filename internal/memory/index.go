package memory

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"zombiezen.com/go/sqlite"
)

// The index is one SQLite file a principal: two full-text indexes with the rows that
// ranking needs, one of trusted memories and one of the rest, so that nothing of the rest
// is in the statistics of the trusted, and beside them their vectors, see [Embedder]. It is
// a picture of the log, made again where it cannot be used, and nobody's word is taken from
// it: what is told, and as whose, is asked of the guard, see [Store.sealed].
//
// Beside it lies what was learnt from use, which cannot be made again, see uses.
const (
	indexFile = "index.db"
	lifeFile  = "life.db"
)

// indexVersion is that of the schema and of what is put into it. Another one is made again.
const indexVersion = 3

// indexWait bounds how long a use of the index waits for that of another process.
const indexWait = 5 * time.Second

const schema = `
CREATE TABLE cursor(one INTEGER PRIMARY KEY CHECK (one = 1), log TEXT NOT NULL, principal BLOB NOT NULL, seq INTEGER NOT NULL, leaf BLOB NOT NULL, head BLOB NOT NULL);
CREATE TABLE replaced(id BLOB NOT NULL, by BLOB NOT NULL, PRIMARY KEY(id, by)) WITHOUT ROWID;
CREATE INDEX replacing ON replaced(by);
CREATE TABLE made(id BLOB PRIMARY KEY, written INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE embedder(one INTEGER PRIMARY KEY CHECK (one = 1), name TEXT NOT NULL, era INTEGER NOT NULL, dim INTEGER NOT NULL, floor REAL NOT NULL, again INTEGER NOT NULL);
CREATE TABLE batch(part TEXT PRIMARY KEY, size INTEGER NOT NULL, again INTEGER NOT NULL) WITHOUT ROWID;
`

// setSchema is that of a half; %[1]s is its name.
const setSchema = `
CREATE TABLE %[1]s(doc INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE,
	kind INTEGER NOT NULL, form INTEGER NOT NULL, created INTEGER NOT NULL, origin INTEGER NOT NULL, taint TEXT NOT NULL,
	salience REAL NOT NULL, confidence REAL NOT NULL, weight REAL NOT NULL,
	pinned INTEGER NOT NULL, stable INTEGER NOT NULL, vetted INTEGER NOT NULL,
	namespace BLOB NOT NULL, project TEXT NOT NULL, tags TEXT NOT NULL, links BLOB NOT NULL,
	name TEXT NOT NULL, drawn BLOB NOT NULL, words TEXT NOT NULL);
CREATE INDEX %[1]s_pinned ON %[1]s(doc) WHERE pinned;
CREATE VIRTUAL TABLE %[1]s_text USING fts5(words, content='%[1]s', content_rowid='doc', tokenize='ascii');
INSERT INTO %[1]s_text(%[1]s_text, rank) VALUES('secure-delete', 1);
CREATE TABLE %[1]s_word(word TEXT PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE %[1]s_pair(pair INTEGER NOT NULL, doc INTEGER NOT NULL, PRIMARY KEY(pair, doc)) WITHOUT ROWID;
CREATE TABLE %[1]s_link(target BLOB NOT NULL, doc INTEGER NOT NULL, PRIMARY KEY(target, doc)) WITHOUT ROWID;
`

const lifeSchema = `
CREATE TABLE IF NOT EXISTS life.life(id BLOB PRIMARY KEY, strength REAL NOT NULL, used INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS life.tie(a BLOB NOT NULL, b BLOB NOT NULL, weight REAL NOT NULL, at INTEGER NOT NULL, PRIMARY KEY(a, b)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS life.tied ON tie(b);
`

// settings of a connection. The index can be made again and the life be lost, so no commit
// waits for the disk. Erased words are overwritten and not only unlinked.
const settings = `PRAGMA trusted_schema=OFF; PRAGMA temp_store=MEMORY; PRAGMA cache_size=-16384;
PRAGMA synchronous=OFF; PRAGMA secure_delete=ON; PRAGMA wal_autocheckpoint=2000;`

// connect opens the index, and makes it where there is none.
func connect(dir string) (*sqlite.Conn, error) {
	if err := ensureDir(dir); err != nil {
		return nil, err
	}
	for _, name := range []string{indexFile, lifeFile} {
		if err := ensureFile(filepath.Join(dir, name)); err != nil {
			return nil, err
		}
	}
	c, err := sqlite.OpenConn(filepath.Join(dir, indexFile), sqlite.OpenReadWrite|sqlite.OpenPrivateCache|sqlite.OpenWAL)
	if err != nil {
		return nil, failed(err)
	}
	c.SetBusyTimeout(indexWait)
	if err := prepare(c, filepath.Join(dir, lifeFile)); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

func prepare(c *sqlite.Conn, life string) error {
	if err := script(c, settings); err != nil {
		return err
	}
	version := 0
	get := func() error {
		return each(c, "PRAGMA main.user_version", func(st *sqlite.Stmt) error { version = st.ColumnInt(0); return nil })
	}
	if err := get(); err != nil {
		return err
	}
	if version == 0 {
		if err := inTx(c, func() error {
			if err := get(); err != nil || version != 0 {
				return err // another process was faster
			}
			version = indexVersion
			if err := script(c, schema+fmt.Sprintf(setSchema, trustedSet)+fmt.Sprintf(setSchema, restSet)); err != nil {
				return err
			}
			for _, p := range parts {
				if err := script(c, fmt.Sprintf(partSchema, p.name)); err != nil {
					return err
				}
			}
			return script(c, fmt.Sprintf("PRAGMA main.user_version=%d", indexVersion))
		}); err != nil {
			return err
		}
	}
	if version != indexVersion {
		return errUnusable
	}
	return attachLife(c, life)
}

// attachLife brings in what was learnt from use. Where that cannot be read it is lost.
func attachLife(c *sqlite.Conn, name string) error {
	attach := func() error {
		if err := run(c, "ATTACH ? AS life", name); err != nil {
			return err
		}
		if err := script(c, "PRAGMA life.journal_mode=WAL; PRAGMA life.synchronous=OFF; "+lifeSchema+"SELECT id, strength, used FROM life.life LIMIT 1; SELECT a, b, weight, at FROM life.tie LIMIT 1;"); err != nil {
			return errors.Join(err, run(c, "DETACH life"))
		}
		return nil
	}
	err := attach()
	if err == nil || !unusable(err) {
		return err
	}
	if err := discard(name); err != nil {
		return err
	}
	if err := ensureFile(name); err != nil {
		return err
	}
	return attach()
}

// errUnusable says that an index has to be made again.
var errUnusable = errors.New("the memory's index cannot be used")

// unusable reports whether an error means that the file is not what it should be.
func unusable(err error) bool {
	if _, ok := errors.AsType[*sqlError](err); !ok {
		return errors.Is(err, errUnusable)
	}
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultCorrupt, sqlite.ResultNotADB, sqlite.ResultError, sqlite.ResultMismatch, sqlite.ResultConstraint, sqlite.ResultSchema:
		return true // a plain error is a table or a column that is not there
	}
	return false
}

// discard throws a database away.
func discard(name string) error {
	for _, part := range []string{name + "-wal", name + "-shm", name + "-journal", name} {
		if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("throw away what cannot be used: %w", err)
		}
	}
	return nil
}

// ensureDir makes a folder that only its owner can read. A link in its place is refused:
// nothing outside is written.
func ensureDir(dir string) error {
	info, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		err = os.MkdirAll(dir, 0o700)
	} else if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is no folder: move it away", dir)
	}
	if err != nil {
		return fmt.Errorf("memory folder: %w", err)
	}
	return nil
}

// ensureFile makes an empty file that only its owner can read; SQLite gives those beside it
// the same mode.
func ensureFile(name string) error {
	info, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			return nil // another process was faster
		}
		if err != nil {
			return fmt.Errorf("memory index: %w", err)
		}
		return f.Close()
	}
	if err != nil {
		return fmt.Errorf("memory index: %w", err)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("memory index: %s is no plain file: move it away", name)
	}
	return nil
}

// inTx runs f in a transaction that excludes the other processes.
func inTx(c *sqlite.Conn, f func() error) error {
	if err := script(c, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	if err := f(); err != nil {
		// After some failures SQLite has rolled back already, and says so.
		_ = script(c, "ROLLBACK")
		return err
	}
	return script(c, "COMMIT")
}

// use runs f on the index, brought in line with the log. An index that cannot be used is
// thrown away and made again, once.
func (s *Store) use(ctx context.Context, f func(*sqlite.Conn) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.withIndex(ctx, f)
}

// nothing is done with the index beside bringing it in line.
func nothing(*sqlite.Conn) error { return nil }

// withIndex is use for who has the lock.
func (s *Store) withIndex(ctx context.Context, f func(*sqlite.Conn) error) error {
	for try := 0; ; try++ {
		err := s.useNow(ctx, f)
		if err == nil || !unusable(err) || try > 0 {
			return err
		}
		s.log.Warn("the memory's index cannot be used and is made again", "folder", s.dir, "error", err)
		if err := s.disconnect(); err != nil {
			s.log.Warn("closing the memory's index", "error", err)
		}
		if err := discard(filepath.Join(s.dir, indexFile)); err != nil {
			return err
		}
	}
}

func (s *Store) useNow(ctx context.Context, f func(*sqlite.Conn) error) error {
	if s.closed {
		return errClosed
	}
	if s.conn == nil {
		c, err := connect(s.dir)
		if err != nil {
			return err
		}
		s.conn = c
	}
	if err := s.catchUp(ctx, s.conn); err != nil {
		return err
	}
	return f(s.conn)
}

var errClosed = errors.New("the memory is closed")

// disconnect closes the index. The lock is held.
func (s *Store) disconnect() error {
	if s.conn == nil {
		return nil
	}
	c := s.conn
	s.conn, s.vectors = nil, nil
	return c.Close()
}

// throwAway gives up an index that was found not to be what the log says.
func (s *Store) throwAway(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log.Warn("the memory's index cannot be used and is made again", "folder", s.dir, "error", why)
	if err := errors.Join(s.disconnect(), discard(filepath.Join(s.dir, indexFile))); err != nil {
		s.log.Warn("the memory's index", "error", err)
	}
}
