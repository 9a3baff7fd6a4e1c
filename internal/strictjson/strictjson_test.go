package strictjson

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func itoa(n int) string { return strconv.Itoa(n) }

func TestAccepted(t *testing.T) {
	for _, in := range accepted {
		if err := (Limits{MaxDepth: 40}).Check([]byte(in)); err != nil {
			t.Errorf("%.60q: %v", in, err)
			continue
		}
		agree(t, []byte(in))
	}
}

func TestRefused(t *testing.T) {
	l := Limits{MaxDepth: 40, MaxBytes: 1 << 20}
	for _, tt := range refused {
		t.Run(tt.name, func(t *testing.T) {
			in := []byte(tt.in)
			_, frameErr := l.Frame(in)
			_, peekErr := l.Peek(in, "x")
			v, parseErr := l.Parse(in)
			if v != (Value{}) {
				t.Error("Parse returns a value with its error")
			}
			for door, err := range map[string]error{"Check": l.Check(in), "Parse": parseErr, "Frame": frameErr, "Peek": peekErr} {
				e, ok := err.(*SyntaxError)
				if !ok {
					t.Errorf("%s: error is %v, want a SyntaxError", door, err)
				} else if e.Kind != tt.kind || e.Offset != tt.offset {
					t.Errorf("%s: %v, want %s at %d", door, err, tt.kind, tt.offset)
				}
			}
			agree(t, in)
		})
	}
}

// TestEveryPrefixAndMutation drives each sample through the oracle cut short at
// every byte and with every byte replaced by a few telling ones.
func TestEveryPrefixAndMutation(t *testing.T) {
	var samples []string
	samples = append(samples, accepted...)
	for _, r := range refused {
		samples = append(samples, r.in)
	}
	for _, in := range samples {
		if len(in) > 100 {
			continue
		}
		for i := range len(in) {
			agree(t, []byte(in[:i]))
			for _, c := range []byte("\x00\n \"\\/{}[]:,0eAau\x80\xe2\xff") {
				b := []byte(in)
				b[i] = c
				agree(t, b)
			}
		}
	}
}

// TestErrorsHoldNoInput plants a word at each fault and looks for it in the
// text of the error, which may be read by a model.
func TestErrorsHoldNoInput(t *testing.T) {
	const word = "IGNORE-PREVIOUS"
	for _, in := range []string{
		word, `"` + word, `{"` + word + `":1,"` + word + `":2}`, `{"` + word + `":1,"` + strings.ToLower(word) + `":2}`,
		`{} ` + word, `"\` + word + `"`, `[1 "` + word + `"]`, "\"" + word + "\xff\"", `"\ud800` + word + `"`,
	} {
		err := Limits{}.Check([]byte(in))
		if err == nil {
			t.Errorf("%q was accepted", in)
			continue
		}
		if strings.Contains(strings.ToUpper(err.Error()), "IGNORE") {
			t.Errorf("%q: error repeats the input: %v", in, err)
		}
	}
}

func TestErrorText(t *testing.T) {
	err := Limits{}.Check([]byte(`{"a":1,"\u0061":2}`))
	const want = "strictjson: duplicate_key at byte 7: this key stands twice in its object; keep one"
	if err == nil || err.Error() != want {
		t.Errorf("error is %v, want %s", err, want)
	}
}

func TestLimits(t *testing.T) {
	if err := (Limits{}).Check([]byte(nested(DefaultMaxDepth))); err != nil {
		t.Errorf("at the default depth: %v", err)
	}
	if err := (Limits{}).Check([]byte(nested(DefaultMaxDepth + 1))); kindOf(err) != TooDeep {
		t.Errorf("beyond the default depth: %v", err)
	}
	if err := (Limits{MaxDepth: 1 << 30}).Check([]byte(nested(ceilingDepth + 1))); kindOf(err) != TooDeep {
		t.Errorf("beyond the ceiling of depth: %v", err)
	}
	if err := (Limits{MaxDepth: 1, MaxBytes: 9}).Check([]byte(`[0,1,2,3]`)); err != nil {
		t.Errorf("at both limits: %v", err)
	}
	if err := (Limits{MaxBytes: -1}).Check([]byte(`1`)); err != nil {
		t.Errorf("a negative limit must mean the default: %v", err)
	}
}

// TestFrameOverDefaultSize is a frame one byte over the default limit. It must
// be refused before it is read.
func TestFrameOverDefaultSize(t *testing.T) {
	b := bytes.Repeat([]byte{' '}, DefaultMaxBytes+1)
	copy(b, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	if _, err := (Limits{}).Frame(b); kindOf(err) != TooLarge {
		t.Errorf("65 MiB: %v", err)
	}
	if _, err := (Limits{}).Frame(b[:DefaultMaxBytes]); err != nil {
		t.Errorf("64 MiB: %v", err)
	}
}

// TestManyKeys would not end in reasonable time if finding repeated keys were
// quadratic in their number.
func TestManyKeys(t *testing.T) {
	const n = 400_000
	many := members(n)
	for _, tt := range []struct {
		last string
		want ErrorKind
	}{
		{`"other"`, ""}, {`"k0"`, DuplicateKey}, {`"K399999"`, CaseVariantKey}, {`"\u212a200000"`, CaseVariantKey},
	} {
		if err := (Limits{}).Check([]byte("{" + many + "," + tt.last + ":0}")); kindOf(err) != tt.want {
			t.Errorf("%s after %d keys: %v, want %q", tt.last, n, err, tt.want)
		}
	}
}

// TestTableIsReused checks large objects inside and after each other: a table
// given back by one must hold nothing of it in the next.
func TestTableIsReused(t *testing.T) {
	big, small := "{"+members(500)+"}", "{"+members(20)+"}"
	agree(t, []byte("["+big+","+small+","+small+","+big+"]"))
	agree(t, []byte(`{`+members(30)+`,"in":`+big+`,"again":`+small+`}`))
	agree(t, []byte(`[`+big+`,{`+members(20)+`,"K3":1}]`))
}

func TestCheckDoesNotAllocate(t *testing.T) {
	for name, b := range map[string][]byte{"call": sampleCall(), "result": sampleResult()} {
		if n := testing.AllocsPerRun(20, func() {
			if _, err := (Limits{}).Frame(b); err != nil {
				t.Fatal(err)
			}
			if err := (Limits{}).Check(b); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func FuzzCheck(f *testing.F) {
	for _, s := range accepted {
		f.Add([]byte(s))
	}
	for _, r := range refused {
		if len(r.in) < 1000 {
			f.Add([]byte(r.in))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) { agree(t, b) })
}

// FuzzRoundTrip puts any text into a key and a string and expects it back.
func FuzzRoundTrip(f *testing.F) {
	f.Add("key", "text")
	f.Add("\x00\u2028\"\\", "a\xffb\xe2\x80")
	f.Add("0123456789\u212a", strings.Repeat("x", 40)+"\n")
	f.Fuzz(func(t *testing.T, key, text string) {
		enc := AppendValue(nil, Object(Member{key, Array(String(text), Int(7), Null(), Bool(true))}))
		v, err := Limits{}.Parse(enc)
		if err != nil {
			t.Fatalf("%q: %v", enc, err)
		}
		want := []token{{'{', ""}, {'"', valid(key)}, {'[', ""}, {'"', valid(text)}, {'0', "7"}, {'n', ""}, {'t', ""}, {']', ""}, {'}', ""}}
		if got := tokens(v); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%q holds %v, want %v", enc, got, want)
		}
		checkEncoding(t, v)
	})
}

// TestFold compares folding, through the tables and through pages, with the
// standard library for every rune that has case or lies near one.
func TestFold(t *testing.T) {
	paged := folder{seen: patience}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		want := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			want = min(want, f)
		}
		if got := paged.rune(r); got != want {
			t.Fatalf("pages fold %U to %U, want %U", r, got, want)
		}
		if got := new(folder).rune(r); got != want {
			t.Fatalf("%U folds to %U, want %U", r, got, want)
		}
	}
	for c := range byte(utf8.RuneSelf) {
		if got, want := upper8(uint64(c)*ones), uint64(upper(c))*ones; got != want {
			t.Errorf("upper8 makes %x of %x, want %x", got, uint64(c)*ones, want)
		}
	}
}

// valid replaces each byte of s that is not UTF-8, one by one.
func valid(s string) string { return string([]rune(s)) }
