package effect

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hearsay-memory/hearsay/guard"
)

func TestGraphItems(t *testing.T) {
	tool, got, ok := GraphItems([]byte(`{"name":"delete_observations","arguments":{"deletions":[{"entityName":"a","observations":["x","y"]}]}}`))
	want := []guard.Item{{Kind: "observation", Parts: []string{"a", "x"}}, {Kind: "observation", Parts: []string{"a", "y"}}}
	if d := cmp.Diff(want, got); !ok || tool != "delete_observations" || d != "" {
		t.Errorf("%s, %v (-want +got):\n%s", tool, ok, d)
	}
}

// oddCalls have a part that a list of things would leave out, or are no call at all.
var oddCalls = []string{
	``,
	`words`,
	`[]`,
	`{"name":"create_entities"}`,
	`{"name":7,"arguments":{"entities":[]}}`,
	`{"name":"save","arguments":{"entities":[]}}`,
	`{"name":"create_entities","arguments":{"entities":[]},"more":1}`,
	`{"name":"create_entities","arguments":{"entities":[],"more":1}}`,
	`{"name":"create_entities","arguments":{"entities":{}}}`,
	`{"name":"create_entities","arguments":{"entities":[7]}}`,
	`{"name":"create_entities","arguments":{"entities":[{"name":"a","entityType":"t","observations":[],"more":1}]}}`,
	`{"name":"create_entities","arguments":{"entities":[{"name":"a","entityType":"t","observations":[7]}]}}`,
	`{"name":"create_entities","arguments":{"entities":[{"name":"a","entityType":null,"observations":[]}]}}`,
	`{"name":"create_entities","arguments":{"entities":[]},"arguments":{"entities":[{"name":"a","entityType":"t","observations":[]}]}}`,
	`{"name":"create_entities","Name":"delete_entities","arguments":{"entities":[]}}`,
	`{"name":"delete_entities","arguments":{"entityNames":"a"}}`,
	`{"name":"delete_entities","arguments":{"entityNames":["a",["b"]]}}`,
	`{"name":"create_relations","arguments":{"relations":[{"from":"a","to":"b"}]}}`,
}

// TestGraphItemsOdd: what is not understood to the last part is not taken apart.
func TestGraphItemsOdd(t *testing.T) {
	for _, content := range oddCalls {
		if tool, items, ok := GraphItems([]byte(content)); ok {
			t.Errorf("%s: taken for %s of %v", content, tool, items)
		}
	}
}

func FuzzGraphItems(f *testing.F) {
	for _, content := range oddCalls {
		f.Add([]byte(content))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		_, items, ok := GraphItems(content)
		for _, it := range items {
			if n := map[string]int{"entity": 1, "type": 2, "observation": 2, "relation": 3}[it.Kind]; ok && len(it.Parts) != n {
				t.Errorf("%v has %d parts, want %d", it, len(it.Parts), n)
			}
		}
	})
}
