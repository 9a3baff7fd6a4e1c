package memory

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"zombiezen.com/go/sqlite"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
)

// Store is the memory of one principal. It is safe for concurrent use, also by several
// processes on one home. Close it.
type Store struct {
	guard     *guard.Guard
	principal string
	dir       string
	vault     Vault
	log       *slog.Logger

	mu     sync.Mutex // of the index; the rest belongs to whoever has it
	conn   *sqlite.Conn
	closed bool
	scrub  bool // erased words may still be in the write-ahead log
	used   uses

	vectors   map[part]*matrix // as far as they were searched
	embedding embedding

	filling map[part]*sync.Mutex // held while vectors of a part are made; taken before mu
}

// Options say whose memory is opened, and where it lies.
type Options struct {
	Principal string       // whose it is: as the surface knows, never as a payload says
	Dir       string       // the folder of its index and files, see [Folder]; it is made
	Log       *slog.Logger // told of what went wrong beside an answer; nil: nobody

	Embedder     Embedder // nil: memories are found by their words alone
	EmbedderName string   // says which it is: the vectors of another one are made anew
}

// Folder returns where a principal's memory lies below the home's folder of memories. The
// name is a digest: no principal's is part of another's, whatever it is made of.
func Folder(principal string) string {
	sum := sha256.Sum256([]byte("hearsay/memory\x00" + principal))
	return hex.EncodeToString(sum[:16])
}

// Open returns a principal's memory behind a guard. Nothing is read yet.
func Open(g *guard.Guard, o Options) *Store {
	s := &Store{guard: g, principal: o.Principal, dir: o.Dir, vault: Vault{Dir: filepath.Join(o.Dir, "notes")}, log: o.Log}
	s.embedding = embedding{ask: o.Embedder, name: "embedder " + o.EmbedderName}
	s.filling = make(map[part]*sync.Mutex, len(parts))
	for _, p := range parts {
		s.filling[p] = new(sync.Mutex)
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	return s
}

// Vault returns where the files are.
func (s *Store) Vault() Vault { return s.vault }

// Close writes down what was learnt from use and closes the index.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn != nil {
		if err := s.used.flush(s.conn); err != nil {
			s.log.Warn("what was learnt from use is lost", "error", err)
		}
		if s.scrub {
			if err := s.truncate(s.conn); err != nil {
				s.log.Warn("erased words may still be in the index's write-ahead log", "error", err)
			}
		}
	}
	s.closed = true
	return s.disconnect()
}

// ours refuses a caller whose memory this is not.
func (s *Store) ours(c hearsay.Caller) error {
	if c.Principal != s.principal {
		return fmt.Errorf("this is another principal's memory: %w", guard.ErrNotFound)
	}
	return nil
}

// followWait bounds how long a write waits for its pictures.
const followWait = 10 * time.Second

// follow brings files and index in line after something was sealed. The next use does it
// where this fails.
func (s *Store) follow(ctx context.Context) {
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), followWait)
	defer cancel()
	if err := s.use(limit, nothing); err != nil {
		s.log.Warn("files and index of the memory are behind", "error", err)
		return
	}
	until := time.Now().Add(embedWait)
	if m, ok := s.ready(ctx, until); ok {
		s.fill(ctx, until, m)
	}
}

// warn says that a file of the folder is not as it should be.
func (s *Store) warn(id hearsay.RecordID, err error) {
	if err != nil {
		s.log.Warn("the file of a memory is not as it should be", "id", id, "error", err)
	}
}

func nowMS() int64 { return time.Now().UnixMilli() }
