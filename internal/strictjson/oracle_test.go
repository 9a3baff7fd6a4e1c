package strictjson

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// A token is one step of a document, as both readers see it.
type token struct {
	Kind byte // as jsontext writes it
	Text string
}

// oracleTokens reads b with jsontext.
func oracleTokens(b []byte, opts ...jsontext.Options) ([]token, error) {
	d := jsontext.NewDecoder(bytes.NewReader(b), opts...)
	var out []token
	atTop := false // a whole value has been read
	for {
		t, err := d.ReadToken()
		if err == io.EOF && atTop {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		text := ""
		if k := t.Kind(); k == '"' || k == '0' {
			text = t.String()
		}
		if len(out) > 0 && atTop {
			return nil, errors.New("a second value follows")
		}
		out = append(out, token{byte(t.Kind()), text})
		atTop = d.StackDepth() == 0
	}
}

// tokens lists a value as oracleTokens does.
func tokens(v Value) []token {
	switch v.Kind() {
	case KindNull:
		return []token{{Kind: 'n'}}
	case KindBool:
		if v.Bool() {
			return []token{{Kind: 't'}}
		}
		return []token{{Kind: 'f'}}
	case KindNumber:
		return []token{{'0', string(v.Raw())}}
	case KindString:
		return []token{{'"', v.String()}}
	case KindArray:
		out := []token{{Kind: '['}}
		for _, e := range v.Elements() {
			out = append(out, tokens(e)...)
		}
		return append(out, token{Kind: ']'})
	case KindObject:
		out := []token{{Kind: '{'}}
		for k, e := range v.Members() {
			out = append(append(out, token{'"', k}), tokens(e)...)
		}
		return append(out, token{Kind: '}'})
	}
	return nil
}

// caseVariants says independently whether an object of the stream holds two
// keys that are equal but for case.
func caseVariants(ts []token) bool {
	type level struct {
		object, atKey bool
		keys          []string
	}
	var stack []level
	for _, t := range ts {
		if t.Kind == ']' || t.Kind == '}' {
			stack = stack[:len(stack)-1]
		} else if n := len(stack); n > 0 && stack[n-1].object && stack[n-1].atKey {
			for _, k := range stack[n-1].keys {
				if strings.EqualFold(k, t.Text) {
					return true
				}
			}
			stack[n-1].keys = append(stack[n-1].keys, t.Text)
			stack[n-1].atKey = false
			continue
		}
		if t.Kind == '[' || t.Kind == '{' {
			stack = append(stack, level{object: t.Kind == '{', atKey: t.Kind == '{'})
			continue
		}
		if n := len(stack); n > 0 {
			stack[n-1].atKey = stack[n-1].object
		}
	}
	return false
}

func depth(b []token) int {
	deep, now := 0, 0
	for _, t := range b {
		switch t.Kind {
		case '[', '{':
			now++
			deep = max(deep, now)
		case ']', '}':
			now--
		}
	}
	return deep
}

// agree checks every door of the package against jsontext and against each
// other on one input.
func agree(t *testing.T, b []byte) {
	t.Helper()
	l := Limits{MaxDepth: 40, MaxBytes: 1 << 20}
	err := l.Check(b)
	v, parseErr := l.Parse(b)
	if diff := cmp.Diff(kindOf(err), kindOf(parseErr)); diff != "" {
		t.Fatalf("Check and Parse differ: %s", diff)
	}
	want, oracleErr := oracleTokens(b)
	variants, deep := caseVariants(want), depth(want) > l.MaxDepth
	switch {
	case len(b) > l.MaxBytes:
		if kindOf(err) != TooLarge {
			t.Fatalf("%d bytes: %v", len(b), err)
		}
		return
	case oracleErr != nil:
		if err == nil {
			t.Fatalf("accepted what jsontext refuses: %v", oracleErr)
		}
	case variants || deep:
		if k := kindOf(err); !(variants && k == CaseVariantKey || deep && k == TooDeep) {
			t.Fatalf("case variants %t, too deep %t, but Check says %v", variants, deep, err)
		}
	case err != nil:
		t.Fatalf("refused what jsontext accepts: %v", err)
	}
	f, frameErr := l.Frame(b)
	if err != nil {
		if frameErr == nil {
			t.Fatalf("Frame accepts what Check refuses: %v", err)
		}
		return
	}
	if diff := cmp.Diff(want, tokens(v)); diff != "" {
		t.Fatalf("jsontext and the tree differ (-jsontext +tree):\n%s", diff)
	}
	if got := v.Raw(); !bytes.Equal(got, bytes.Trim(b, " \t\r\n")) {
		t.Fatalf("Raw is %q", got)
	}
	checkFrame(t, v, f, frameErr)
	checkEncoding(t, v)
}

// checkFrame compares a frame with the tree of the same input.
func checkFrame(t *testing.T, v Value, f Frame, err error) {
	t.Helper()
	if reserved := CheckReserved(v, frameNames[:]...); kindOf(reserved) != kindOf(err) {
		t.Fatalf("CheckReserved says %v, Frame says %v", reserved, err)
	}
	if err != nil {
		return
	}
	for i, got := range [][]byte{f.JSONRPC, f.ID, f.Method, f.Params, f.Result, f.Error} {
		var want []byte
		if m, ok := v.Get(frameNames[i]); ok {
			want = m.Raw()
		}
		if !bytes.Equal(got, want) || (got == nil) != (want == nil) {
			t.Fatalf("%s is %q in the frame, %q in the tree", frameNames[i], got, want)
		}
	}
	if f.Kind != v.Kind() || !bytes.Equal(f.Raw, v.Raw()) {
		t.Fatalf("frame is %v %q", f.Kind, f.Raw)
	}
	if want := !strings.ContainsAny(string(f.Raw), "\r\n\u0085\u2028\u2029"); f.OneLine != want {
		t.Fatalf("OneLine is %t for %q", f.OneLine, f.Raw)
	}
}

// checkEncoding checks that the encoding means the same, is one line, is a
// fixed point, and that copying tight text makes what encoding it anew makes.
func checkEncoding(t *testing.T, v Value) {
	t.Helper()
	enc := AppendValue(nil, v)
	again, err := Limits{}.Parse(enc)
	if err != nil {
		t.Fatalf("encoding %q: %v", enc, err)
	}
	if diff := cmp.Diff(tokens(v), tokens(again)); diff != "" {
		t.Fatalf("encoding %q changed the value:\n%s", enc, diff)
	}
	if twice := AppendValue(nil, again); !bytes.Equal(enc, twice) {
		t.Fatalf("encoding is not stable: %q, then %q", enc, twice)
	}
	if slow := AppendValue(nil, rebuilt(v)); !bytes.Equal(enc, slow) {
		t.Fatalf("parsed value encodes as %q, built one as %q", enc, slow)
	}
	if strings.ContainsAny(string(enc), "\r\n\u0085\u2028\u2029") {
		t.Fatalf("encoding breaks the line: %q", enc)
	}
	if again.node().meta&metaTight == 0 {
		t.Fatalf("encoding %q is not recognised as such", enc)
	}
}

// rebuilt copies a value through the constructors.
func rebuilt(v Value) Value {
	switch v.Kind() {
	case KindArray:
		var vals []Value
		for _, e := range v.Elements() {
			vals = append(vals, rebuilt(e))
		}
		return Array(vals...)
	case KindObject:
		var members []Member
		for k, e := range v.Members() {
			members = append(members, Member{k, rebuilt(e)})
		}
		return Object(members...)
	case KindString:
		return String(v.String())
	}
	return v
}

func kindOf(err error) ErrorKind {
	if e, ok := err.(*SyntaxError); ok {
		return e.Kind
	}
	return ""
}
