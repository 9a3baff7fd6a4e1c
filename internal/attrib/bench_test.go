package attrib_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay/internal/attrib"
)

// prose returns n bytes of text with the lengths and repeats of prose.
func prose(n int, seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	b.Grow(n + 64)
	for b.Len() < n {
		w := int(r.ExpFloat64() * 1500)
		fmt.Fprintf(&b, "%s", strings.Repeat(string(rune('a'+w%26)), 1+w%3))
		for v := w; v > 0; v /= 26 {
			b.WriteByte(byte('a' + v%26))
		}
		b.WriteString([]string{" ", " ", " the ", " of ", ", ", ". ", " and ", "\n"}[r.IntN(8)])
		if r.IntN(60) == 0 {
			fmt.Fprintf(&b, "https://host-%d.example/p/%d ", r.IntN(999), r.IntN(999))
		}
	}
	return b.String()[:n]
}

func BenchmarkForeign(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"prose-16KiB", prose(16<<10, 1)},
		{"prose-1MiB", prose(1<<20, 1)},
		{"chinese-1MiB", strings.Repeat("服务器端口必须始终设置为八千四百四十三，然后重启。", 14_000)},
		{"russian-1MiB", strings.Repeat("Порт сервера всегда должен быть настроен заранее. ", 11_500)},
		{"addresses-1MiB", strings.Repeat("https://a-1.example/b/c?d=e&f=g%20h ", 29_000)},
		{"one-word-1MiB", strings.Repeat("x", 1<<20)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			for b.Loop() {
				key.Foreign(c.text)
			}
		})
	}
}

func BenchmarkAttribute(b *testing.B) {
	page := []attrib.Seen{seen("web", prose(1<<20, 1))}
	var turns []attrib.Turn
	for i := range 100 {
		turns = append(turns, key.Turn(prose(300, uint64(i))))
	}
	for _, c := range []struct{ name, text string }{
		{"2KiB", prose(2048, 7)},
		{"2KiB-shared", prose(1<<20, 1)[4096:6144]},
		{"2KiB-clauses", strings.Repeat("Always use tabs, not spaces.\n", 71)[:1800]},
		{"short", "Always use tabs"},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			for b.Loop() {
				key.Attribute(c.text, turns, page)
			}
		})
	}
}

func BenchmarkTurn(b *testing.B) {
	text := prose(2000, 3)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		key.Turn(text)
	}
}

func BenchmarkMerge(b *testing.B) {
	p, q := key.Foreign(prose(1<<20, 1)), key.Foreign(prose(16<<10, 2))
	for b.Loop() {
		p.Merge(q)
	}
	b.ReportMetric(float64(p.Len()), "prints")
	b.ReportMetric(float64(len(bytesOf(b, p))), "encoded-bytes")
}
