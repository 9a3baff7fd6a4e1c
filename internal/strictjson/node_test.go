package strictjson

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// nodeReader prints, for each document of the list on its input, what
// JSON.parse makes of it, in the notation of describe.
const nodeReader = `
const hex = s => Buffer.from(s, 'utf8').toString('hex');
const show = v => {
  if (v === null) return 'null';
  if (typeof v === 'boolean') return String(v);
  if (typeof v === 'number') { const b = Buffer.alloc(8); b.writeDoubleBE(v); return 'n' + b.toString('hex'); }
  if (typeof v === 'string') return 's' + hex(v);
  if (Array.isArray(v)) return '[' + v.map(show).join(',') + ']';
  return '{' + Object.keys(v).map(k => hex(k) + ':' + show(v[k])).sort().join(',') + '}';
};
const docs = JSON.parse(require('fs').readFileSync(0, 'utf8'));
process.stdout.write(JSON.stringify(docs.map(d => { try { return show(JSON.parse(d)); } catch { return 'error'; } })));
`

// describe writes a value as nodeReader does.
func describe(v Value) string {
	var parts []string
	switch v.Kind() {
	case KindNumber:
		n, _ := strconv.ParseFloat(string(v.Raw()), 64) // out of range is infinite, as in JavaScript
		return fmt.Sprintf("n%016x", math.Float64bits(n))
	case KindString:
		return "s" + hex.EncodeToString([]byte(v.String()))
	case KindArray:
		for _, e := range v.Elements() {
			parts = append(parts, describe(e))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case KindObject:
		for k, e := range v.Members() {
			parts = append(parts, hex.EncodeToString([]byte(k))+":"+describe(e))
		}
		slices.Sort(parts)
		return "{" + strings.Join(parts, ",") + "}"
	}
	return string(v.Raw())
}

// TestNodeReadsTheSame gives every sample, its encoding, and every refused
// sample that is text to Node, which stands behind many a proxy.
func TestNodeReadsTheSame(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not on PATH")
	}
	var docs, want []string
	for _, in := range accepted {
		v := parse(t, in)
		docs = append(docs, in, encoded(v))
		want = append(want, describe(v), describe(v))
	}
	for _, b := range [][]byte{sampleCall(), sampleResult()} {
		v := parse(t, string(b))
		docs, want = append(docs, string(b), encoded(v)), append(want, describe(v), describe(v))
	}
	// Node refuses whatever is malformed too.
	for _, r := range refused {
		if r.kind == Malformed || r.kind == TrailingData {
			docs, want = append(docs, r.in), append(want, "error")
		}
	}
	in, err := json.Marshal(docs)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), node, "-e", nodeReader)
	cmd.Stdin = bytes.NewReader(in)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node: %v", err)
	}
	var got []string
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Fatalf("node answered %d of %d", len(got), len(want))
	}
	for i := range got {
		if diff := cmp.Diff(want[i], got[i]); diff != "" {
			t.Errorf("%.80q (-here +node): %s", docs[i], diff)
		}
	}
}
