package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/hearsay-memory/hearsay/internal/portable"
)

// Bounds of one import beside those of package portable.
const (
	maxImportBytes   = 256 << 20 // of all files, or of what comes of them where that is more
	maxImportEntries = 200_000   // files and folders that are looked at
	maxImportFaults  = 20        // entries that cannot be read, and are said
	maxImportFault   = 500       // bytes of what is said of one
)

// exportName is the file of an export of ours that says everything.
const exportName = "memories.jsonl"

// gathered is what an import has read. Nothing of it is written yet.
type gathered struct {
	format  portable.Format
	guessed bool
	items   []portable.Item
	files   int
	left    []string // Markdown by its name, and no plain file
	others  int      // files that are no Markdown
	bytes   int
	faults  []error
}

// gather reads a file or a folder. Either all that it should read comes back, or an error
// that names what it could not.
func gather(name string, format portable.Format) (*gathered, error) {
	g := &gathered{format: format}
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, usageError("%s does not exist", name)
	case err != nil:
		return nil, err
	case info.IsDir():
		err = g.folder(name)
	case info.Mode().IsRegular():
		err = g.file(name)
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, usageError("%s is a link: name what it leads to", name)
	default:
		return nil, usageError("%s is no plain file and no folder", name)
	}
	if err != nil {
		return nil, err
	}
	if len(g.faults) > 0 {
		return nil, fmt.Errorf("nothing was written, because not everything could be read:\n%w", errors.Join(g.faults...))
	}
	return g, nil
}

func (g *gathered) file(name string) error {
	root, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer root.Close()
	base := filepath.Base(name)
	data, err := readPlain(root, base)
	if err != nil {
		return err
	}
	if g.format == "" {
		if g.format, g.guessed = portable.Guess(base, data); !g.guessed {
			return usageError("what %s holds cannot be told: say it with --format markdown, server-memory, mem0 or hearsay", name)
		}
	}
	return g.take(base, data)
}

// folder reads an export of ours by its JSON lines, and of any other folder the Markdown.
func (g *gathered) folder(name string) error {
	root, err := os.OpenRoot(name)
	if err != nil {
		return err
	}
	defer root.Close()
	if g.format == "" {
		g.format, g.guessed = portable.Markdown, true
		if info, err := root.Lstat(exportName); err == nil && info.Mode().IsRegular() {
			g.format = portable.Hearsay
		}
	}
	switch g.format {
	case portable.Markdown:
		return g.walk(root)
	case portable.Hearsay:
		for part := 1; ; part++ {
			data, err := readPlain(root, exportPart(part))
			if errors.Is(err, fs.ErrNotExist) && part > 1 {
				return nil
			}
			if err != nil {
				return err
			}
			if err := g.take(exportPart(part), data); err != nil {
				return err
			}
		}
	}
	return usageError("--format %s is of one file, and %s is a folder", g.format, name)
}

// exportPart names the files of an export's JSON lines, from 1.
func exportPart(n int) string {
	if n == 1 {
		return exportName
	}
	return fmt.Sprintf("memories-%d.jsonl", n)
}

// walk reads the Markdown below a folder, in the order of the names. What is hidden (.git,
// .obsidian) is not looked at, and no link is followed.
func (g *gathered) walk(root *os.Root) error {
	entries := 0
	return fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entries++; entries > maxImportEntries {
			return fmt.Errorf("more than %d files and folders: import a part of them", maxImportEntries)
		}
		hidden := strings.HasPrefix(d.Name(), ".") && name != "."
		switch {
		case d.IsDir() && hidden:
			return fs.SkipDir
		case d.IsDir(), hidden:
			return nil
		case !portable.IsMarkdown(name):
			g.others++
			return nil
		case !d.Type().IsRegular():
			g.left = append(g.left, name)
			return nil
		}
		data, err := readPlain(root, filepath.FromSlash(name))
		if err != nil {
			return g.fault(err)
		}
		return g.take(name, data)
	})
}

// take reads the memories of one file. What cannot be read is kept for the end, so that a
// person mends all of it at once.
func (g *gathered) take(name string, data []byte) error {
	g.files++
	items, err := portable.Read(g.format, name, data)
	if err != nil {
		return g.fault(err)
	}
	texts := 0
	for i := range items {
		texts += len(items[i].Text)
	}
	if g.bytes += max(len(data), texts); g.bytes > maxImportBytes {
		return fmt.Errorf("more than %d MiB: import a part of it", maxImportBytes>>20)
	}
	if g.items = append(g.items, items...); len(g.items) > portable.MaxItems {
		return fmt.Errorf("more than %d memories: import a part of them", portable.MaxItems)
	}
	return nil
}

// fault keeps what could not be read. It is an error itself where there are too many.
func (g *gathered) fault(err error) error {
	if text := err.Error(); len(text) > maxImportFault {
		err = errors.New(text[:maxImportFault] + "…") // it repeats something of the file
	}
	if g.faults = append(g.faults, err); len(g.faults) == maxImportFaults {
		return fmt.Errorf("nothing was written, and this is not all that could not be read:\n%w", errors.Join(g.faults...))
	}
	return nil
}

// readPlain reads a plain file of at most [portable.MaxFile] bytes, and no other one that
// took its place.
func readPlain(root *os.Root, name string) ([]byte, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no plain file", name)
	}
	tooLong := fmt.Errorf("%s has more than %d MiB: split it", name, portable.MaxFile>>20)
	if info.Size() > portable.MaxFile {
		return nil, tooLong
	}
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if now, err := f.Stat(); err != nil || !os.SameFile(info, now) {
		return nil, fmt.Errorf("%s was replaced while it was looked at: try again", name)
	}
	data, err := io.ReadAll(io.LimitReader(f, portable.MaxFile+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if len(data) > portable.MaxFile {
		return nil, tooLong
	}
	return data, nil
}
