package portable

import (
	"fmt"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// maxShownID bounds an id that names a memory to people, in bytes; any other is named by
// where it stands.
const maxShownID = 64

// readMem0 reads what Mem0's get_all gives: {"results": [{"id", "memory", "metadata",
// "categories", …}]}, or the bare list of an export. The metadata is settable by whoever
// wrote the memory, so nothing of it says who spoke.
func readMem0(name string, data []byte) ([]Item, error) {
	v, err := (strictjson.Limits{}).Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	list := v
	for _, key := range [...]string{"results", "memories"} {
		if inner, ok := v.Get(key); ok {
			list = inner
		}
	}
	if list.Kind() != strictjson.KindArray {
		return nil, fmt.Errorf(`%s: neither a list of memories nor {"results": […]}`, name)
	}
	var items []Item
	for i, m := range list.Elements() {
		it := Item{Ref: fmt.Sprintf("%s[%d]", name, i), Doc: memory.Doc{Kind: usualKind, Text: text(m, "memory")}}
		if id := text(m, "id"); id != "" && len(id) <= maxShownID && hearsay.ValidTag(id) {
			it.Ref = name + " " + id
		}
		if it.Text == "" {
			return nil, fmt.Errorf(`%s: no text under "memory"`, it.Ref)
		}
		categories, _ := m.Get("categories")
		for _, c := range categories.Elements() {
			if c.Kind() == strictjson.KindString {
				it.Tags = append(it.Tags, c.String())
			}
		}
		items = append(items, it)
		if err := tooMany(name, len(items)); err != nil {
			return nil, err
		}
	}
	return items, nil
}
