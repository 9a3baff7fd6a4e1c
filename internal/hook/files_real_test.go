package hook

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay/internal/memfile"
)

// Where a file system does not tell spellings apart, a file has the name that its folder
// says.
func TestSpelling(t *testing.T) {
	files := []string{"/w", "/w/Memory", "/w/Memory/Caf\u00e9.md", "/w/MEMORY.md", "/w/123"}
	find := func(name string, same func(a, b string) bool) string {
		name = strings.TrimSuffix(name, "/")
		if i := slices.IndexFunc(files, func(f string) bool { return same(f, name) }); i >= 0 {
			return files[i]
		}
		return ""
	}
	folds := func(a, b string) bool { return memfile.Fold(a) == memfile.Fold(b) }
	exact := func(a, b string) bool { return a == b }
	for _, insensitive := range []bool{true, false} {
		as := exact
		if insensitive {
			as = folds
		}
		same := func(a, b string) bool { return find(a, as) != "" && find(a, as) == find(b, as) }
		list := func(dir string) (out []string) {
			for _, f := range files {
				if as(path.Dir(f), path.Clean(dir)) {
					out = append(out, path.Base(f))
				}
			}
			return out
		}
		for name, want := range map[string]string{
			"/w/memory.md": "/w/MEMORY.md", "/W/mEMORY.md": "/w/MEMORY.md", "/w/memory/cafe\u0301.MD": "/w/Memory/Caf\u00e9.md",
			"/w/memory/new.md": "/w/Memory/new.md", "/w/123": "/w/123", "/w/other/x": "/w/other/x", "/": "/",
		} {
			if !insensitive {
				want = name
			}
			if got := spelling(name, same, list); got != want {
				t.Errorf("%s is spelt %s, want %s", name, got, want)
			}
		}
	}
}
