package hook

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hearsay-memory/hearsay/internal/hosts"
	"github.com/hearsay-memory/hearsay/internal/memfile"
)

// Odd is a guarded name whose lines cannot be looked at.
type Odd struct {
	Path string
	Why  string // in words of ours
}

// Odd returns those of some guarded names that stand for no ordinary file with one name
// and of a size that is looked at. A link within the tree is honest: the file that it
// leads to is looked at.
func (f *Files) Odd(names []string) []Odd {
	var out []Odd
	for _, name := range names {
		if why := f.odd(name); why != "" {
			out = append(out, Odd{name, why})
		}
	}
	return out
}

// odd says why a name cannot be looked at; empty where it can, or there is nothing.
func (f *Files) odd(name string) string {
	info, err := os.Lstat(filepath.FromSlash(name))
	if errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	if err != nil {
		return "cannot be read"
	}
	mode := info.Mode()
	switch {
	case mode&fs.ModeSymlink != 0:
		if to := f.Real(name); to != name && f.set.Set.Class(to) != memfile.Ordinary {
			return ""
		} else if _, err := os.Stat(filepath.FromSlash(name)); to != name && err == nil && f.inside(to) {
			return ""
		}
		return "a link out of the tree, or to nothing"
	case mode.IsDir():
		if strings.EqualFold(path.Ext(name), ".md") {
			return "a folder"
		}
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case !mode.IsRegular():
		return "a device"
	case memfile.Links(info) > 1:
		return fmt.Sprintf("a file with %d names (hard links)", memfile.Links(info))
	case info.Size() > memfile.MaxFile:
		return fmt.Sprintf("larger than %d MB", memfile.MaxFile>>20)
	}
	return ""
}

// Unseen returns the guarded names of the workspace and of the agents' own folders that
// cannot be looked at, and whether there are more files than are looked at.
func (f *Files) Unseen() (odd []Odd, more bool) {
	var names []string
	for _, c := range []memfile.Class{memfile.Memory, memfile.Protected} {
		listed, complete := f.set.List()
		if c == memfile.Protected {
			listed, complete = f.set.ListProtected(f.own)
		}
		more = more || !complete
		names = slices.Concat(names, listed, f.set.Fixed(c))
	}
	names = slices.DeleteFunc(names, f.ours)
	slices.Sort(names)
	return f.Odd(slices.Compact(names)), more
}

// blind tells, in one line for the agent, what could not be looked at.
func (h *Handler) blind(seen seenFiles) string {
	odd, more := h.Files.Unseen()
	if len(odd) == 0 && !more && !seen.more {
		return ""
	}
	var said []string
	if len(odd) > 0 {
		var names []string
		for _, o := range odd[:min(len(odd), maxTold)] {
			names = append(names, plainName(o.Path)+" ("+o.Why+")")
		}
		if n := len(odd) - len(names); n > 0 {
			names = append(names, fmt.Sprintf("%d more", n))
		}
		said = append(said, plural(len(odd), "guarded name", "guarded names")+": "+strings.Join(names, ", "))
	}
	if more || seen.more {
		said = append(said, fmt.Sprintf("what lies beyond %d files", memfile.MaxListed))
	}
	return "Not looked at: " + strings.Join(said, "; ") + ": what stands there is nobody's that was seen."
}

// oddNote names the note that a name could not be looked at before a command ran.
func oddNote(e hosts.Event, name string) string { return "odd/" + e.CallID + "/" + name }

// aside moves what a command put in the place of a guarded file, and nobody can look at, to
// a folder of Hearsay's own: a pipe, a link, a folder, a file beyond the bounds. It does so
// only where the name was in order before the command. What is moved is kept as it is. It
// reports whether there is nothing in the place now.
func (h *Handler) aside(ctx context.Context, e hosts.Event, name string) bool {
	why := h.Files.odd(name)
	if why == "" || h.Files.own == "" {
		return false
	}
	was, err := h.Guard.Noted(ctx, h.caller, oddNote(e, name))
	if err != nil || was {
		return false
	}
	var suffix [8]byte
	if _, err := rand.Read(suffix[:]); err != nil {
		return false
	}
	dir := filepath.Join(filepath.FromSlash(h.Files.own), "aside")
	err = os.MkdirAll(dir, 0o700)
	if err == nil {
		err = os.Rename(filepath.FromSlash(name), filepath.Join(dir, hex.EncodeToString(suffix[:])))
	}
	if err != nil {
		h.Log.Warn("what a command put in the place of a guarded file stays there", "file", name, "why", why, "error", err)
		h.told = append(h.told, plainName(name)+" is "+why+" now and could not be taken away: do not use what stands there.")
		return false
	}
	h.Log.Warn("what a command put in the place of a guarded file was moved aside", "file", name, "why", why, "to", filepath.Join(dir, hex.EncodeToString(suffix[:])))
	h.told = append(h.told, plainName(name)+" was "+why+" after the command: it was put aside for the user to look at.")
	return true
}
