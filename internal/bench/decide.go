package bench

import (
	"context"
	"crypto/sha256"
	"fmt"
	"runtime"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/lint"
	"github.com/hearsay-memory/hearsay/internal/strictjson"
	"github.com/hearsay-memory/hearsay/internal/textfold"
	"github.com/hearsay-memory/hearsay/policy"
)

// decision measures one decision whose last rule of fifty matches, beside that rule's
// terms as plain Go.
func decision(_ context.Context, c *Config) ([]Result, error) {
	rules, err := fiftyRules()
	if err != nil {
		return nil, err
	}
	ask := agentsWrite()
	tainted := hearsay.NewTaint("web")
	var v hearsay.Verdict
	got, err := c.turns(
		pure(func() { v = rules.Decide(&ask) }),
		pure(func() {
			if ask.Label.Origin >= hearsay.Agent && ask.Label.Taint != tainted && ask.Namespace[0] == "notes" {
				v.Action = hearsay.Allow
			}
		}))
	if err != nil {
		return nil, err
	}
	if v.Action != hearsay.Allow {
		return nil, fmt.Errorf("the decision was %s by %s, not an allowance by the last rule", v.Action, v.Rule)
	}
	return []Result{result("decision-50", "ns", got[0], got[1])}, nil
}

func agentsWrite() policy.Write {
	return policy.Write{
		Label: hearsay.Label{Origin: hearsay.Agent, Taint: hearsay.Untainted}, Source: "agent",
		Namespace: hearsay.Namespace{"notes"}, Surface: hearsay.SurfaceMCP,
	}
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

// callOf is a tool call of n bytes that remembers a text.
func callOf(n int) []byte {
	const before, after = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"add_observations","arguments":{"observations":[{"entityName":"billing","contents":["`, `"]}]}}}`
	return []byte(before + prose(n-len(before)-len(after)) + after)
}

// prose is an ordinary text of n bytes.
func prose(n int) string {
	const line = "The build runs on the second host, and the report goes to the team on Monday. "
	return strings.Repeat(line, n/len(line)+1)[:n]
}

// check measures all that happens in the process to a write of half a KiB, beside a
// copy and a hash of its bytes: the frame is read strictly, its texts are folded and
// linted, the labels are joined, the rules decide and the content is hashed.
func check(_ context.Context, c *Config) ([]Result, error) {
	rules, err := fiftyRules()
	if err != nil {
		return nil, err
	}
	frame := callOf(512)
	session := hearsay.LabelIdentity
	var limits strictjson.Limits
	var scratch lint.Scratch
	var folded []byte
	var sum [32]byte
	var v hearsay.Verdict
	whole := func() error {
		f, err := limits.Frame(frame)
		if err != nil {
			return err
		}
		params, err := limits.Parse(f.Params)
		if err != nil {
			return err
		}
		ask := agentsWrite()
		args, _ := params.Get("arguments")
		for s := range args.Strings() {
			text := s.String()
			folded = textfold.Fold(folded[:0], text)
			ask.Evidence.Kinds |= lint.Scan(text, &scratch).Kinds
		}
		ask.Label = rules.SourceTable().Classify(hearsay.Source{Type: "agent"}).Label().Join(session)
		v = rules.Decide(&ask)
		sum = sha256.Sum256(f.Params)
		return nil
	}
	into := make([]byte, len(frame))
	got, err := c.turns(perCall(whole), pure(func() {
		copy(into, frame)
		sum = sha256.Sum256(into)
	}))
	if err != nil {
		return nil, err
	}
	runtime.KeepAlive(sum)
	if v.Action != hearsay.Allow {
		return nil, fmt.Errorf("the write was not allowed: %s by %s", v.Action, v.Rule)
	}
	return []Result{result("check-write", "ns", got[0], got[1])}, nil
}
