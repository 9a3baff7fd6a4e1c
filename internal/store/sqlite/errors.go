package sqlite

import (
	"context"
	"errors"
	"fmt"

	"zombiezen.com/go/sqlite"

	"github.com/hearsay-memory/hearsay/guard"
)

var (
	errReadOnly = errors.New("store: it was opened for reading only; nothing was changed")
	errOver     = errors.New("store: the transaction is over: its Tx was used after the function had returned")
)

// explain says what an error of the driver means for the user. what names the thing
// that failed. Errors of other kinds go through, with what before them.
func explain(what string, err error) error {
	if err == nil {
		return nil
	}
	switch code := sqlite.ErrCode(err).ToPrimary(); code {
	case sqlite.ResultBusy, sqlite.ResultLocked:
		return fmt.Errorf("store: %s: %w (%w)", what, guard.ErrBusy, err)
	case sqlite.ResultFull:
		return fmt.Errorf("store: %s: the disk is full: %w; nothing of it was kept; free some space and try again", what, err)
	case sqlite.ResultReadOnly:
		return fmt.Errorf("store: %s: the store cannot be written: %w; nothing of it was kept; check the owner and mode of its file and directory", what, err)
	case sqlite.ResultCantOpen, sqlite.ResultPerm:
		return fmt.Errorf("store: %s: the store cannot be opened: %w; check that its directory exists and is yours", what, err)
	case sqlite.ResultCorrupt, sqlite.ResultNotADB:
		return fmt.Errorf("store: %s: the store is damaged: %w; nothing was repaired; run `hearsay verify` and restore a backup", what, err)
	}
	return fmt.Errorf("store: %s: %w", what, err)
}

// late turns the end of a wait for one's turn into [guard.ErrBusy] where it was a
// deadline, and into the context's own error where the caller cancelled.
func late(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("store: %w (%w); nothing was changed", guard.ErrBusy, err)
	}
	return fmt.Errorf("store: %w; nothing was changed", err)
}
