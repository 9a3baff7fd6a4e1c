package home

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// MaxCheckpoint bounds a signed checkpoint, in bytes.
const MaxCheckpoint = 16 << 10

// ErrRollback is returned when a target has already seen a later or a different tree than the checkpoint to be
// copied. Either the store was put back to an older state, or the target belongs to another log.
var ErrRollback = errors.New("the outside copy contradicts this checkpoint")

// Names inside a directory target.
const (
	copyNewest  = "checkpoint"      // the newest one alone, replaced atomically; what `verify --against` reads
	copyHistory = "checkpoints.log" // all of them, appended
)

// tornMark follows an entry of a history that a crash cut short, so that readers skip it.
const tornMark = "\n\n# the entry above was cut short\n\n"

// CheckTarget says whether a string names a place that CopyCheckpoint can write: an absolute path, optionally written
// as file:/path. A directory, or a path with a trailing separator, gets the newest checkpoint and a history; any
// other path is the history. Other schemes are refused by name, and so is a place inside the home, where a copy would
// be lost together with what it should witness.
func (h *Home) CheckTarget(target string) error {
	path, err := targetPath(target)
	if err != nil {
		return err
	}
	dir := path
	for { // the nearest directory that exists, links resolved
		resolved, err := filepath.EvalSymlinks(dir)
		if err == nil {
			dir = resolved
			break
		}
		up := filepath.Dir(dir)
		if up == dir {
			break
		}
		dir = up
	}
	if within(path, h.dir) || within(dir, h.dir) || above(dir, h.dir) {
		return fmt.Errorf("home: checkpoint target %s lies inside the home; a copy proves something only where it is not lost or replaced with the store", path)
	}
	return nil
}

// targetPath turns a target into a path that keeps its trailing separator.
func targetPath(target string) (string, error) {
	path := target
	if scheme, rest, ok := strings.Cut(target, ":"); ok && len(scheme) > 1 && !strings.ContainsAny(scheme, `/\`) {
		if scheme != "file" || strings.HasPrefix(rest, "//") && !strings.HasPrefix(rest, "///") {
			return "", fmt.Errorf("home: checkpoint target %q: %q is not supported; give an absolute path or file:/path", target, scheme)
		}
		path = strings.TrimPrefix(rest, "//")
	}
	if !filepath.IsAbs(path) || strings.ContainsRune(path, 0) {
		return "", fmt.Errorf("home: checkpoint target %q is not an absolute path", target)
	}
	if strings.HasSuffix(path, "/") || os.IsPathSeparator(path[len(path)-1]) {
		return filepath.Clean(path) + string(filepath.Separator), nil
	}
	return filepath.Clean(path), nil
}

// CopyCheckpoint puts a signed checkpoint (C2SP tlog-checkpoint) into every target and returns the joined errors of
// those that failed; the others have it, on disk. Call it while holding the lock. Signatures are not checked here.
// A target whose last entry is of a larger tree, of another tree of the same size, or of another log is left as it
// is and gives [ErrRollback]. Copying the newest entry again does nothing.
func (h *Home) CopyCheckpoint(targets []string, msg []byte) error {
	head, err := parseHead(msg)
	if err != nil {
		return fmt.Errorf("home: not a signed checkpoint: %w", err)
	}
	var errs []error
	for _, t := range targets {
		if err := h.CheckTarget(t); err != nil {
			errs = append(errs, err)
			continue
		}
		path, err := targetPath(t)
		if err == nil {
			err = copyTo(path, msg, head)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("home: checkpoint copy to %s: %w", t, err))
		}
	}
	return errors.Join(errs...)
}

func copyTo(path string, msg []byte, head checkpointHead) error {
	info, err := os.Stat(path)
	asDir := os.IsPathSeparator(path[len(path)-1])
	switch {
	case err == nil && asDir && !info.IsDir():
		return errors.New("it is a file, not a directory")
	case err == nil:
		asDir = info.IsDir()
	case asDir:
		if err := os.MkdirAll(path, DirMode); err != nil {
			return err
		}
	}
	if !asDir {
		return appendHistory(path, msg, head)
	}
	// History first: after a crash between the two, `checkpoint` is merely older, and the next copy repairs it.
	if err := appendHistory(filepath.Join(path, copyHistory), msg, head); err != nil {
		return err
	}
	newest := filepath.Join(path, copyNewest)
	if have, err := os.ReadFile(newest); err == nil && bytes.Equal(have, msg) {
		return nil
	}
	return writeAtomic(newest, msg, FileMode)
}

// appendHistory adds msg and a blank line to a history and syncs it. It only ever appends, so the file may be
// append-only by the file system's own rule.
func appendHistory(path string, msg []byte, head checkpointHead) error {
	tail, err := readTail(path, 2*(MaxCheckpoint+int64(len(tornMark)))) // holds the last entry
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	all := SplitCheckpoints(tail)
	var prefix string
	switch {
	case len(tail) == 0 || bytes.HasSuffix(tail, []byte("\n\n")):
	case len(all) > 0 && bytes.HasSuffix(tail, all[len(all)-1]):
		prefix = "\n" // only the blank line is missing
	default:
		prefix = tornMark
	}
	if len(all) > 0 {
		newest := all[len(all)-1]
		if prefix == "" && bytes.Equal(newest, msg) {
			return nil
		}
		seen, err := parseHead(newest)
		if err != nil {
			return fmt.Errorf("its last entry cannot be read: %w", err)
		}
		if err := seen.precedes(head); err != nil {
			return err
		}
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, FileMode)
	if err != nil {
		return err
	}
	defer f.Close()
	// One write, so that two processes at worst repeat an entry and never mix two.
	entry := append(append([]byte(prefix), msg...), '\n')
	if _, err := f.Write(entry); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return f.Close()
}

// readTail reads the last bytes of a file.
func readTail(path string, last int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	from := max(0, info.Size()-last)
	return io.ReadAll(io.NewSectionReader(f, from, info.Size()-from))
}

// SplitCheckpoints returns the checkpoints of a history, oldest first, each in the exact bytes that were signed.
// Entries that a crash cut short are left out. A file with a single checkpoint is a history of one. The results
// share data's memory. Signatures are not checked.
func SplitCheckpoints(data []byte) [][]byte {
	var out [][]byte
	start := 0 // of the body that is being read
	for start < len(data) {
		bodyEnd := bytes.Index(data[start:], []byte("\n\n"))
		if bodyEnd < 0 {
			break
		}
		sigs := start + bodyEnd + 2
		if !bytes.HasPrefix(data[sigs:], []byte(sigPrefix)) {
			start = sigs // no signatures follow: a torn body, a mark, or the end of one that the tail cut off
			for start < len(data) && data[start] == '\n' {
				start++
			}
			continue
		}
		end := sigs + len(data[sigs:])
		if i := bytes.Index(data[sigs:], []byte("\n\n")); i >= 0 {
			end = sigs + i + 1
		}
		next := min(end+1, len(data))
		entry := data[start:end]
		if _, err := parseHead(entry); err == nil && !bytes.HasPrefix(data[next:], []byte(strings.TrimLeft(tornMark, "\n"))) {
			out = append(out, entry)
		}
		start = next
	}
	return out
}

const sigPrefix = "— "

// checkpointHead is what is compared between two checkpoints.
type checkpointHead struct {
	origin string
	size   uint64
	root   string
}

// parseHead reads the head of a signed note whose text is a checkpoint: origin, size, root, more lines, a blank line
// and signatures.
func parseHead(msg []byte) (checkpointHead, error) {
	if len(msg) > MaxCheckpoint {
		return checkpointHead{}, fmt.Errorf("%d bytes, at most %d are possible", len(msg), MaxCheckpoint)
	}
	body, sigs, ok := strings.Cut(string(msg), "\n\n")
	if !ok || !strings.HasPrefix(sigs, sigPrefix) || !strings.HasSuffix(sigs, "\n") || strings.Contains(sigs, "\n\n") {
		return checkpointHead{}, errors.New("no signatures")
	}
	lines := strings.SplitN(body, "\n", 4)
	if len(lines) < 3 || lines[0] == "" || lines[2] == "" || strings.HasPrefix(lines[0], "#") {
		return checkpointHead{}, errors.New("wanted an origin, a size and a root, one a line")
	}
	size, err := strconv.ParseUint(lines[1], 10, 63)
	if err != nil || strconv.FormatUint(size, 10) != lines[1] {
		return checkpointHead{}, fmt.Errorf("%.40q is not a tree size", lines[1])
	}
	return checkpointHead{origin: lines[0], size: size, root: lines[2]}, nil
}

// precedes reports, as an error, why next cannot follow the head that a target has seen.
func (seen checkpointHead) precedes(next checkpointHead) error {
	switch {
	case seen.origin != next.origin:
		return fmt.Errorf("it belongs to the log %.80q, not %.80q: %w; give each log a place of its own", seen.origin, next.origin, ErrRollback)
	case seen.size > next.size:
		return fmt.Errorf("it has seen %d entries and the ledger has %d: %w; run `hearsay verify --against` with it", seen.size, next.size, ErrRollback)
	case seen.size == next.size && seen.root != next.root:
		return fmt.Errorf("it has seen another tree of %d entries: %w; run `hearsay verify --against` with it", seen.size, ErrRollback)
	}
	return nil
}
