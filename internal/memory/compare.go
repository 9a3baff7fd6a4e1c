package memory

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"sync"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/recall"
)

// Difference is a file of the folder that is not what the log says. It changes nothing
// that is recalled.
type Difference struct {
	ID        hearsay.RecordID `json:"id,omitzero"` // zero: of no memory
	Name      string           `json:"name"`        // below the folder, slash separated
	Kind      string           `json:"kind"`        // "changed", "missing" or "unknown"
	Authority float64          `json:"authority"`   // of the memory: its origin's, and 1 more where it is pinned
}

// Compare compares the folder with the log, what has most authority first.
func (s *Store) Compare(ctx context.Context) ([]Difference, error) {
	c, err := s.vault.Comparison()
	if err != nil {
		return nil, err
	}
	defer c.Close()
	var out []Difference
	for m, err := range s.All(ctx) {
		if err != nil {
			return nil, err
		}
		if d, differs := c.Look(m); differs {
			out = append(out, d)
		}
	}
	out = append(out, c.Rest()...)
	slices.SortFunc(out, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(b.Authority, a.Authority), cmp.Compare(a.Name, b.Name))
	})
	return out, nil
}

// Comparison holds the folder as it was when it was begun against memories, for who has
// them at hand. It is safe for concurrent use. Close it.
type Comparison struct {
	root  *os.Root
	kinds map[string]*os.Root // of the folder of each kind

	mu   sync.Mutex
	left map[string]bool // files that no memory asked for yet: whether they are plain
}

// Comparison begins to compare the folder. One that is not there has no file.
func (v Vault) Comparison() (*Comparison, error) {
	c := &Comparison{kinds: make(map[string]*os.Root), left: make(map[string]bool)}
	root, err := v.open(false)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return nil, err
	}
	c.root = root
	if err := walkFiles(root, func(name string, d fs.DirEntry) { c.left[name] = d.Type().IsRegular() }); err != nil {
		c.Close()
		return nil, err
	}
	for name := range c.left {
		kind := path.Dir(name)
		if _, err := recall.ParseKind(kind); err != nil || c.kinds[kind] != nil {
			continue
		}
		if sub, err := root.OpenRoot(kind); err == nil {
			c.kinds[kind] = sub // what is in one that cannot be opened is found to differ
		}
	}
	return c, nil
}

// Look reports how the file of a served memory differs from what was sealed.
func (c *Comparison) Look(m *Memory) (d Difference, differs bool) {
	d = Difference{ID: m.ID, Name: m.Name(), Authority: float64(m.Label.Origin)}
	if m.Claims.Pin {
		d.Authority++
	}
	c.mu.Lock()
	plain, there := c.left[d.Name]
	delete(c.left, d.Name)
	c.mu.Unlock()
	switch {
	case !there:
		d.Kind = "missing"
	case !plain || !c.same(m, d.Name):
		d.Kind = "changed"
	}
	return d, d.Kind != ""
}

// same reports whether a file is what is drawn of a memory.
func (c *Comparison) same(m *Memory, name string) bool {
	kind := c.kinds[path.Dir(name)]
	if kind == nil {
		return false
	}
	f, err := kind.Open(path.Base(name))
	if err != nil {
		return false
	}
	defer f.Close()
	want := m.Render()
	have := make([]byte, len(want)+1)
	n, err := io.ReadFull(f, have)
	return errors.Is(err, io.ErrUnexpectedEOF) && bytes.Equal(have[:n], want)
}

// Rest returns the files that no memory has which was looked at, by name.
func (c *Comparison) Rest() (out []Difference) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range slices.Sorted(maps.Keys(c.left)) {
		out = append(out, Difference{Name: n, Kind: "unknown"})
	}
	return out
}

// Close lets go of the folder.
func (c *Comparison) Close() {
	for _, k := range c.kinds {
		k.Close()
	}
	if c.root != nil {
		c.root.Close()
	}
}

// FromSealed puts a record of the own store and its side blob together, for who has read
// both and checked them against their commitments. A record that deletes has no words.
func FromSealed(r *event.Record, side event.Side) (*Memory, error) {
	return memoryOf(&guard.Shown{Record: r, Side: side})
}
