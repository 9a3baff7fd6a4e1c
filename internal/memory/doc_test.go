package memory_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/recall"
)

// The bytes that are sealed never change: what was sealed once is read for ever.
func TestDocBytes(t *testing.T) {
	link := hearsay.NewRecordID(1, [10]byte{1})
	for want, d := range map[string]memory.Doc{
		`{"v":1,"kind":"observation","form":"semantic","text":"A text"}`: {Text: "A text"},
		`{"v":1,"kind":"procedure","form":"procedural","title":"A <title>","text":"Lines\nof \"text\" & <b>","tags":["a","b"],"links":["00000000-0001-7100-8000-000000000000"],"subject":"Ana"}`: {
			Kind: recall.Procedure, Form: recall.Procedural, Title: "A <title>", Text: "Lines\nof \"text\" & <b>", Tags: []string{"a", "b"}, Links: []hearsay.RecordID{link}, Subject: "Ana",
		},
	} {
		got, err := d.Encode()
		if err != nil || string(got) != want {
			t.Errorf("encoded as %s, %v", got, err)
		}
		back, err := memory.DecodeDoc([]byte(want))
		if err != nil || !cmp.Equal(back, d) {
			t.Errorf("read back as %+v, %v", back, err)
		}
	}
	for _, bad := range []string{
		"", "{}", "null", `{"v":2,"kind":"goal","form":"semantic","text":"x"}`, `{"v":1,"kind":"wish","form":"semantic","text":"x"}`,
		`{"v":1,"kind":"goal","form":"semantic","text":""}`, `{"v":1,"kind":"goal","form":"semantic","text":"x"} `, `{"v":1,"kind":"goal","form":"semantic","text":"x"}{}`,
		`{"v":1,"kind":"goal","form":"semantic","text":"x","extra":1}`, `{"v":1,"form":"semantic","kind":"goal","text":"x"}`, `{"v":1,"kind":"goal","form":"semantic","text":"x","tags":[]}`,
		`{"V":1,"kind":"goal","form":"semantic","text":"x"}`, `{"v":1,"kind":"goal","form":"semantic","text":"\u0078"}`,
	} {
		if d, err := memory.DecodeDoc([]byte(bad)); err == nil {
			t.Errorf("%s was read as %+v", bad, d)
		}
	}
}

// FuzzDecodeDoc reads anything: what it takes it writes again to the byte, and what it takes
// is one that may be sealed.
func FuzzDecodeDoc(f *testing.F) {
	for _, seed := range []string{`{"v":1,"kind":"goal","form":"semantic","text":"x"}`, `{"v":1,"kind":"goal","form":"episodic","title":"t","text":"x","tags":["a"],"subject":"s"}`, "{", ""} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := memory.DecodeDoc(data)
		if err != nil {
			return
		}
		if again, err := d.Encode(); err != nil || !bytes.Equal(again, data) {
			t.Errorf("%q is written as %q, %v", data, again, err)
		}
		if h := d.Heading(); h == "" || strings.ContainsAny(h, "\n\r") {
			t.Errorf("the heading of %q is %q", data, h)
		}
	})
}
