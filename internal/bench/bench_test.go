package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// childArg makes the test binary one of the other processes of a benchmark, and
// versionArg a program that says its version.
const (
	childArg   = "bench-child"
	versionArg = "bench-version"
)

func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 1 && os.Args[1] == childArg:
		err := Child(context.Background(), os.Args[:2], os.Args[2:], Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	case len(os.Args) > 1 && os.Args[1] == versionArg:
		fmt.Println("test")
	default:
		os.Exit(m.Run())
	}
}

// hookProgram builds the hook; nil where there is no tool chain to do it with.
func hookProgram(t testing.TB) []string {
	program := filepath.Join(t.TempDir(), "hearsay-hook")
	if out, err := exec.Command("go", "build", "-tags", "patient", "-o", program, "../../cmd/hearsay-hook").CombinedOutput(); err != nil {
		t.Logf("no hook program: %v: %s", err, out)
		return nil
	}
	return []string{program}
}

// short is a run that measures nothing well, and everything but the hook.
func short(t testing.TB) Config {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Config{
		Dir: t.TempDir(), Self: []string{self, childArg}, Version: []string{self, versionArg},
		Slice: time.Millisecond, Rounds: 1, Events: 3000, Calls: 300, Starts: 2, Files: 300, Memories: 300,
		Note: func(text string) { t.Log(text) },
	}
}

// The figures are not judged here: a shared machine would decide. That each path is
// measured beside a floor is.
func TestEachLine(t *testing.T) {
	hook := hookProgram(t)
	for _, b := range all {
		t.Run(b.lines[0].Name, func(t *testing.T) {
			c := short(t)
			c.Hook = hook
			var notes []string
			c.Note = func(text string) { notes = append(notes, text) }
			var want, got []string
			for _, l := range b.lines {
				want = append(want, l.Name)
			}
			err := Run(t.Context(), c, want, func(r Result) error {
				got = append(got, r.Name)
				if r.Unit == "" || !(r.Value > 0) || !(r.Floor > 0) || r.Ratio != r.Value/r.Floor {
					t.Errorf("%+v: want a unit, a value, a floor and their ratio", r)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			// A note says what the system cannot tell.
			want = slices.DeleteFunc(want, func(name string) bool {
				return slices.ContainsFunc(notes, func(n string) bool { return strings.HasPrefix(n, name+" is left out: ") })
			})
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
			if left, err := os.ReadDir(c.Dir); err != nil || len(left) > 0 {
				t.Errorf("%d files were left behind, %v", len(left), err)
			}
		})
	}
}

// Lines of one set-up can be asked for alone.
func TestRunYieldsWhatIsAsked(t *testing.T) {
	var got []string
	err := Run(t.Context(), short(t), []string{"frame-256k", "decision-50"}, func(r Result) error {
		got = append(got, r.Name)
		return nil
	})
	if diff := cmp.Diff([]string{"decision-50", "frame-256k"}, got); err != nil || diff != "" {
		t.Errorf("%v, lines (-want +got):\n%s", err, diff)
	}
}

// The page of the benchmarks has a row for each line, in the order of the report, that
// repeats what is wanted of it.
func TestEachLineIsDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/bench.md")
	if err != nil {
		t.Fatal(err)
	}
	var documented []Line
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z0-9-]+)` \\|.*\\| ([^|]+) \\|$").FindAllSubmatch(page, -1) {
		documented = append(documented, Line{string(m[1]), string(m[2])})
	}
	if diff := cmp.Diff(Lines(), documented); diff != "" {
		t.Errorf("docs/bench.md and the lines of the report differ (-report +page):\n%s", diff)
	}
}

func TestRunRefusesUnknownNames(t *testing.T) {
	err := Run(t.Context(), short(t), []string{"decision-50", "no-such-line"}, func(r Result) error {
		t.Errorf("measured %+v", r)
		return nil
	})
	if err == nil {
		t.Error("a name that is no line's was taken")
	}
}

func TestRunStopsWhereNobodyListens(t *testing.T) {
	n := 0
	gone := fmt.Errorf("gone")
	err := Run(t.Context(), short(t), []string{"decision-50", "frame-2k", "frame-256k"}, func(Result) error { n++; return gone })
	if err != gone || n != 1 {
		t.Errorf("%d results and %v, want one and the listener's error", n, err)
	}
}

// The keys of a line are what programs read.
func TestResultJSON(t *testing.T) {
	b, err := json.Marshal(result("x", "ns", 3, 2))
	if want := `{"name":"x","value":3,"unit":"ns","floor":2,"ratio":1.5}`; err != nil || string(b) != want {
		t.Errorf("%s, %v, want %s", b, err, want)
	}
}

func TestLinesAreDistinct(t *testing.T) {
	var names []string
	for _, l := range Lines() {
		if l.Goal == "" {
			t.Errorf("%s has no goal", l.Name)
		}
		names = append(names, l.Name)
	}
	slices.Sort(names)
	if n := len(names); len(slices.Compact(names)) != n {
		t.Error("two lines have one name")
	}
}

func TestChildRefuses(t *testing.T) {
	for _, args := range [][]string{nil, {roleServer}, {roleServer, "many"}, {roleProxy, "1"}, {"nobody", "1"}, {roleStore, t.TempDir()}} {
		if err := Child(t.Context(), []string{"/nonexistent"}, args, Streams{}); err == nil {
			t.Errorf("%q ran", args)
		}
	}
}

// BenchmarkStart is the start of this test binary, which links all of the program,
// beside that of an empty program.
func BenchmarkStart(b *testing.B) {
	c := short(b)
	c.Starts = 1
	var ours, bare []float64
	for b.Loop() {
		err := Run(b.Context(), c, []string{"start"}, func(r Result) error {
			ours, bare = append(ours, r.Value), append(bare, r.Floor)
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	if len(ours) > 0 {
		b.ReportMetric(median(ours), "ns/start")
		b.ReportMetric(median(bare), "floor-ns/start")
	}
}
