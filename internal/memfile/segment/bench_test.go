package segment

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay"
)

// logLines returns n lines of a log as agents keep one, of about width bytes.
func logLines(n, width int, seed uint64) []string {
	r := rand.New(rand.NewPCG(seed, 1))
	out := make([]string, n)
	for i := range out {
		var s strings.Builder
		fmt.Fprintf(&s, "2026-11-%02d %02d:%02d", 1+i/1440%30, i/60%24, i%60)
		for s.Len() < width {
			fmt.Fprintf(&s, " the w%x", int(r.ExpFloat64()*400))
		}
		out[i] = s.String()
	}
	return out
}

func join(lines []string) []byte { return []byte(strings.Join(lines, "\n") + "\n") }

func BenchmarkApply(b *testing.B) {
	memory := logLines(200, 80, 1)
	big := logLines(38_000, 80, 2)
	wide := logLines(1500, 2048, 3)
	every := func(lines []string, n int) []string {
		out := append([]string{}, lines...)
		for i := 0; i < len(out); i += n {
			out[i] += " and more"
		}
		return out
	}
	shuffled := append([]string{}, big...)
	rand.New(rand.NewPCG(4, 4)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	alike := strings.Split(strings.Repeat("a\nb\nc\na\n", 60_000), "\n")
	for _, c := range []struct {
		name          string
		before, after []string
	}{
		{"memory-16KB-append", memory, append(every(memory, 1000), "one more line")},
		{"memory-16KB-rewrite", memory, logLines(200, 80, 9)},
		{"log-3MB-append", big, append(every(big, 1<<30), "one more line")},
		{"log-3MB-edits", big, every(big, 20)},
		{"log-3MB-rotated", big, append(append([]string{}, big[8000:]...), logLines(8000, 80, 5)...)},
		{"log-3MB-shuffled", big, shuffled},
		{"log-3MB-rewrite", big, logLines(38_000, 80, 6)},
		{"wide-3MB-edits", wide, every(wide, 3)},
		{"wide-3MB-rewrite", wide, logLines(1500, 2048, 7)},
		{"same-words-500KB", alike, append(alike[7:], "b", "b", "c", "d")},
	} {
		b.Run(c.name, func(b *testing.B) {
			before, after := join(c.before), join(c.after)
			f := New(before, web)
			b.SetBytes(int64(len(after)))
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := f.Apply(before, after, agent); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkEdit changes one line of a file of 1 MB that many wrote, as an agent, whose
// words are compared with those of all lines that are below it.
func BenchmarkEdit(b *testing.B) {
	lines := logLines(13_000, 80, 2)
	before := join(lines)
	lines[6000] = "the service listens on port 8443 now"
	after := join(lines)
	records := func(i int) Owner {
		return Owner{Record: hearsay.NewRecordID(int64(i), [10]byte{}), Label: writers[i%len(writers)].Label}
	}
	for _, c := range []struct {
		name  string
		owner func(line int) Owner
	}{
		{"one-writer", func(int) Owner { return ana }},
		{"low-writer", func(int) Owner { return web }},
		{"three-writers", func(i int) Owner { return writers[i%3] }},
		{"record-a-line", records},
	} {
		var f maker
		for i := range lines {
			f.add(1, c.owner(i), false)
		}
		f.digest = sha256.Sum256(before)
		form, err := f.MarshalBinary()
		if err != nil {
			b.Fatal(err)
		}
		b.Run(c.name+"/apply", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := f.Apply(before, after, agent); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(c.name+"/read-and-write", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var g File
				if err := g.UnmarshalBinary(form); err != nil {
					b.Fatal(err)
				}
				if _, err := g.MarshalBinary(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkUnmarshalBinary(b *testing.B) {
	big := logLines(38_000, 80, 2)
	var f maker
	for i := range big {
		f.add(1, writers[i%3], false)
	}
	form, err := f.MarshalBinary()
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(form)))
	for b.Loop() {
		var g File
		if err := g.UnmarshalBinary(form); err != nil {
			b.Fatal(err)
		}
	}
}
