package event

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"reflect"
	"testing"
)

// plain fills strings with letters alone, so that nothing has to be escaped.
func plain(r *rand.Rand, v any) {
	filler{r}.fill(reflect.ValueOf(v).Elem())
	var walk func(reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.String:
			if v.CanSet() {
				v.SetString([]string{"", "a", "資料 é", "b-7"}[r.IntN(4)])
			}
		case reflect.Pointer:
			if !v.IsNil() {
				walk(v.Elem())
			}
		case reflect.Slice:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		case reflect.Struct:
			for _, f := range v.Fields() {
				walk(f)
			}
		}
	}
	walk(reflect.ValueOf(v).Elem())
}

// TestDecoderAgrees holds what is read by hand against what the standard library reads, and
// sees that what is written plainly is read by hand.
func TestDecoderAgrees(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		var rec Record
		plain(r, &rec)
		enc := encoder{}
		enc.record(&rec)
		if readRecord(enc.b) == nil {
			t.Fatalf("not read by hand:\n%s", enc.b)
		}
		sameRecord(t, enc.b)

		e := &Event{V: Version, Seq: 7, T: 8, Kind: Recall, Session: new(Session), Side: "abc"}
		plain(r, e.Session)
		e.Subject = e.subject()
		body, err := e.Encode()
		if err != nil {
			t.Fatal(err)
		}
		got, want := readEvent(body), new(Event)
		if err := json.Unmarshal(body, want); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%s\nis read by hand as %+v, want %+v (%v)", body, got, want, err)
		}

		var side Side
		plain(r, &side)
		blob, err := side.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := readSide(blob); !ok && !bytes.Contains(blob, []byte("null")) {
			t.Fatalf("not read by hand:\n%s", blob)
		}
		sameSide(t, blob)
		filler{r}.fill(reflect.ValueOf(&side).Elem())
		if blob, err = side.Encode(); err != nil {
			t.Fatal(err)
		}
		sameSide(t, blob)
	}
}

// sameRecord checks that both ways read the same, or that the quick one gives up.
func sameRecord(t *testing.T, b []byte) {
	t.Helper()
	got := readRecord(b)
	if got == nil {
		return
	}
	want := new(Record)
	if err := json.Unmarshal(b, want); err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%s\nis read by hand as %+v, want %+v (%v)", b, got, want, err)
	}
}

func sameSide(t *testing.T, b []byte) {
	t.Helper()
	got, ok := readSide(b)
	if !ok {
		return
	}
	var want Side
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&want); err != nil || dec.More() || !reflect.DeepEqual(got, want) {
		t.Fatalf("%s\nis read by hand as %+v, want %+v (%v)", b, got, want, err)
	}
}

// What is read by hand is what the standard library reads.
func FuzzDecodeRecord(f *testing.F) {
	for _, r := range []*Record{plainRecord(), fullRecord(), {}} {
		enc := encoder{}
		enc.record(r)
		f.Add(enc.b)
		f.Add(bytes.Replace(enc.b, []byte(`"weight":`), []byte(`"weight":0x`), 1))
		f.Add(bytes.Replace(enc.b, []byte(`,`), []byte(`,,`), 1))
	}
	f.Fuzz(func(t *testing.T, b []byte) { sameRecord(t, b) })
}

// What is read by hand is what the standard library reads.
func FuzzDecodeSide(f *testing.F) {
	for _, s := range []string{
		`{}`, `{"ref":"https://a.example.invalid/","content":"YWJj"}`, `{"ref":"a\u0026b"}`, `{"content":""}`, `{"content":"YW=="}`, `{"content":"Y"}`,
		`{"claimed":{},"items":[]}`, `{"items":["","YQ=="],"decoded":["x"],"shared":[{"source":"web","certainty":"exact","words":["a"]}],"former":"YQ=="}`,
		`{"ref":"a",}`, `{,"ref":"a"}`, `{"ref":"a""actor":"b"}`, `{"ref":"a","ref":"b"}`, `{"actor":"a","ref":"b"}`, `{"items":[,]}`, `{"items":["YQ==",]}`,
		`{"ref":null}`, `{"ref":"a"}{}`, `{"ref":"a"} `, "{\"ref\":\"\xff\"}", "{\"ref\":\"a\nb\"}", `{"ref":"a`, `{"shared":[{"words":[]}]}`,
	} {
		f.Add([]byte(s))
	}
	if b, err := os.ReadFile(golden(Hold)); err == nil {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) { sameSide(t, b) })
}
