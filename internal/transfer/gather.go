package transfer

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
	maxBytes   = 256 << 20 // of all files, or of what comes of them where that is more
	maxEntries = 200_000   // files and folders that are looked at
	MaxFaults  = 20        // entries that cannot be read, and are said
	maxFault   = 500       // bytes of what is said of one
)

// Gathered is what an import has read. Nothing of it is written yet.
type Gathered struct {
	Format  portable.Format
	Guessed bool
	Items   []portable.Item
	Files   int
	Left    []string // Markdown by its name, and no plain file
	Others  int      // files that are no Markdown
	bytes   int
	faults  []error
}

// Unfit says that what was named cannot be imported so: another name, or another format, is
// wanted.
type Unfit string

func (u Unfit) Error() string { return string(u) }

func unfit(format string, args ...any) error { return Unfit(fmt.Sprintf(format, args...)) }

// Gather reads a file or a folder. Either all that it should read comes back, or an error
// that names what it could not.
func Gather(name string, format portable.Format) (*Gathered, error) {
	g := &Gathered{Format: format}
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, unfit("%s does not exist", name)
	case err != nil:
		return nil, err
	case info.IsDir():
		err = g.folder(name)
	case info.Mode().IsRegular():
		err = g.file(name)
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, unfit("%s is a link: name what it leads to", name)
	default:
		return nil, unfit("%s is no plain file and no folder", name)
	}
	if err != nil {
		return nil, err
	}
	if len(g.faults) > 0 {
		return nil, fmt.Errorf("nothing was written, because not everything could be read:\n%w", errors.Join(g.faults...))
	}
	return g, nil
}

func (g *Gathered) file(name string) error {
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
	if g.Format == "" {
		if g.Format, g.Guessed = portable.Guess(base, data); !g.Guessed {
			return unfit("what %s holds cannot be told: say it with --format markdown, server-memory, mem0 or hearsay", name)
		}
	}
	return g.take(base, data)
}

// folder reads an export of ours by its JSON lines, and of any other folder the Markdown.
func (g *Gathered) folder(name string) error {
	root, err := os.OpenRoot(name)
	if err != nil {
		return err
	}
	defer root.Close()
	if g.Format == "" {
		g.Format, g.Guessed = portable.Markdown, true
		if info, err := root.Lstat(MemoriesName); err == nil && info.Mode().IsRegular() {
			g.Format = portable.Hearsay
		}
	}
	switch g.Format {
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
	return unfit("--format %s is of one file, and %s is a folder", g.Format, name)
}

// walk reads the Markdown below a folder, in the order of the names. What is hidden (.git,
// .obsidian) is not looked at, and no link is followed.
func (g *Gathered) walk(root *os.Root) error {
	entries := 0
	return fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entries++; entries > maxEntries {
			return fmt.Errorf("more than %d files and folders: import a part of them", maxEntries)
		}
		hidden := strings.HasPrefix(d.Name(), ".") && name != "."
		switch {
		case d.IsDir() && hidden:
			return fs.SkipDir
		case d.IsDir(), hidden:
			return nil
		case !portable.IsMarkdown(name):
			g.Others++
			return nil
		case !d.Type().IsRegular():
			g.Left = append(g.Left, name)
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
func (g *Gathered) take(name string, data []byte) error {
	g.Files++
	items, err := portable.Read(g.Format, name, data)
	if err != nil {
		return g.fault(err)
	}
	texts := 0
	for i := range items {
		texts += len(items[i].Text)
	}
	if g.bytes += max(len(data), texts); g.bytes > maxBytes {
		return fmt.Errorf("more than %d MiB: import a part of it", maxBytes>>20)
	}
	if g.Items = append(g.Items, items...); len(g.Items) > portable.MaxItems {
		return fmt.Errorf("more than %d memories: import a part of them", portable.MaxItems)
	}
	return nil
}

// fault keeps what could not be read. It is an error itself where there are too many.
func (g *Gathered) fault(err error) error {
	if text := err.Error(); len(text) > maxFault {
		err = errors.New(text[:maxFault] + "…") // it repeats something of the file
	}
	if g.faults = append(g.faults, err); len(g.faults) == MaxFaults {
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
