package bench

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"runtime"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/lint"
	"github.com/hearsay-memory/hearsay/internal/strictjson"
	"github.com/hearsay-memory/hearsay/ledger"
	"github.com/hearsay-memory/hearsay/policy"
)

// Pure measures what touches no disk: decision, lint, codec and verification.
func Pure() ([]Result, error) {
	var out []Result
	rules, err := fiftyRules()
	if err != nil {
		return nil, err
	}
	ask := policy.Write{Label: hearsay.Label{Origin: hearsay.Agent, Taint: hearsay.Untainted}, Source: "agent", Namespace: hearsay.Namespace{"notes"}}
	tainted := hearsay.NewTaint("web")
	var v hearsay.Verdict
	out = append(out, result("decision of 50 rules", "ns",
		perCall(func() { v = rules.Decide(&ask) }),
		perCall(func() {
			if ask.Label.Origin >= hearsay.Agent && ask.Label.Taint != tainted && ask.Namespace[0] == "notes" {
				v.Action = hearsay.Allow
			}
		})))
	runtime.KeepAlive(v)

	text := strings.Repeat("The build runs on the second host, and the report goes to the team on Monday. ", 820)
	var scratch lint.Scratch
	var hit hearsay.Evidence
	buf := make([]byte, len(text))
	out = append(out, result("lint of 64 KiB", "ns",
		perCall(func() { hit = lint.Scan(text, &scratch) }), perCall(func() { copy(buf, text) })))
	runtime.KeepAlive(hit)
	for _, kib := range [...]int{2, 256} {
		frame := frameOf(kib << 10)
		into := make([]byte, len(frame))
		var f strictjson.Frame
		out = append(out, result(fmt.Sprintf("strict frame of %d KiB", kib), "ns",
			perCall(func() { f, err = strictjson.Limits{}.Frame(frame) }), perCall(func() { copy(into, frame) })))
		if err != nil {
			return nil, err
		}
		runtime.KeepAlive(f)
	}
	bodies := make([][]byte, 20_000)
	var head ledger.Frontier
	for i := range bodies {
		bodies[i] = bytes.Repeat([]byte{byte(i)}, 300)
		head.Append(ledger.LeafHash(bodies[i]))
	}
	var sum [32]byte
	floor := perCall(func() {
		for _, b := range bodies {
			sum = sha256.Sum256(b)
		}
	})
	value := perCall(func() {
		_, err = ledger.Verify(func(yield func(ledger.Entry, error) bool) {
			for i, b := range bodies {
				if !yield(ledger.Entry{Seq: int64(i), Body: b}, nil) {
					return
				}
			}
		}, ledger.Expectation{Head: head})
	})
	runtime.KeepAlive(sum)
	rate := func(ns float64) float64 { return float64(len(bodies)) / ns * 1e9 }
	return append(out, result("verify, entries in memory", "1/s", rate(value), rate(floor))), err
}

// fiftyRules is a policy whose last rule matches.
func fiftyRules() (*policy.Policy, error) {
	var b strings.Builder
	b.WriteString("version: 1\ndefault: quarantine\nrules:\n")
	for i := range 49 {
		fmt.Fprintf(&b, "  - id: rule-%d\n    when: { taint_any: [\"mcp:server-%d\"], namespace_prefix: [place-%d] }\n    action: quarantine\n", i, i, i)
	}
	b.WriteString("  - id: last\n    when: { origin_at_least: agent, taint_only: [] }\n    action: allow\n")
	return policy.Parse("bench.yaml", []byte(b.String()))
}

// frameOf makes a tool result of about n bytes.
func frameOf(n int) []byte {
	text := strings.Repeat("a line of a result, as a server returns it\\n", n/43)
	return []byte(`{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"` + text + `"}]}}`)
}
