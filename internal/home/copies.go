package home

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// MaxHistory bounds a history of checkpoints that is read whole, in bytes.
const MaxHistory = 64 << 20

// NewestCopy returns the newest checkpoint that a configured place holds. Its
// signature is not checked.
func NewestCopy(target string) ([]byte, error) {
	path := strings.TrimPrefix(target, "file:")
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, copyNewest)
	}
	all, err := ReadCheckpoints(path, 4*MaxCheckpoint)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("no copy is at %s; run `hearsay checkpoint`, or find out who took it away", target)
	}
	if err != nil {
		return nil, err
	}
	return all[len(all)-1], nil
}

// ReadCheckpoints returns the checkpoints, oldest first and at least one, in the last
// bytes of a file that is one signed checkpoint or a history of them.
func ReadCheckpoints(path string, last int64) ([][]byte, error) {
	data, err := readTail(path, last)
	if err != nil {
		return nil, fmt.Errorf("read checkpoints: %w", err)
	}
	all := SplitCheckpoints(data)
	if len(all) == 0 {
		return nil, fmt.Errorf("%s holds no signed checkpoint", path)
	}
	return all, nil
}
