package memtool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/internal/memfile"
)

// maxMoved bounds the bytes that one command takes away or moves: the record of it keeps
// them all.
const maxMoved = 4 << 20

// remove deletes a file, or a folder with all files in it. The record of it is their
// tombstone: it holds the bytes, for a person.
func (h *Handler) remove(ctx context.Context, f *folder, in *input) (string, error) {
	if len(in.path) == 0 {
		return "", faultf("Cannot delete the %s directory itself", top)
	}
	files, folders, err := f.below(in.path, in)
	if err != nil {
		return "", err
	}
	ch := change{op: event.Delete}
	for _, n := range files {
		data, err := memfile.Read(f.file(n))
		if err != nil {
			return "", err
		}
		ch.edits = append(ch.edits, memfile.Edit{Path: f.file(n), Delete: true, Old: string(data)})
	}
	// Folders that hold nothing say nothing: only files are decided about.
	if len(files) > 0 {
		if err := h.make(ctx, ch); err != nil {
			return "", err
		}
	}
	if !f.clear(folders) {
		return "", faultf("Deleted the files in %s. The folder stays: it holds something that this tool does not touch.", in.path)
	}
	return fmt.Sprintf("Successfully deleted %s", in.spelt), nil
}

// rename moves a file, or a folder with all files in it, to a name that nothing has. Who
// said each line goes with them.
func (h *Handler) rename(ctx context.Context, f *folder, in *input) (string, error) {
	if len(in.path) == 0 || len(in.to) == 0 {
		return "", faultf("Cannot rename the %s directory itself", top)
	}
	files, folders, err := f.below(in.path, in)
	if err != nil {
		return "", err
	}
	there, _, err := f.find(in.to)
	if err != nil {
		return "", err
	}
	if there == len(in.to) {
		return "", faultf("The destination %s already exists", in.to)
	}
	if len(in.to) > len(in.path) && slices.Equal(in.to[:len(in.path)], in.path) {
		return "", faultf("A folder cannot be moved into itself")
	}
	moved := func(n name) name { return slices.Concat(in.to, n[len(in.path):]) }
	ch := change{op: event.Update}
	for _, n := range files {
		if len(moved(n)) > maxDepth {
			return "", faultf("The path would be more than %d folders deep: use a shorter one", maxDepth)
		}
		data, err := memfile.Read(f.file(n))
		if err != nil {
			return "", err
		}
		ch.edits = append(ch.edits, memfile.Edit{Path: f.file(n), New: string(data), Whole: true, MoveTo: f.file(moved(n))})
	}
	if said := says(in.to[there:]); said != "" {
		ch.names = []string{said}
	}
	if len(files) == 0 {
		return "", faultf("The folder %s holds no file, so there is nothing to rename: create a file in %s", in.path, in.to)
	}
	if err := h.make(ctx, ch); err != nil {
		return "", err
	}
	if !f.clear(folders) {
		return "", faultf("Renamed the files in %s to %s. The old folder stays: it holds something that this tool does not touch.", in.path, in.to)
	}
	return fmt.Sprintf("Successfully renamed %s to %s", in.spelt, in.other), nil
}

// below lists the files at or below a name, and the folders from the innermost on.
func (f *folder) below(n name, in *input) (files, folders []name, err error) {
	there, info, err := f.find(n)
	switch {
	case err != nil:
		return nil, nil, err
	case there < len(n):
		return nil, nil, faultf("The path %s does not exist", in.path)
	case !info.IsDir():
		return []name{n}, nil, nil
	}
	entries, _, err := f.walk(n)
	if err != nil {
		return nil, nil, err
	}
	folders = []name{n}
	var bytes int64
	for _, e := range entries {
		if e.info.IsDir() {
			folders = append(folders, e.name)
			continue
		}
		files, bytes = append(files, e.name), bytes+e.size
	}
	if bytes > maxMoved {
		return nil, nil, faultf("The folder has %d bytes, and at most %d are moved or deleted at once: take its files one by one", bytes, maxMoved)
	}
	slices.Reverse(folders)
	return files, folders, nil
}

// clear removes folders that are empty by now, and reports whether all are gone. One that
// is not holds what somebody else put there.
func (f *folder) clear(folders []name) bool {
	for _, n := range folders {
		if err := f.root.Remove(localName(n)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false
		}
	}
	return true
}
