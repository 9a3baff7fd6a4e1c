package strictjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// sampleCall is a tools/call of about 2 KiB.
func sampleCall() []byte {
	text := strings.Repeat("The build passes after the cache is cleared. ", 10)
	return []byte(`{"jsonrpc":"2.0","id":17,"method":"tools/call","params":{"name":"add_observations","arguments":{"observations":[` +
		`{"entityName":"build","contents":["` + text + `","` + text + `"]},{"entityName":"deploy \"prod\"","contents":["` + text + `\n` + text + `"]}` +
		`]},"_meta":{"progressToken":"p-17","traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}}}`)
}

// sampleResult is a read result of about 256 KiB: four text blocks that hold
// JSON as text, as memory servers answer, and the same as structured content.
func sampleResult() []byte {
	var text, structured strings.Builder
	for i := range 240 {
		if i > 0 {
			structured.WriteByte(',')
		}
		fmt.Fprintf(&text, "{\n  \"name\": \"entity-%d\",\n  \"observations\": [\n    \"%s\"\n  ]\n}", i,
			"The build passes after the cache is cleared, said the release notes. ")
		fmt.Fprintf(&structured, `{"name":"entity-%d","entityType":"note","weight":%d.5,"observations":["The build passes after the cache is cleared – said “the notes”."]}`, i, i)
	}
	quoted, err := json.Marshal(text.String())
	if err != nil {
		panic(err)
	}
	block := `{"type":"text","text":` + string(quoted) + `}`
	return []byte(`{"jsonrpc":"2.0","id":17,"result":{"content":[` + strings.Repeat(block+",", 6) + block +
		`],"structuredContent":{"entities":[` + structured.String() + `],"relations":[]}}}`)
}

func BenchmarkCheck(b *testing.B) {
	for _, s := range []struct {
		name string
		in   []byte
	}{{"2KiB", sampleCall()}, {"256KiB", sampleResult()}} {
		b.Run(s.name, func(b *testing.B) { benchmarkOn(b, s.in) })
	}
}

func benchmarkOn(b *testing.B, in []byte) {
	dst := make([]byte, 0, 2*len(in))
	run := func(name string, f func()) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
		})
	}
	must := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	parse := func() Value {
		v, err := Limits{}.Parse(in)
		must(err)
		return v
	}
	run("copy", func() { dst = append(dst[:0], in...) })
	run("jsontext_isvalid", func() {
		if !jsontext.Value(in).IsValid() {
			b.Fatal("invalid")
		}
	})
	run("check", func() { must(Limits{}.Check(in)) })
	run("frame", func() {
		_, err := Limits{}.Frame(in)
		must(err)
	})
	run("parse", func() { parse() })
	run("parse_append", func() { dst = AppendValue(dst[:0], parse()) })
	run("parse_scrub_append", func() {
		v, _ := Rewrite(parse(), func(_ Path, v Value) (Value, bool) {
			if v.Kind() == KindString && bytes.Contains(v.Raw(), []byte("entity-7")) {
				return String("[held]"), true
			}
			return v, true
		})
		dst = AppendValue(dst[:0], v)
	})
}

// BenchmarkKeys shows the time per key as an object grows; it must not grow
// with it by more than caches explain.
func BenchmarkKeys(b *testing.B) {
	for _, n := range []int{8, 16, 17, 1_000, 100_000} {
		in := []byte("{" + members(n) + "}")
		b.Run(itoa(n), func(b *testing.B) {
			for b.Loop() {
				if err := (Limits{}).Check(in); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/key")
		})
	}
}

// BenchmarkWideKey is one key of 1 MiB in letters that have case: the dearest
// text to fold. Without pages it takes several times as long.
func BenchmarkWideKey(b *testing.B) {
	text := strings.Repeat("я", 1<<19)
	for _, s := range []struct{ name, in string }{
		{"floor_value", `["` + text + `"]`}, {"key", `{"` + text + `":1}`},
	} {
		b.Run(s.name, func(b *testing.B) {
			b.SetBytes(int64(len(s.in)))
			in := []byte(s.in)
			for b.Loop() {
				if err := (Limits{}).Check(in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
