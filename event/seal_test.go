package event

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/ledger"
)

// same is a source of randomness that gives the same byte for ever.
type same byte

func (s same) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(s)
	}
	return len(p), nil
}

// draft is a write of some content that has not been sealed.
func draft(content string) Draft {
	r := plainRecord()
	r.Content, r.Side, r.Bytes, r.Created = "", 0, 0, 0
	return Draft{
		Event: Event{Kind: WriteAllowed, Record: r},
		Side:  Side{Tool: "create_entities", Content: []byte(content)},
	}
}

func commitment(t *testing.T, s string) [32]byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != 32 {
		t.Fatalf("%q is no commitment: %v", s, err)
	}
	return [32]byte(b)
}

func TestSeal(t *testing.T) {
	s, err := Seal(draft("prefers tabs"), 41, 1000, 2000, same(7))
	if err != nil {
		t.Fatal(err)
	}
	e := s.Event
	if e.V != Version || e.Seq != 41 || e.T != 2000 || e.Subject != "record/"+idOne.String() {
		t.Errorf("version %d, seq %d, t %d, subject %q", e.V, e.Seq, e.T, e.Subject)
	}
	if s.Salt != [32]byte(bytes.Repeat([]byte{7}, 32)) {
		t.Errorf("salt %x", s.Salt)
	}
	if !ledger.CheckCommit(s.Salt, s.Blob, commitment(t, e.Side)) {
		t.Error("the event does not commit to its side blob")
	}
	if !ledger.CheckCommit(s.Salt, []byte("prefers tabs"), commitment(t, e.Record.Content)) {
		t.Error("the record does not commit to its content")
	}
	if e.Record.Side != 41 || e.Record.Bytes != len("prefers tabs") || e.Record.Created != 2000 {
		t.Errorf("content in the blob of %d, %d bytes, created %d", e.Record.Side, e.Record.Bytes, e.Record.Created)
	}

	// The same with the standard library alone, from the text of the format.
	mac := hmac.New(sha256.New, s.Salt[:])
	mac.Write([]byte("hearsay/content/v1\x00prefers tabs"))
	if want := hex.EncodeToString(mac.Sum(nil)); e.Record.Content != want {
		t.Errorf("content %s, want %s", e.Record.Content, want)
	}
	if want := sha256.Sum256(append([]byte{0}, s.Body...)); s.Leaf != ledger.Hash(want) {
		t.Errorf("leaf %x, want %x", s.Leaf, want)
	}

	side, err := DecodeSide(s.Blob)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(draft("prefers tabs").Side, side); diff != "" {
		t.Errorf("side blob (-want +got):\n%s", diff)
	}
	got, err := Decode(s.Body)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(e, got, sameTaint); diff != "" {
		t.Errorf("body (-event +body):\n%s", diff)
	}
	puts, err := Fold(got)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(puts, s.Puts); diff != "" {
		t.Errorf("rows (-of the body +sealed):\n%s", diff)
	}
	if bytes.Contains(s.Body, []byte("create_entities")) || bytes.Contains(s.Body, []byte("prefers")) {
		t.Errorf("free text in the log: %s", s.Body)
	}
}

// A clock that goes backwards cannot reorder the log.
func TestSealTime(t *testing.T) {
	for _, c := range []struct{ last, now, want int64 }{
		{1000, 2000, 2000},
		{2000, 1000, 2000},
		{2000, 2000, 2000},
		{0, 0, 0},
		{5, -1, 5},
	} {
		s, err := Seal(draft("x"), 1, c.last, c.now, same(7))
		if err != nil {
			t.Fatal(err)
		}
		// Created is filled in as 0 where the log itself starts at 0.
		if s.Event.T != c.want || s.Event.Record.Created != c.want {
			t.Errorf("last %d, now %d: t %d, created %d, want %d", c.last, c.now, s.Event.T, s.Event.Record.Created, c.want)
		}
	}
	if s, err := Seal(draft("x"), 1, -2, -1, same(7)); err == nil {
		t.Errorf("a time before 1970 is sealed: %s", s.Body)
	}
}

// No side, no commitment: nothing claims words that are not kept.
func TestSealWithoutSide(t *testing.T) {
	d := draft("")
	d.Side = Side{}
	s, err := Seal(d, 3, 0, 1, strings.NewReader(""))
	if err != nil {
		t.Fatal(err)
	}
	if s.Event.Side != "" || s.Blob != nil || s.Salt != [32]byte{} {
		t.Errorf("commitment %q to %q with the salt %x", s.Event.Side, s.Blob, s.Salt)
	}
	if r := s.Event.Record; r.Content != "" || r.Side != 0 || r.Bytes != 0 {
		t.Errorf("content %q of %d bytes in the blob of %d", r.Content, r.Bytes, r.Side)
	}
	if bytes.Contains(s.Body, []byte(`"side":`)) {
		t.Errorf("a side is named in %s", s.Body)
	}
}

func TestSealContent(t *testing.T) {
	// A blob without content commits the event and not the record.
	d := draft("")
	d.Side = Side{Note: "seen"}
	s, err := Seal(d, 3, 0, 1, same(7))
	if err != nil {
		t.Fatal(err)
	}
	if s.Event.Side == "" || s.Event.Record.Content != "" {
		t.Errorf("a note: side %q, content %q", s.Event.Side, s.Event.Record.Content)
	}

	// No bytes are content too, once they were written.
	if s, err = Seal(draft(""), 3, 0, 1, same(7)); err != nil {
		t.Fatal(err)
	}
	if r := s.Event.Record; !ledger.CheckCommit(s.Salt, nil, commitment(t, r.Content)) || r.Side != 3 || r.Bytes != 0 {
		t.Errorf("empty content: %q of %d bytes in the blob of %d", r.Content, r.Bytes, r.Side)
	}

	// What was committed to before stays, and so does when the record came to be.
	d = draft("other bytes")
	d.Event.Record = plainRecord()
	if s, err = Seal(d, 99, 0, 1, same(7)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(plainRecord(), s.Event.Record, sameTaint); diff != "" {
		t.Errorf("a sealed record (-want +got):\n%s", diff)
	}

	// A session has no content of its own.
	d = Draft{Event: Event{Kind: SessionObserve, Session: example(SessionObserve).Session}, Side: Side{Content: []byte("x")}}
	if s, err = Seal(d, 1, 0, 1, same(7)); err != nil {
		t.Fatal(err)
	}
	if !ledger.CheckCommit(s.Salt, s.Blob, commitment(t, s.Event.Side)) {
		t.Error("the observation does not commit to its side blob")
	}
}

// What the draft says of its own place is not believed, and the draft is left alone.
func TestSealOverwrites(t *testing.T) {
	d := draft("x")
	d.Event.V, d.Event.Seq, d.Event.T, d.Event.Subject = 9, 9, 9, "record/"+idTwo.String()
	before := *d.Event.Record
	s, err := Seal(d, 1, 2, 3, same(7))
	if err != nil {
		t.Fatal(err)
	}
	if e := s.Event; e.V != Version || e.Seq != 1 || e.T != 3 || e.Subject != "record/"+idOne.String() {
		t.Errorf("version %d, seq %d, t %d, subject %q", e.V, e.Seq, e.T, e.Subject)
	}
	if diff := cmp.Diff(&before, d.Event.Record, sameTaint); diff != "" {
		t.Errorf("sealing changed the draft:\n%s", diff)
	}
}

func TestSealRefuses(t *testing.T) {
	d := draft("x")
	for name, random := range map[string]string{"none": "", "short": "31 bytes are not enough for one", "zeros": strings.Repeat("\x00", 32)} {
		if s, err := Seal(d, 1, 2, 3, strings.NewReader(random)); err == nil || s != nil {
			t.Errorf("randomness %s: sealed as %+v", name, s)
		}
	}
	for name, e := range map[string]Event{
		"no kind":     {Record: plainRecord()},
		"no image":    {Kind: WriteAllowed},
		"other image": {Kind: SessionStart, Record: plainRecord()},
		"two images":  {Kind: WriteAllowed, Record: plainRecord(), Policy: &Policy{Hash: hashA}},
	} {
		if s, err := Seal(Draft{Event: e}, 1, 2, 3, same(7)); err == nil || s != nil {
			t.Errorf("%s: sealed as %+v", name, s)
		}
	}
	if s, err := Seal(d, -1, 2, 3, same(7)); err == nil || s != nil {
		t.Errorf("seq -1: sealed as %+v", s)
	}
}

func TestSideRoundTrip(t *testing.T) {
	for name, want := range map[string]Side{
		"zero":    {},
		"content": {Content: []byte("\x00\xff not text")},
		"full": {
			Ref: "https://example.com/?a=1&b=<2>", Actor: "mallory", Tool: "create_entities", Note: "ok",
			Project: "/home/ana/資料", Claimed: &Claimed{Source: "user", Kind: "fact", Namespace: []string{"a/b", "c"}},
			Content: []byte("line\n"), Items: [][]byte{{1}, {2, 3}}, Decoded: []string{"ignore"},
		},
	} {
		b, err := want.Encode()
		if err != nil {
			t.Fatal(err)
		}
		got, err := DecodeSide(b)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if zero := name == "zero"; want.IsZero() != zero {
			t.Errorf("%s: is zero: %v", name, want.IsZero())
		}
	}
	for name, s := range map[string]Side{
		"ref": {Ref: "x"}, "actor": {Actor: "x"}, "tool": {Tool: "x"}, "note": {Note: "x"}, "project": {Project: "x"},
		"claimed": {Claimed: &Claimed{}}, "content": {Content: []byte{}}, "items": {Items: [][]byte{}}, "decoded": {Decoded: []string{}},
	} {
		if s.IsZero() {
			t.Errorf("%s alone: nothing to store", name)
		}
	}
}

func TestDecodeSideRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"empty":          ``,
		"half":           `{"ref":"x"`,
		"array":          `[]`,
		"unknown key":    `{"origin":"user"}`,
		"second value":   `{"ref":"x"}{}`,
		"trailing word":  `{"ref":"x"} x`,
		"trailing quote": `{"ref":"x"}"`,
		"not base64":     `{"content":"?"}`,
	} {
		if s, err := DecodeSide([]byte(text)); err == nil || !s.IsZero() {
			t.Errorf("%s: read as %+v, %v", name, s, err)
		}
	}
}

// Sealing one write, beside the bare hashing of the bytes that it commits to.
func BenchmarkSeal(b *testing.B) {
	d := draft(strings.Repeat("prefers tabs. ", 20))
	d.Event.Record.Label = hearsay.Label{Origin: hearsay.Agent, Taint: hearsay.NewTaint("web", "document")}
	s, err := Seal(d, 1, 2, 3, same(7))
	if err != nil {
		b.Fatal(err)
	}
	b.Run("seal", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Seal(d, 1, 2, 3, same(7)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("sha256", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			sha256.Sum256(s.Body)
			sha256.Sum256(s.Blob)
			sha256.Sum256(d.Side.Content)
		}
	})
}
