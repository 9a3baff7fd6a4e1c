package hosts

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// FuzzDecode feeds bytes to every dialect. Nothing panics, every fault is a
// DecodeError that says no more than is sure, an event does not depend on the order
// of keys, and every answer has a form.
func FuzzDecode(f *testing.F) {
	for _, host := range Names() {
		eachGolden(f, host, func(_ string, a *txtar.Archive, i int) { f.Add(a.Files[i].Data) })
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, d := range dialects() {
			e, err := d.Decode(b)
			checkFault(t, e, err)
			checkAnswers(t, d, e)
			if err != nil {
				if r := d.Fail(e, true, err.Error()); r.Exit != 2 && !strings.Contains(string(r.Stdout), `"deny"`) {
					t.Fatalf("a failure passes: %s", said(r))
				}
				continue
			}
			if e.Kind != Other && e.Session == "" || strings.ContainsAny(e.Session+e.Turn+e.CallID+e.Agent, "/\\\x00\n") {
				t.Fatalf("ids of %+v", e)
			}
			v, err := limits.Parse(b)
			if err != nil {
				continue // it was mended
			}
			moved := strictjson.AppendValue(nil, shuffled(rand.New(rand.NewPCG(1, uint64(len(b)))), v))
			again, err := d.Decode(moved)
			if err != nil {
				t.Fatalf("%s cannot be read in another order: %v", b, err)
			}
			e.Text, again.Text = nil, nil // they stand in the order of the payload
			if diff := cmp.Diff(summary(e), summary(again)); diff != "" {
				t.Fatalf("the order of keys matters (-first +second):\n%s", diff)
			}
		}
		Detect(b, func(string) string { return "" }, "claude")
	})
}

func checkAnswers(t *testing.T, d Dialect, e Event) {
	t.Helper()
	for _, a := range answers() {
		r := d.Encode(e, a)
		isOneObject(t, d, r.Stdout)
		if d.Name() != "claude" && strings.Contains(string(r.Stdout), `":"ask"`) {
			t.Fatalf("%s is asked: %s", d.Name(), r.Stdout)
		}
		if r.Exit != 0 && (r.Exit != 2 || len(r.Stderr) == 0 || len(r.Stdout) != 0) {
			t.Fatalf("%s: %s", e.Name, said(r))
		}
		if d.Name() == "codex" && (strings.Contains(string(r.Stdout), `"ask"`) || strings.Contains(string(r.Stdout), `"permissionDecision":"allow"`)) {
			t.Fatalf("codex is asked: %s", r.Stdout)
		}
	}
}

// FuzzSkim compares the quick reader with the strict one: for what the strict one
// accepts, they find the same members.
func FuzzSkim(f *testing.F) {
	for _, s := range []string{`{}`, ` { "a" : "b\\\"" , "c":[{"}":1},"]"] ,"d":-1e5,"e":null } `, `{"a":{"b":"\\"},"\u0061b":1}`, `[]`, `{"a":}`, `{"a":1}x`, `{"a":1,}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var got []string
		whole := skim(b, func(key string, value []byte) { got = append(got, key, string(value)) })
		first, second := salvage(b, "a", "c")
		v, err := limits.Parse(b)
		if err != nil {
			return
		}
		if whole != (v.Kind() == strictjson.KindObject) {
			t.Fatalf("whole is %t", whole)
		}
		if !whole {
			return
		}
		var want []string
		for k, m := range v.Members() {
			want = append(want, k, string(m.Raw()))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("members (-strict +skim):\n%s", diff)
		}
		for key, text := range map[string]string{"a": first, "c": second} {
			if m, _ := v.Get(key); m.String() != text {
				t.Fatalf("%s is %q, want %q", key, text, m.String())
			}
		}
	})
}
