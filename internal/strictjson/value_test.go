package strictjson

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func parse(t *testing.T, s string) Value {
	t.Helper()
	v, err := Limits{}.Parse([]byte(s))
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return v
}

func encoded(v Value) string { return string(AppendValue(nil, v)) }

func TestZeroValue(t *testing.T) {
	var v Value
	if v.Kind() != KindInvalid || v.Len() != 0 || v.String() != "" || v.Bool() || v.Index(0) != v {
		t.Error("the zero Value holds something")
	}
	if _, ok := v.Get(""); ok {
		t.Error("the zero Value has a member")
	}
	if got := encoded(Array(v)); got != "[null]" {
		t.Errorf("encoded as %s", got)
	}
	if got := encoded(v.With("a", Int(1))); got != `{"a":1}` {
		t.Errorf("With makes %s", got)
	}
}

func TestAccess(t *testing.T) {
	const in = ` {"n": 1.50, "s\u0041": "x\ny", "l": [ 1, {"k":null}, true ], "sA2":false} `
	v := parse(t, in)
	check := func(what string, got, want any) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
	get := func(v Value, key string) Value {
		t.Helper()
		m, ok := v.Get(key)
		if !ok {
			t.Errorf("no member %q", key)
		}
		return m
	}
	// What holds for a parsed tree must hold for a built one.
	for _, v := range []Value{v, rebuilt(v)} {
		check("length", v.Len(), 4)
		check("number", string(get(v, "n").Raw()), "1.50")
		check("escaped key", get(v, "sA").String(), "x\ny")
		check("text", string(get(v, "sA").AppendText([]byte("> "))), "> x\ny")
		check("text of a number", string(get(v, "n").AppendText(nil)), "")
		check("string of a number", get(v, "n").String(), "")
		check("false", get(v, "sA2").Bool(), false)
		l := get(v, "l")
		check("array length", l.Len(), 3)
		check("true", l.Index(2).Bool(), true)
		check("after the array", l.Index(3).Kind(), KindInvalid)
		check("before the array", l.Index(-1).Kind(), KindInvalid)
		check("null", get(l.Index(1), "k").Kind(), KindNull)
		for _, key := range []string{"N", "sa", `s\u0041`, "", "k"} {
			if _, ok := v.Get(key); ok {
				t.Errorf("Get(%q) finds a member", key)
			}
		}
		if _, ok := l.Get("k"); ok {
			t.Error("Get finds a member of an array")
		}
		var keys, texts []string
		for k := range v.Members() {
			keys = append(keys, k)
		}
		check("keys", keys, []string{"n", "sA", "l", "sA2"})
		for s := range v.Strings() {
			texts = append(texts, s.String())
		}
		check("strings", texts, []string{"n", "sA", "x\ny", "l", "k", "sA2"})
		check("kinds", l.Kind().String()+" "+v.Kind().String(), "array object")
	}
	check("raw member", string(get(v, "l").Raw()), `[ 1, {"k":null}, true ]`)
	check("raw", string(v.Raw()), in[1:len(in)-1])
}

// TestIteratorsStop leaves every loop at once.
func TestIteratorsStop(t *testing.T) {
	v := parse(t, `[{"a":["x","y"]},{"b":"z"}]`)
	for _, v := range []Value{v, rebuilt(v), Array(v, v)} {
		for range v.Elements() {
			break
		}
		for range v.Index(0).Members() {
			break
		}
		n := 0
		for range v.Strings() {
			if n++; n == 2 {
				break
			}
		}
	}
	if len(slices.Collect(v.Strings())) != 5 {
		t.Error("Strings misses some")
	}
}

func TestAppendValue(t *testing.T) {
	for in, want := range map[string]string{
		" [ 1 , 2.0 , -0 , 1E+2 ] ":    `[1,2.0,-0,1E+2]`,
		`{ "b":1, "a" :{ } , "c":[ ]}`: `{"b":1,"a":{},"c":[]}`,
		`"\u0041\/\u00e9\ud83d\ude00"`: `"A/é😀"`,
		`"\u000A\u001F\u0000\u007f"`:   "\"\\n\\u001f\\u0000\u007f\"",
		"\"a\u2028b\u2029c\u0085d\"":   `"a\u2028b\u2029c\u0085d"`,
		"{\"\u2028\" :1}":              `{"\u2028":1}`,
		`"\u2028\n\"\\"`:               `"\u2028\n\"\\"`,
		"\"\u2027\u2030é\"":            "\"\u2027\u2030é\"",
	} {
		if got := encoded(parse(t, in)); got != want {
			t.Errorf("%q is written %q, want %q", in, got, want)
		}
	}
}

func TestBuild(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		got        Value
	}{
		{"scalars", `[null,true,false,-9223372036854775808,""]`, Array(Null(), Bool(true), Bool(false), Int(-1<<63), String(""))},
		{"empty", `[{},[]]`, Array(Object(), Array())},
		{"not UTF-8", `"a�b��"`, String("a\xffb\xe2\x80")},
		{"separators", `"\u2028\u2029\u0085\u0000\b\f"`, String("\u2028\u2029\u0085\x00\b\f")},
		{"past eight bytes", `"0123456789\"0123456789\\"`, String(`0123456789"0123456789\`)},
		{"last member stands", `{"A":2,"b":3}`, Object(Member{"a", Int(1)}, Member{"A", Int(2)}, Member{"b", Int(3)})},
		{"Kelvin sign", `{"k":2}`, Object(Member{"\u212a", Int(1)}, Member{"k", Int(2)})},
		{"two bad keys are one", `{"�":2}`, Object(Member{"\xff", Int(1)}, Member{"\xfe", Int(2)})},
		{"add", `{"a":1,"b":2}`, parse(t, `{"a": 1}`).With("b", Int(2))},
		{"replace", `{"a":3,"b":2}`, parse(t, `{"a":1,"b":2}`).With("a", Int(3))},
		{"replace a variant", `{"_meta":{},"b":2}`, parse(t, `{"_M\u0065TA":1,"b":2}`).With("_meta", Object())},
		{"replace in a built object", `{"_meta":1}`, Object(Member{"_META", Null()}).With("_meta", Int(1))},
		{"with on an array", `{"a":1}`, parse(t, `[1]`).With("a", Int(1))},
		{"without", `{"b":2}`, parse(t, `{"a":1,"b":2}`).Without("A")},
		{"parsed within built", `{"x":[{"y":"é"}]}`, Object(Member{"x", Array(parse(t, `{ "y" : "\u00e9" }`))})},
	} {
		if got := encoded(tt.got); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
		if got := string(tt.got.Raw()); got != tt.want {
			t.Errorf("%s: Raw of a built value is %s", tt.name, got)
		}
		if err := (Limits{}).Check([]byte(encoded(tt.got))); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	v := parse(t, `{"a":1}`)
	if v.Without("b") != v {
		t.Error("Without copies though nothing was to be removed")
	}
	vals := []Value{Int(1)}
	a := Array(vals...)
	if vals[0] = Int(2); encoded(a) != "[1]" {
		t.Error("Array keeps its caller's slice")
	}
}

func TestRewrite(t *testing.T) {
	const in = `{"result":{"content":[{"type":"text","text":"good"},{"type":"text","text":"bad"},{"type":"image"}],"isError":false},"id":1.50}`
	v := parse(t, in)
	var visited []string
	got, keep := Rewrite(v, func(p Path, v Value) (Value, bool) {
		switch {
		case p.Matches("result", "content", "*", "text"):
			visited = append(visited, v.String())
			if v.String() == "bad" {
				return String("held"), true
			}
		case p.Matches("result", "content", "*"):
			if typ, _ := v.Get("type"); typ.String() == "image" {
				return v, false
			}
		case p.Matches("result"):
			visited = append(visited, encoded(v)) // the children are already replaced
			return v.With("_meta", Object(Member{"held", Int(1)})), true
		case p.Matches("result", "isError"):
			return v, false
		}
		return v, true
	})
	const content = `"content":[{"type":"text","text":"good"},{"type":"text","text":"held"}]`
	if want := `{"result":{` + content + `,"_meta":{"held":1}},"id":1.50}`; !keep || encoded(got) != want {
		t.Errorf("rewritten to %s, want %s", encoded(got), want)
	}
	if diff := cmp.Diff([]string{"good", "bad", `{` + content + `}`}, visited); diff != "" {
		t.Error(diff)
	}
	if encoded(v) != in {
		t.Error("Rewrite changed its argument")
	}
	// A second pass works on what the first one built.
	again, _ := Rewrite(got, func(p Path, v Value) (Value, bool) { return v, !p.Matches("result", "content", "*") })
	if want := `{"result":{"content":[],"_meta":{"held":1}},"id":1.50}`; encoded(again) != want {
		t.Errorf("second pass: %s", encoded(again))
	}
}

func TestRewriteSharesWhatIsKept(t *testing.T) {
	v := parse(t, `[[1,2],{"a":{"b":[]}}]`)
	same, keep := Rewrite(v, func(_ Path, v Value) (Value, bool) { return v, true })
	if same != v || !keep {
		t.Error("an edit that keeps everything makes a new tree")
	}
	if _, keep := Rewrite(v, func(p Path, v Value) (Value, bool) { return v, len(p) > 0 }); keep {
		t.Error("the root was dropped and yet kept")
	}
	edited, _ := Rewrite(v, func(p Path, v Value) (Value, bool) { return v, !p.Matches("*", "a") })
	if edited.Index(0) != v.Index(0) {
		t.Error("a sibling of the edited value was copied")
	}
	if encoded(edited) != `[[1,2],{}]` {
		t.Error(encoded(edited))
	}
}

func TestPathMatches(t *testing.T) {
	v := parse(t, `{"*":{"a\u0062":[0]}}`)
	var hits []string
	Rewrite(v, func(p Path, v Value) (Value, bool) {
		for _, pattern := range [][]string{{}, {"*"}, {"*", "ab"}, {"*", "ab", "*"}, {"*", "ab", "0"}, {"*", "*"}, {"*", "AB"}} {
			if p.Matches(pattern...) {
				hits = append(hits, string(v.Raw()))
			}
		}
		return v, true
	})
	if diff := cmp.Diff([]string{`0`, `[0]`, `{"a\u0062":[0]}`, `{"*":{"a\u0062":[0]}}`}, hits); diff != "" {
		t.Error(diff)
	}
}
