package guard

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestSpoken(t *testing.T) {
	for in, want := range map[string]string{
		`plain words`: `plain words`,
		``:            ``,
		`{"name":"add","arguments":{"text":"one","list":["two",{"deep":"three","n":4}],"flag":true,"last":"five"}}`: "add\none\ntwo\nthree\nfive\n",
		`["a","b"]`:                        "a\nb\n",
		`{"a":{"b":"c"},"d":["e"],"f":{}}`: "c\ne\n",
		`{"a":"b"`:                         `{"a":"b"`, // not whole
		`{"a":"b"} {"c":"d"}`:              "b\nd\n",
		`[1,"a"] tail`:                     `[1,"a"] tail`,
	} {
		if got := Spoken([]byte(in)); got != want {
			t.Errorf("%s: got %q, want %q", in, got, want)
		}
	}
}

// FuzzSpoken wants every text that stands in an object's place of a value.
func FuzzSpoken(f *testing.F) {
	for _, s := range []string{"x", `{"a":["b"]}`, `{"a":`, strings.Repeat("[", 1000), "\xff", `{"a":"\ud800"}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		Spoken([]byte(s))
		b, err := json.Marshal(map[string]any{"name": []any{s, map[string]string{"x": s}}})
		if err != nil {
			t.Skip()
		}
		var back map[string][]any
		if err := json.Unmarshal(b, &back); err != nil {
			t.Fatal(err)
		}
		said := back["name"][0].(string)
		if got := Spoken(b); got != said+"\n"+said+"\n" {
			t.Errorf("%q is spoken as %q", s, got)
		}
	})
}
