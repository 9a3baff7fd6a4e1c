package portable_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/internal/portable"
	"github.com/hearsay-memory/hearsay/recall"
)

// A file of a few megabytes is not made into gigabytes: what every observation of an entity
// repeats, its name and its type, is bounded with the texts.
func TestNamesOfEntitiesDoNotMultiply(t *testing.T) {
	name := strings.Repeat("n", 1<<20)
	observations := strings.TrimSuffix(strings.Repeat(`"a",`, 4_000), ",")
	for _, file := range []string{
		fmt.Sprintf(`{"type":"entity","name":%q,"entityType":"x","observations":[%s]}`, name, observations),
		fmt.Sprintf(`{"entities":[{"name":%q,"entityType":"x","observations":[%s]}],"relations":[]}`, name, observations),
		strings.Repeat(fmt.Sprintf(`{"type":"entity","name":%q,"entityType":"x","observations":[%s]}`+"\n", name[:200<<10], observations), 3),
		fmt.Sprintf(`{"type":"entity","name":"n","entityType":%q,"observations":[%s]}`, name[:200<<10], observations),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		items, err := portable.Read(portable.ServerMemory, "memory.json", []byte(file))
		runtime.ReadMemStats(&after)
		if err == nil {
			t.Errorf("%d bytes became %d memories", len(file), len(items))
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 1<<30 {
			t.Errorf("%d bytes took %d", len(file), took)
		}
	}
}

// The picture of a stranger's memory comes back as what it shows, without the marks of it and
// still a stranger's.
func TestPicturesOfStrangersComeBack(t *testing.T) {
	m := memory.Memory{
		Doc: memory.Doc{Kind: recall.Learning, Title: "a title", Text: "a text", Tags: []string{"one", "two, three"}},
		ID:  hearsay.NewRecordID(1_700_000_000_000, [10]byte{1}), Label: hearsay.Label{Origin: hearsay.External, Taint: hearsay.NewTaint("web")},
	}
	items, err := portable.Read(portable.Markdown, "a.md", m.Render())
	if err != nil || len(items) != 1 {
		t.Fatalf("%+v, %v", items, err)
	}
	if got := items[0]; got.Title != m.Title || got.Text != m.Text || !slices.Equal(got.Tags, m.Tags) || got.Says.Type != "web" {
		t.Errorf("came back as %+v", got)
	}
}
