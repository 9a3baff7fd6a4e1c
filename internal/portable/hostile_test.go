package portable_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay/internal/portable"
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
