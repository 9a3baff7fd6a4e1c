package segment_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay/internal/memfile/segment"
)

func TestDropped(t *testing.T) {
	const before = "# Notes\n- the parser lives in src/p.go\n\n- deploys need two reviews\n- tabs\n"
	for name, tt := range map[string]struct {
		after string
		want  []int
	}{
		"nothing":              {before, nil},
		"line ends":            {strings.ReplaceAll(before, "\n", "\r\n"), nil},
		"an addition":          {before + "- more\n", nil},
		"a move":               {"# Notes\n- tabs\n- deploys need two reviews\n- the parser lives in src/p.go\n", nil},
		"an edit":              {strings.Replace(before, "two reviews", "three reviews", 1), nil},
		"a merge":              {"# Notes\n- the parser lives in src/p.go; deploys need two reviews\n- tabs\n", nil},
		"wrapped":              {"# Notes\n- the parser\n  lives in\n  src/p.go\n\n- deploys need two reviews\n- tabs\n", nil},
		"wrapped elsewhere":    {"- deploys need\n  two reviews\n# Notes\n- the parser lives in src/p.go\n- tabs\n", nil},
		"a deletion":           {strings.Replace(before, "- deploys need two reviews\n", "", 1), []int{3}},
		"a short one":          {strings.Replace(before, "- tabs\n", "", 1), []int{4}},
		"a blank line":         {strings.Replace(before, "\n\n", "\n", 1), nil},
		"all":                  {"", []int{0, 1, 3, 4}},
		"others in its place":  {"# Notes\n- the parser lives in src/p.go\n\n- lunch is at noon\n- tabs\n", []int{3}},
		"a few words in other": {"# Notes\n- the moon\n- in reviews\n- tabs\n", []int{1, 3}},
	} {
		if got := segment.Dropped([]byte(before), []byte(tt.after)); !slices.Equal(got, tt.want) {
			t.Errorf("%s: lines %v, want %v", name, got, tt.want)
		}
	}
	// A line with the words that all have stands for one or two of them.
	var many strings.Builder
	for i := range 50 {
		fmt.Fprintf(&many, "- the service on port %d belongs to team %d\n", 9000+i, i)
	}
	if got := segment.Dropped([]byte(many.String()), []byte("- the service on port 1 belongs to team 2\n")); len(got) < 47 {
		t.Errorf("%d of 50 lines are dropped", len(got))
	}
	if got := segment.Dropped([]byte(many.String()), []byte(strings.ReplaceAll(many.String(), "belongs to", "is of"))); len(got) > 0 {
		t.Errorf("%d of 50 lines that were edited are dropped", len(got))
	}
	const stamped = "---\nmodified: 2026-01-31\n---\n- one two\n"
	if got := segment.Dropped([]byte(stamped), []byte(strings.Replace(stamped, "2026-01-31", "2026-02-01", 1))); got != nil {
		t.Errorf("the host's stamp: %v", got)
	}
}

// Whatever is kept line by line is not dropped, and what is dropped stood there.
func FuzzDropped(f *testing.F) {
	f.Add([]byte("a b\nc d\n"), []byte("c d\n"))
	f.Add([]byte("\ufeff---\nmodified: 2026-01-31\n---\nx y"), []byte("x\r\ny\r\n"))
	f.Fuzz(func(t *testing.T, before, after []byte) {
		lines := segment.New(before, segment.Owner{}).Lines()
		last := -1
		for _, i := range segment.Dropped(before, after) {
			if i <= last || i >= lines {
				t.Fatalf("line %d after %d of %d", i, last, lines)
			}
			last = i
		}
		if got := segment.Dropped(before, before); len(got) > 0 {
			t.Fatalf("%v dropped of what did not change", got)
		}
		if got := segment.Dropped(before, slices.Concat(before, []byte("\n"), after)); len(got) > 1 {
			t.Fatalf("%v dropped by an addition", got)
		}
	})
}

func BenchmarkDropped(b *testing.B) {
	var before, after strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&before, "- note %d of the parser and of what it reads\n", i)
		fmt.Fprintf(&after, "- line %d of something else that has other words\n", i)
	}
	for b.Loop() {
		segment.Dropped([]byte(before.String()), []byte(after.String()))
	}
}
