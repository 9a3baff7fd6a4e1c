package strictjson

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFrame(t *testing.T) {
	f, err := Limits{}.Frame([]byte(" {\"jsonrpc\":\"2.0\", \"id\" :1.50,\"m\\u0065thod\":\"tools\\/call\",\"params\":{\"method\":1},\"error\":null,\"extra\":[]}\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{
		"jsonrpc": string(f.JSONRPC), "id": string(f.ID), "method": string(f.Method), "params": string(f.Params), "error": string(f.Error),
	}
	want := map[string]string{"jsonrpc": `"2.0"`, "id": "1.50", "method": `"tools\/call"`, "params": `{"method":1}`, "error": "null"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if f.Result != nil || f.Kind != KindObject || !f.OneLine {
		t.Errorf("result %q, kind %v, one line %t", f.Result, f.Kind, f.OneLine)
	}
	if name, ok := f.MethodName(); name != "tools/call" || !ok {
		t.Errorf("method is %q", name)
	}
}

// TestFrameRefusesLoneVariants are frames whose only reserved key is spelt in a
// way that a loose reader would accept and a strict one would overlook.
func TestFrameRefusesLoneVariants(t *testing.T) {
	for _, in := range []string{
		`{"METHOD":"tools/call"}`, `{"Method":"tools/call"}`, `{"m\u0045thod":"x"}`, `{"id":1,"Params":{}}`, `{"RESULT":1}`, `{"ID":1}`,
		`{"JSONRPC":"2.0"}`, `{"jsonRPC":"2.0"}`, "{\"param\u017f\":{}}", `{"re\u017fult":1}`, `{"erroR":{}}`,
		`{"method\u0000":"x"}`, `{"METHOD\u0000x":"x"}`,
	} {
		if _, err := (Limits{}).Frame([]byte(in)); kindOf(err) != CaseVariantKey {
			t.Errorf("%s: %v", in, err)
		}
		if err := (Limits{}).Check([]byte(in)); err != nil {
			t.Errorf("%s: Check knows no reserved names: %v", in, err)
		}
		if err := CheckReserved(parse(t, in), frameNames[:]...); kindOf(err) != CaseVariantKey {
			t.Errorf("%s: CheckReserved: %v", in, err)
		}
	}
	for _, in := range []string{`{"methods":1}`, `{"params":{"METHOD":1}}`, `{"":1}`, `{"ıd":1}`, `[{"METHOD":1}]`, `"METHOD"`, `{"\u0000":1}`} {
		if _, err := (Limits{}).Frame([]byte(in)); err != nil {
			t.Errorf("%s: %v", in, err)
		}
	}
	err := CheckReserved(parse(t, `{"arguments":{}, "NAME":"x"}`), "name", "arguments")
	if e, ok := err.(*SyntaxError); !ok || e.Offset != 17 {
		t.Errorf("CheckReserved: %v, want byte 17", err)
	}
	if err := CheckReserved(Object(Member{"Name", Null()}), "name"); kindOf(err) != CaseVariantKey {
		t.Errorf("built object: %v", err)
	}
}

// TestFrameOneLine are values that one reader takes for a line and another cuts:
// Python's text streams and Node's readline both end a line at a bare carriage
// return, and readline also at U+2028, so each of these smuggles a message.
func TestFrameOneLine(t *testing.T) {
	const inner = `{"jsonrpc":"2.0","id":9,"method":"tools/call"}`
	for in, want := range map[string]bool{
		"{\"method\":\"ping\",\"params\":\r" + inner + "\r}": false,
		"{\"method\":\"ping\",\"params\":\n" + inner + "\n}": false,
		"[\u00201,\r\n2]":                          false,
		"{\"method\":\"\u2028{}\u2028\"}":          false,
		"{\"\u2029\":1}":                           false,
		"[\"日本\u0085\"]":                           false,
		"\r\n {\"method\":\t\"ping\"} \r\n":        true,
		`{"method":"\u2028\r\n"}`:                  true,
		"[\"\u2027\u202a\u0084\u0086日本語 ‘–’ é😀\"]": true,
	} {
		f, err := Limits{}.Frame([]byte(in))
		if err != nil || f.OneLine != want {
			t.Errorf("%q: one line %t, %v; want %t", in, f.OneLine, err, want)
		}
	}
}

func TestFrameKinds(t *testing.T) {
	for in, want := range map[string]Kind{
		`[{"method":"x"}]`: KindArray, `{}`: KindObject, `"x"`: KindString, `-1`: KindNumber, `true`: KindBool, `false`: KindBool, `null`: KindNull,
	} {
		f, err := Limits{}.Frame([]byte(in))
		if err != nil || f.Kind != want || f.Method != nil || string(f.Raw) != in {
			t.Errorf("%s: %v %v %q, want %v", in, err, f.Kind, f.Raw, want)
		}
	}
}

func TestPeek(t *testing.T) {
	got, err := Limits{}.Peek([]byte(`{"tool_name":"Write","tool_input":{"session_id":0}, "session_id":"s\n"}`), "session_id", "tool_name", "cwd")
	if err != nil || len(got) != 3 || string(got[0]) != `"s\n"` || string(got[1]) != `"Write"` || got[2] != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := (Limits{}).Peek([]byte(`{"Session_ID":1}`), "session_id"); kindOf(err) != CaseVariantKey {
		t.Errorf("a variant alone: %v", err)
	}
	if got, err := (Limits{}).Peek([]byte(`[1]`), "a"); err != nil || len(got) != 1 || got[0] != nil {
		t.Errorf("an array: %q, %v", got, err)
	}
	defer func() {
		if recover() == nil {
			t.Error("25 names are accepted")
		}
	}()
	_, _ = Limits{}.Peek([]byte(`{}`), make([]string, maxNames+1)...)
}

func TestText(t *testing.T) {
	for in, want := range map[string]string{`"a\u0062\n"`: "ab\n", `""`: "", `"\ud83d\ude00"`: "😀"} {
		if got, ok := Text([]byte(in)); got != want || !ok {
			t.Errorf("%s is %q, %t", in, got, ok)
		}
	}
	for _, in := range []string{``, `"`, `"\"`, `"\u12"`, `"a" `, `"a"b"`, `1`, `null`, "\"\xff\"", `"\ud800"`, ` "a"`} {
		if got, ok := Text([]byte(in)); ok || got != "" {
			t.Errorf("%q is %q", in, got)
		}
	}
}
