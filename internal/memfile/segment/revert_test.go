package segment_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/memfile/segment"
)

// reverted is what [segment.Revert] makes, as text, where the change's lines are those
// that stand in brought.
func reverted(before, after, now, brought string) (text string, left int) {
	n, b := strings.SplitAfter(now, "\n"), strings.SplitAfter(before, "\n")
	lines, ranges := segment.Revert([]byte(before), []byte(after), []byte(now), func(i int) bool {
		return strings.Contains(brought, n[i])
	})
	var s strings.Builder
	for _, l := range lines {
		if l.Now >= 0 {
			s.WriteString(n[l.Now])
		} else {
			s.WriteString(b[l.Before])
		}
	}
	for _, r := range ranges {
		left += r.Len()
	}
	return s.String(), left
}

func TestRevert(t *testing.T) {
	const before, after, brought = "# N\na a\nb b\nc c\n", "# N\nx x\nc c\n", "x x\n"
	for name, tt := range map[string]struct {
		now, want string
		left      int
	}{
		"as it was left":         {after, before, 0},
		"added behind":           {after + "d d\n", before + "d d\n", 0},
		"added before":           {"d d\n" + after, "d d\n" + before, 0},
		"added beside":           {"# N\nx x\nd d\nc c\n", "# N\na a\nb b\nd d\nc c\n", 0},
		"the line went":          {"# N\nc c\n", "# N\nc c\n", 2},
		"the line was edited":    {"# N\nx y\nc c\n", "# N\nx y\nc c\n", 2},
		"the line moved":         {"x x\n# N\nc c\n", "# N\nc c\n", 2},
		"they came back by hand": {"# N\nx x\nb b\na a\nc c\n", "# N\nb b\na a\nc c\n", 0},
		"one of them came back":  {"# N\nx x\na a\nc c\n", "# N\na a\nb b\na a\nc c\n", 0},
		"all is new":             {"other\n", "other\n", 2},
		"nothing is left":        {"", "", 2},
	} {
		if got, left := reverted(before, after, tt.now, brought); got != tt.want || left != tt.left {
			t.Errorf("%s: %q, %d left, want %q, %d", name, got, left, tt.want, tt.left)
		}
	}
	if got, left := reverted(before, "", "", ""); got != before || left != 0 {
		t.Errorf("a deletion: %q, %d left", got, left)
	}
	if got, _ := reverted(before, "", "new\n", ""); got != before+"new\n" {
		t.Errorf("a deletion, and a new file since: %q", got)
	}
	if got, left := reverted("", "x x\n", "x x\n", "x x\n"); got != "" || left != 0 {
		t.Errorf("a new file: %q, %d left", got, left)
	}
}

func TestWhose(t *testing.T) {
	agent := segment.Owner{Label: hearsay.Label{Origin: hearsay.Agent, Taint: hearsay.Untainted}}
	user := segment.Owner{Label: hearsay.LabelIdentity}
	data := []byte("a\nb\nc\n")
	f := segment.New(data, agent).Whose([]segment.Owner{agent, user})
	if f.Fits(data) != nil || f.At(0) != agent || f.At(1) != user || f.At(2) != (segment.Owner{}) {
		t.Errorf("%v %v %v", f.At(0), f.At(1), f.At(2))
	}
}

// Every line that stands and was not brought stays, in its order; every line that comes
// back is one of those that the change dropped, once; what is neither back nor left stands
// again.
func FuzzRevert(f *testing.F) {
	f.Add([]byte("# N\na a\nb b\nc c\n"), []byte("# N\nx x\nc c\n"), []byte("# N\nx x\nc c\nd"), byte(2))
	f.Add([]byte("a\na\na\n"), []byte("a\n"), []byte("\ufeffa\na\n"), byte(1))
	f.Fuzz(func(t *testing.T, before, after, now []byte, mine byte) {
		brought := func(i int) bool { return mine != 0 && i%int(mine) == 1 }
		lines, left := segment.Revert(before, after, now, brought)
		var stand []int
		back := make(map[int]bool)
		for _, l := range lines {
			switch {
			case l.Now >= 0 && l.Before < 0:
				stand = append(stand, l.Now)
			case l.Before >= 0 && l.Now < 0 && !back[l.Before]:
				back[l.Before] = true
			default:
				t.Fatalf("%+v", l)
			}
		}
		var want []int
		for i := range segment.New(now, segment.Owner{}).Lines() {
			if !brought(i) {
				want = append(want, i)
			}
		}
		if !slices.Equal(stand, want) {
			t.Fatalf("of the lines now %v stay, want %v", stand, want)
		}
		for _, r := range left {
			for i := r.From; i < r.To; i++ {
				if back[i] {
					t.Fatalf("line %d came back and is left", i)
				}
				back[i] = true
			}
		}
		if bytes.Equal(before, after) && len(back) > 0 {
			t.Fatalf("%v of no change", back)
		}
		if bytes.Equal(after, now) {
			for _, i := range segment.Gone(before, after) {
				if !back[i] {
					t.Fatalf("line %d is lost", i)
				}
			}
			if len(left) > 0 {
				t.Fatalf("%v are left, and nothing changed since", left)
			}
		}
	})
}
