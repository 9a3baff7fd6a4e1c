// Package bench measures the hot paths, each beside its floor in one run: only the
// ratio counts, because the same machine is twice as fast an hour later.
//
// A path and its floor are measured in slices, in turns, and the median of the slices
// is what is told. docs/bench.md says of each line what it measures, what its floor is
// and what is wanted. Nothing here judges a figure.
package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"
)

// Result is one measurement. Ratio is Value/Floor: of times and sizes less is better,
// of rates more.
type Result struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"` // ns, 1/s, MB/s or B
	Floor float64 `json:"floor"`
	Ratio float64 `json:"ratio"`
}

// result makes a result of two values of one unit.
func result(name, unit string, value, floor float64) Result {
	return Result{Name: name, Value: value, Unit: unit, Floor: floor, Ratio: value / floor}
}

// Line is a line of the report: its name, which is stable, and what is wanted of it.
type Line struct{ Name, Goal string }

// Config says how to measure. Dir, Self and Version are needed.
type Config struct {
	Dir     string        // empty folder on the disk that is measured; left full
	Self    []string      // command line that calls [Child] with the arguments behind it
	Version []string      // command line that prints the program's version
	Hook    []string      // command line of the hook program, without its arguments; nil: its lines are left out
	Slice   time.Duration // of one slice; 0: 200 ms
	Rounds  int           // slices of each path; 0: 5
	Events  int           // of the log that is verified; 0: 100,000
	Calls   int           // through the proxy whose memory is watched; 0: 100,000
	Starts  int           // of each program; 0: 40
	Files   int           // memory files that are looked at; 0: 10,000

	Memories int // of Hearsay's own memory that are recalled from; 0: 100,000

	// Note takes a text for people, such as why a line is left out. Nil: nobody reads.
	Note func(text string)
}

func (c *Config) fill() {
	for _, n := range []struct {
		of    *int
		usual int
	}{{&c.Rounds, 5}, {&c.Events, 100_000}, {&c.Calls, 100_000}, {&c.Starts, 40}, {&c.Files, 10_000}, {&c.Memories, 100_000}} {
		if *n.of <= 0 {
			*n.of = n.usual
		}
	}
	if c.Slice <= 0 {
		c.Slice = 200 * time.Millisecond
	}
	if c.Note == nil {
		c.Note = func(string) {}
	}
}

// bench measures the lines that come of one set-up.
type bench struct {
	lines []Line
	run   func(context.Context, *Config) ([]Result, error)
}

// all lists the benchmarks in the order of the report.
var all = [...]bench{
	{[]Line{{"decision-50", "value ≤ 200 ns"}}, decision},
	{[]Line{{"check-write", "value ≤ 6 µs"}}, check},
	{[]Line{{"lint-text", "value ≥ 100 MB/s"}, {"lint-worst", "value ≥ 100 MB/s"}}, lintTexts},
	{[]Line{{"frame-2k", "value ≤ 3 µs"}, {"frame-256k", "value ≤ 300 µs"}}, frames},
	{[]Line{{"verify-memory", "ratio ≥ 0.4"}}, verifyMemory},
	{[]Line{{"write-append", "ratio ≤ 1.6"}, {"write-driver", "ratio ≤ 1.3"}}, alone},
	{[]Line{{"group-64", "ratio ≥ 0.5"}, {"group-256", "ratio ≥ 0.75"}, {"group-gain", "ratio ≥ 10"}}, groups},
	{[]Line{{"processes-8", "value ≤ 200 ms"}, {"processes-8-rate", "none"}}, processes},
	{[]Line{
		{"proxy-2k", "ratio ≤ 2"}, {"proxy-2k-added", "ratio ≤ 2"}, {"call-sealed", "none"},
		{"proxy-256k", "ratio ≤ 2.5"}, {"proxy-256k-added", "ratio ≤ 2.5"},
	}, proxies},
	{[]Line{{"filter-1000", "none"}}, filter},
	{[]Line{{"memory-heap", "ratio ≤ 1.1"}, {"memory-rss", "ratio ≤ 1.1"}}, memory},
	{[]Line{{"verify-log", "ratio ≥ 0.8"}, {"verify-state", "none"}, {"open", "ratio ≤ 2"}}, verify},
	{[]Line{{"start", "ratio ≤ 2.2"}}, start},
	{[]Line{{"hook-read", "ratio ≤ 2.5"}, {"hook-sealed", "ratio ≤ 3.5"}}, hookStart},
	{[]Line{{"hook-files", "value ≤ floor + 2 ms"}}, hookFiles},
	{[]Line{{"files-10k", "value ≤ 300 ms"}}, unchangedFiles},
	{[]Line{{"file-edit-1mb", "value ≤ 5 ms"}}, editedFile},
	{[]Line{
		{"recall-ordinary", "ratio ≤ 1.5"}, {"recall-common", "value ≤ 60 ms"}, {"audit", "value ≤ 2 s"}, {"audit-files", "none"},
		{"sleep", "value ≤ 60 s"}, {"vectors-100k", "value ≤ 30 ms"}, {"remember", "value ≤ floor + 2 ms"},
	}, recalls},
}

// Lines lists the lines in the order of the report.
func Lines() []Line {
	var out []Line
	for _, b := range all {
		out = append(out, b.lines...)
	}
	return out
}

// Run measures the lines named in only, or all where it is empty, and yields each as it
// is measured. A name that is no line's is an error, and nothing is measured then.
func Run(ctx context.Context, c Config, only []string, yield func(Result) error) error {
	c.fill()
	known := Lines()
	for _, name := range only {
		if !slices.ContainsFunc(known, func(l Line) bool { return l.Name == name }) {
			return fmt.Errorf("no benchmark is named %q: docs/bench.md lists them", name)
		}
	}
	wanted := func(name string) bool { return len(only) == 0 || slices.Contains(only, name) }
	for _, b := range all {
		if !slices.ContainsFunc(b.lines, func(l Line) bool { return wanted(l.Name) }) {
			continue
		}
		results, err := b.in(ctx, c)
		if err != nil {
			return fmt.Errorf("measure %s: %w", b.lines[0].Name, err)
		}
		for _, r := range results {
			if !wanted(r.Name) {
				continue
			}
			if err := yield(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// in runs a benchmark in a folder of its own, so that none finds what another left.
func (b bench) in(ctx context.Context, c Config) (results []Result, err error) {
	if c.Dir, err = os.MkdirTemp(c.Dir, b.lines[0].Name+"-"); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(c.Dir)) }()
	return b.run(ctx, &c)
}
