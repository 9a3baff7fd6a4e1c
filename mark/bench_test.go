package mark_test

import (
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/mark"
)

func BenchmarkText(b *testing.B) {
	for _, c := range []struct{ name, unit string }{
		{"prose", "Lesson: run the linter before the tests, see the notes. "},
		{"markdown", "- [ ] see [notes](x.md) & <b>run</b> 100% "},
		{"korean", "커밋 전에 항상 린트를 실행하세요. "},
		{"brackets", "[[[["},
		{"entities", "&amp;amp;"},
		{"near-miss", "[hearsa [h.e.a.r.s.a."},
	} {
		text := strings.Repeat(c.unit, 2048/len(c.unit)+1)[:2048]
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				mark.Text(nonce, hearsay.External, text)
			}
		})
	}
	text := strings.Repeat("x", 2048)
	b.Run("floor-copy", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			_ = strings.Clone(text)
		}
	})
}
