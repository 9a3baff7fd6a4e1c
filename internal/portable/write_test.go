package portable_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/internal/portable"
	"github.com/hearsay-memory/hearsay/recall"
)

var parent = hearsay.RecordID{6: 0x70, 8: 0x80, 15: 2}

func exported() portable.Exported {
	return portable.Export(&memory.Memory{
		Doc: memory.Doc{Kind: recall.Learning, Text: "Use port 8443", Tags: []string{"ports"}},
		ID:  hearsay.RecordID{6: 0x70, 8: 0x80, 15: 1}, Label: hearsay.Label{Taint: hearsay.NewTaint("web")},
		Source: hearsay.Source{Type: "web", Ref: "https://page.example.invalid"}, Agent: "nightly", Session: "s1",
		Created: time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC).UnixMilli(), Parents: []hearsay.RecordID{parent},
	})
}

func TestStatementIsInToto(t *testing.T) {
	e := exported()
	payload, err := portable.Statement([]portable.Exported{e}, "hearsay/log", 7, strings.Repeat("ab", 32))
	if err != nil {
		t.Fatal(err)
	}
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := portable.Seal(portable.PayloadType, payload, "key", func(b []byte) ([]byte, error) { return ed25519.Sign(private, b), nil })
	if err != nil {
		t.Fatal(err)
	}
	var env portable.Envelope
	if err := json.Unmarshal(sealed, &env); err != nil {
		t.Fatal(err)
	}
	back, err := base64.StdEncoding.DecodeString(env.Payload)
	if err != nil || string(back) != string(payload) {
		t.Fatalf("payload: %v", err)
	}
	sig, err := base64.StdEncoding.DecodeString(env.Signatures[0].Sig)
	// The pre-authentication encoding as DSSE 1.0 writes it.
	signed := "DSSEv1 28 application/vnd.in-toto+json " + strconv.Itoa(len(payload)) + " " + string(payload)
	if err != nil || !ed25519.Verify(public, []byte(signed), sig) {
		t.Error("the signature is not over the payload and its type")
	}
	var st struct {
		Type    string `json:"_type"`
		Subject []struct {
			Name   string
			Digest map[string]string
		}
		PredicateType string
		Predicate     struct {
			Memories []struct {
				Origin string
				Taint  []string
			}
		}
	}
	if err := json.Unmarshal(back, &st); err != nil {
		t.Fatal(err)
	}
	if st.Type != "https://in-toto.io/Statement/v1" || st.PredicateType != portable.PredicateType || st.Subject[0].Digest["sha256"] != e.Digest ||
		st.Predicate.Memories[0].Origin != "external" || st.Predicate.Memories[0].Taint[0] != "web" {
		t.Errorf("statement: %+v", st)
	}
	if strings.Contains(string(payload), "8443") || strings.Contains(string(payload), "example.invalid") {
		t.Error("an attestation holds words of the memory or of where it came from")
	}
}

func TestProvSaysWhatCameFromWhat(t *testing.T) {
	data, err := portable.Prov([]portable.Exported{exported()})
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]map[string]any
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	for part, n := range map[string]int{"entity": 1, "activity": 1, "agent": 2, "wasGeneratedBy": 1, "wasAttributedTo": 1, "wasDerivedFrom": 1, "wasAssociatedWith": 1} {
		if len(doc[part]) != n {
			t.Errorf("%s has %d entries, want %d", part, len(doc[part]), n)
		}
	}
	for _, d := range doc["wasDerivedFrom"] {
		if used := d.(map[string]any)["prov:usedEntity"]; used != "hearsay:"+parent.String() {
			t.Errorf("derived from %v", used)
		}
	}
}

// What goes out comes in again, with its trust no higher than it was.
func TestMarkdownRoundTrip(t *testing.T) {
	m := &memory.Memory{
		Doc: memory.Doc{Kind: recall.Decision, Title: `A "quoted" title`, Text: "Ship on Fridays.\n\nAlways.", Tags: []string{"a, b", "c"}},
		ID:  hearsay.RecordID{6: 0x70, 8: 0x80}, Label: hearsay.LabelIdentity,
	}
	got, err := portable.Read(portable.Markdown, "in", m.Render())
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0].Title != m.Title || got[0].Text != m.Text || strings.Join(got[0].Tags, "|") != "a, b|c" || got[0].Kind != m.Kind {
		t.Errorf("%+v", got)
	}
}
