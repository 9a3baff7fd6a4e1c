package guard

import (
	"context"
	"errors"
	"iter"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/ledger"
)

// Store keeps the log, the folded rows, the side blobs, and the ephemeral rows of
// sessions and items. Package internal/store/sqlite is the default one;
// internal/store/storetest is what every one passes. All methods are safe for
// concurrent use, also by several processes on one store.
type Store interface {
	// Update runs fn in one transaction that excludes every other writer, seals
	// the drafts it returns (see [event.Seal]), puts the rows they fold to, and
	// returns the events only after they are durable. Where fn returns an error
	// nothing of it stays, and that error comes back. fn can be called on another
	// goroutine, must not block on anything but tx, and must not keep tx.
	//
	// Errors: [ErrBusy] where the deadline of ctx (at most the store's own) passed
	// before the writer's turn, [ErrNewerStore], or what failed below.
	Update(ctx context.Context, fn func(tx Tx) ([]event.Draft, error)) ([]*event.Event, error)

	Reader

	// Head returns the state of the log.
	Head(ctx context.Context) (Head, error)
	// Log yields the entries from seq on in ascending order, with the leaf hashes
	// that the store keeps beside them. Their slices are good until the next one.
	Log(ctx context.Context, from int64) iter.Seq2[ledger.Entry, error]
	// Tile returns the stored hashes of a tile of the tree, as [ledger.Hashes] does;
	// nil where there is none.
	Tile(ctx context.Context, level int, index int64) ([]ledger.Hash, error)
	// Sides yields every side blob as stored, in ascending order of its event.
	Sides(ctx context.Context) iter.Seq2[StoredSide, error]
	// Rows yields every row of a folded table as stored, in ascending order of its key.
	Rows(ctx context.Context, t event.Table) iter.Seq2[event.Put, error]
	// Close ends the store; updates that wait are refused.
	Close() error
}

// Reader reads a consistent state. A [Tx] reads its own, uncommitted one.
type Reader interface {
	// Get returns one folded row, or [ErrNotFound].
	Get(ctx context.Context, t event.Table, key []byte) (event.Put, error)
	// Scan yields the rows of event.Records that q selects.
	Scan(ctx context.Context, q Query) iter.Seq2[*event.Record, error]
	// Side returns the side blob of the event at seq, checked against nothing;
	// [ErrNotFound] where there is none or it was erased.
	Side(ctx context.Context, seq int64) (StoredSide, error)
	// Session returns a session that has not expired at now (UTC ms), or [ErrNotFound].
	Session(ctx context.Context, key SessionKey, now int64) (Session, error)
	// Sessions returns the principal's sessions that have not expired at now,
	// newest first; every principal's where principal is nil.
	Sessions(ctx context.Context, principal *string, now int64) ([]Session, error)
	// Seen reports whether a mark is there and has not expired at now.
	Seen(ctx context.Context, mark [32]byte, now int64) (bool, error)
	// Words returns what is kept of the words that a session took in and has not
	// expired at now, in ascending order of its names.
	Words(ctx context.Context, key SessionKey, now int64) ([]StoredWords, error)
	// Items returns what is known of things in a downstream store, for each of the
	// keys, in the order in which they landed (not landed last); only those in one of
	// the states, where any is given. Anybody who repeats a text can make them many.
	Items(ctx context.Context, keys [][32]byte, states ...ItemState) (map[[32]byte][]StoredItem, error)
	// Speakers returns, of the items of a key, the first and the last [EachVoice] of each
	// state and [Voice] of their records, in the order of Items. It takes as long as there
	// are voices, not items: of at most so many, and more says that there are others. Records
	// that are gone have one voice. What a transaction has yet to write may come whole.
	Speakers(ctx context.Context, key [32]byte, most int) (items []StoredItem, more bool, err error)
}

// Tx is a [Store]'s transaction.
type Tx interface {
	Reader
	// Now is the time of the events that this transaction seals, UTC ms.
	Now() int64
	// Seq is the sequence number that the first draft of this call will get.
	Seq() int64
	// MergeSession joins s into the stored session of that key (labels join, the
	// later expiry and last use win, the earliest start and the first surface stay) and
	// returns the result.
	MergeSession(s Session) (Session, error)
	// EndSession drops a session's row. Unknown keys are no error.
	EndSession(key SessionKey) error
	// Mark leaves a mark until expires (UTC ms), or longer where it was to stay longer.
	Mark(mark [32]byte, expires int64) error
	// Take removes a mark and reports whether it was there: it can be spent once.
	Take(mark [32]byte) (bool, error)
	// PutWords adds or replaces the words of (Session, Name).
	PutWords(w StoredWords) error
	// PutItem adds or replaces the item of (Key, Record).
	PutItem(it StoredItem) error
	// EraseSide drops the side blob of the event at seq.
	EraseSide(seq int64) error
}

// Errors of a store, for [errors.Is].
var (
	ErrNotFound   = errors.New("not found")
	ErrBusy       = errors.New("the store is busy: another process is writing; try again")
	ErrNewerStore = errors.New("the store was written by a newer version of hearsay; update this program")
	ErrClosed     = errors.New("the store is closed")
)

// Head is the state of the log.
type Head struct {
	LogID      string // names the log; the origin line of its checkpoints
	T          int64  // time of the last event, UTC ms
	Frontier   ledger.Frontier
	Checkpoint []byte // the newest signed checkpoint; nil for an empty log
	MinWriter  int    // versions below it may not append
}

// Query selects records. The zero value selects all, oldest first.
type Query struct {
	Queue  event.Queue              // only those that wait there; QueueNone: all
	After  hearsay.RecordID         // only ids after it in the order of the scan; zero: from the start
	Newest bool                     // newest first
	Limit  int                      // at most so many; 0: no bound
	Match  func(*event.Record) bool // nil: all; called before Limit counts
}

// StoredSide is a side blob as it is stored.
type StoredSide struct {
	Seq  int64
	Salt [32]byte
	Blob []byte
}

// StoredWords are keyed fingerprints of what a session took in; no text. They are
// ephemeral: losing them means that nothing is attributed to the user.
type StoredWords struct {
	Session SessionKey
	Name    string // of the turn or of the source, unique in the session
	Data    []byte
	Expires int64
}

// SessionKey is the key of a session: a tuple, never a joined string.
type SessionKey struct {
	Principal string
	ID        string
}

// Session is one conversation of one agent for one principal. Its label only
// sinks. Times are UTC ms.
type Session struct {
	Key     SessionKey
	Agent   string
	Surface hearsay.Surface
	Label   hearsay.Label
	Host    string // the host process that it belongs to; empty: not known
	Started int64
	Used    int64
	Expires int64
}

// StoredItem is one thing in a downstream store (an observation, an entity, a note)
// and a record that would put it there, or did.
type StoredItem struct {
	Key    [32]byte // store-keyed digest
	Record hearsay.RecordID
	State  ItemState
	Landed int64 // seq of the event that saw it land; 0: not landed
}

// ItemState is what became of an item.
type ItemState uint8

// The states of an item.
const (
	ItemWaiting ItemState = iota // held, or not yet seen to land
	ItemLanded                   // seen to land
	ItemGone                     // deleted again
)
