package shell

import (
	"slices"
	"strings"

	"github.com/hearsay-memory/hearsay"
)

// collector gathers effects.
type collector struct {
	ctx     Context
	found   Effects
	actions action
	away    int // above zero, commands run on another machine or in a container
	work    int // what is left of the work that the command may cause
	// brought are paths that the command itself brought from elsewhere, and
	// written what it wrote into files, by path.
	brought []string
	written map[string]stream
}

func (w *collector) does(a action) {
	if w.away > 0 {
		a &^= onLocalFiles
	}
	w.actions |= a
}

// opaque says that some part could not be read, so that it may be anything.
func (w *collector) opaque() {
	w.found.Opaque = true
	w.does(shellUntrusted)
}

func (w *collector) unsure() { w.found.Unsure = true }

// spend reports whether there is work left after n more.
func (w *collector) spend(n int) bool {
	w.work -= n
	if w.work < 0 {
		w.opaque()
		return false
	}
	return true
}

func (w *collector) source(kind, ref string) {
	if len(w.found.Sources) >= 2*maxFound {
		w.opaque()
		return
	}
	w.found.Sources = append(w.found.Sources, hearsay.Source{Type: kind, Ref: ref})
}

// web says that text from a host, as far as it is known, flows in.
func (w *collector) web(ref string) {
	w.does(shellNetwork)
	ref, _, _ = strings.Cut(ref, unknownText)
	w.source("web", ref)
}

func (w *collector) add(list *[]string, path string) {
	if len(*list) >= maxFound {
		w.opaque()
		return
	}
	*list = append(*list, path)
}

// read says that the file, or what lies beneath the directory, flows in.
func (w *collector) read(path string) {
	if w.away > 0 || pseudo(path) {
		return
	}
	w.add(&w.found.Reads, path)
	switch {
	case path == "/":
		w.source("unknown", "")
	case !w.inWorkspace(path):
		w.source("document", path)
	case w.untrusted(path):
		w.source("dependency", path)
	default:
		w.source("workspace_file", path)
	}
}

func (w *collector) write(path string) {
	if w.away > 0 || pseudo(path) {
		return
	}
	w.add(&w.found.Writes, path)
	w.change(path)
}

func (w *collector) remove(path string) {
	if w.away > 0 || pseudo(path) {
		return
	}
	w.add(&w.found.Deletes, path)
	w.change(path)
}

// runs says that a program is run.
func (w *collector) runs(name string) {
	if name != "" {
		w.add(&w.found.Programs, name)
	}
}

// change says that something at the path is written or deleted.
func (w *collector) change(path string) {
	if !w.inWorkspace(path) && !w.temporary(path) {
		w.does(fileOutside)
	}
	if autorun(path) {
		w.does(fileAutorun)
	}
}

// fetch says that what lies at the path comes from elsewhere.
func (w *collector) fetch(path string) {
	if w.away > 0 || pseudo(path) {
		return
	}
	if path == "/" { // it is not known where; that is not everywhere
		w.unsure()
		return
	}
	w.add(&w.found.Fetched, path)
	if len(w.brought) < maxChoices*maxChoices {
		w.brought = append(w.brought, path)
	} else {
		w.opaque()
	}
}

// untrusted reports whether somebody else wrote what lies at the path.
func (w *collector) untrusted(path string) bool {
	if w.ctx.Untrusted != nil && w.ctx.Untrusted(path) {
		return true
	}
	return slices.ContainsFunc(w.brought, func(root string) bool { return beneath(path, root) })
}

func (w *collector) inWorkspace(path string) bool {
	return slices.ContainsFunc(w.ctx.Workspace, func(root string) bool { return beneath(path, root) })
}

// effects returns what was found.
func (w *collector) effects() Effects {
	e := w.found
	e.Actions = (w.actions | shellExecute).names()
	e.Installs = w.actions&shellInstall != 0
	if e.Opaque {
		e.Sources = append(e.Sources, hearsay.Source{Type: "unknown"})
	}
	slices.SortFunc(e.Sources, func(a, b hearsay.Source) int {
		if n := strings.Compare(a.Type, b.Type); n != 0 {
			return n
		}
		return strings.Compare(a.Ref, b.Ref)
	})
	e.Sources = slices.Compact(e.Sources)
	for _, list := range []*[]string{&e.Reads, &e.Writes, &e.Deletes, &e.Fetched} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return e
}
