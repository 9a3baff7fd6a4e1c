package attack

import (
	"os"
	"path/filepath"
	"testing"
)

func TestScenarios(t *testing.T) {
	o := Options{Memory: MemoryServer(os.Getenv)}
	results, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool)
	for _, r := range results {
		seen[r.ID+" "+r.Surface] = true
		if r.Result == "fail" {
			t.Errorf("%s at %s (%s): %s", r.ID, r.Surface, r.Title, r.Detail)
		}
	}
	for _, id := range []string{"ML-001", "ML-012"} {
		if !seen[id+" engine"] || !seen[id+" mcp"] {
			t.Errorf("%s was not played at both surfaces", id)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for name, data := range map[string]string{
		"no title":       "-- script --\npolicy default\n",
		"no script":      "Title\n\nStory\n",
		"an open quote":  "Title\n-- script --\nwrite s \"x\n",
		"another script": "Title\n-- script --\n-- other --\n",
	} {
		if _, err := parse("X", []byte(data)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestMemoryServerNeedsItsFiles(t *testing.T) {
	if got := MemoryServer(func(string) string { return filepath.Join(t.TempDir(), "none") }); got != nil {
		t.Errorf("a server that is not installed: %v", got)
	}
}
