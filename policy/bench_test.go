package policy

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay"
)

func itoa(i int) string  { return strconv.Itoa(i) }
func tagOf(i int) string { return "src" + itoa(i) }

// manyRules returns a policy of n rules, each on a tag of its own.
func manyRules(n int) string {
	var b strings.Builder
	b.WriteString("version: 1\nrules:\n")
	for i := range n {
		fmt.Fprintf(&b, "  - { id: r%d, when: { taint_any: [%s], kind: [k], origin_at_most: tool }, action: block }\n", i, tagOf(i))
	}
	return b.String()
}

// BenchmarkDecide decides a write that only the last rule matches. The floor is
// the terms of the five-rule sample as plain Go.
func BenchmarkDecide(b *testing.B) {
	w := Write{Label: label(hearsay.External, "web"), Source: "web", Namespace: hearsay.Namespace{"facts", "db"}, Kind: "k"}
	b.Run("floor=native-if", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if native(&w) != hearsay.Allow {
				b.Fatal("not allowed")
			}
		}
	})
	b.Run("profile=default", func(b *testing.B) {
		p := loadProfile(b, "default")
		b.ReportAllocs()
		for b.Loop() {
			if v := p.Decide(&w); v.Action != hearsay.Allow {
				b.Fatal(v.Rule)
			}
		}
	})
	for _, n := range []int{5, 10, 50, 100, 1000} {
		b.Run("rules="+itoa(n), func(b *testing.B) {
			p := mustParse(b, "p.yaml", manyRules(n))
			w := w
			w.Label = label(hearsay.External, tagOf(n-1))
			b.ReportAllocs()
			for b.Loop() {
				if v := p.Decide(&w); v.Action != hearsay.Block {
					b.Fatal(v.Rule)
				}
			}
		})
	}
}

// native is the default profile by hand, for the floor.
//
//go:noinline
func native(w *Write) hearsay.WriteVerdict {
	switch tainted := !w.Label.Taint.Empty(); {
	case w.PrincipalMismatch:
		return hearsay.Block
	case w.Evidence.Kinds.Has(hearsay.EvidenceHidden) || w.Evidence.Kinds.Has(hearsay.EvidenceInjection):
		return hearsay.Quarantine
	case w.Label.Origin == hearsay.User && !tainted, w.Label.Origin >= hearsay.Unverified && !tainted:
		return hearsay.Allow
	case w.Label.Taint.String() == "web" && len(w.Namespace) > 0 && w.Namespace[0] == "facts":
		return hearsay.Allow
	}
	return hearsay.Quarantine
}

// BenchmarkWorstExpression scans the longest text that is scanned with the kind of
// expression that costs most for its size. The floor reads every byte once.
func BenchmarkWorstExpression(b *testing.B) {
	text := []byte(strings.Repeat("a", maxScan))
	b.Run("floor=read", func(b *testing.B) {
		b.SetBytes(maxScan)
		n := 0
		for b.Loop() {
			for _, c := range text {
				n += int(c)
			}
		}
		if n == 0 {
			b.Fatal("nothing read")
		}
	})
	for name, expr := range map[string]string{
		"repeat":  `(?:a?){120}b`,
		"choice":  `(?i)(forward|send|copy|share).{0,40}(invoice|report|key)s?`,
		"literal": `forward invoices`,
	} {
		b.Run(name, func(b *testing.B) {
			re, _, err := compileRegexp(expr)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(maxScan)
			for b.Loop() {
				if re.Match(text) {
					b.Fatal("matched")
				}
			}
		})
	}
}

// BenchmarkParse reads the default profile, and the longest files of the kinds that
// cost the parser most. The floor looks at every byte of the profile.
func BenchmarkParse(b *testing.B) {
	data, err := Profile("default")
	if err != nil {
		b.Fatal(err)
	}
	b.Run("floor=scan", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			if _, what := badText(string(data)); what != "" {
				b.Fatal(what)
			}
		}
	})
	b.Run("profile=default", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			if _, err := Parse("default.yaml", data); err != nil {
				b.Fatal(err)
			}
		}
	})
	for name, line := range map[string]string{"keys": "a: b\n", "lists": "a: [x, y]\n", "blank": "\n"} {
		b.Run("longest="+name, func(b *testing.B) {
			data := []byte("k: |\n " + strings.Repeat(line, maxLines-1))
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if _, err := Parse("p.yaml", data); err == nil {
					b.Fatal("read")
				}
			}
		})
	}
}
