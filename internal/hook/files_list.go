package hook

import (
	"path"

	"github.com/hearsay-memory/hearsay/internal/memfile"
)

// Memory lists the memory files that are there; see [memfile.Set.List].
func (f *Files) Memory() (names []string, complete bool) { return f.set.List() }

// Index is the name of the file that lists the topic files beside it.
const Index = "MEMORY.md"

// Indexed reports whether a memory file is one of those that the index of its folder
// lists. At the top of a workspace other files have names that hosts know them by.
func (f *Files) Indexed(name string) bool {
	return f.Class(name) == memfile.Memory && path.Ext(name) == ".md" && path.Dir(name) != f.Workspace && path.Base(name) != Index
}
