package portable

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/recall"
)

// Exported is one memory in an export of ours, a JSON object. The names of digest and
// author are those that managed memory stores use.
type Exported struct {
	ID        hearsay.RecordID   `json:"id"`
	Kind      recall.Kind        `json:"kind"`
	Form      recall.Form        `json:"form"`
	Title     string             `json:"title,omitempty"`
	Text      string             `json:"text"`
	Tags      []string           `json:"tags,omitempty"`
	Links     []hearsay.RecordID `json:"links,omitempty"`
	Subject   string             `json:"subject,omitempty"`
	Label     hearsay.Label      `json:"label"`
	Source    hearsay.Source     `json:"source"`
	CreatedBy CreatedBy          `json:"created_by"`
	Created   time.Time          `json:"created_at"`
	Parents   []hearsay.RecordID `json:"parents,omitempty"`
	Replaces  []hearsay.RecordID `json:"replaces,omitempty"`
	Claims    hearsay.Claims     `json:"claims"`
	Digest    string             `json:"content_sha256"` // of Text, hex
}

// CreatedBy is who was at the door.
type CreatedBy struct {
	Agent   string `json:"agent,omitempty"`
	Session string `json:"session,omitempty"`
}

// Export returns a memory as it is exported.
func Export(m *memory.Memory) Exported {
	sum := sha256.Sum256([]byte(m.Text))
	return Exported{
		ID: m.ID, Kind: m.Kind, Form: m.Form, Title: m.Title, Text: m.Text, Tags: m.Tags, Links: m.Links, Subject: m.Subject,
		Label: m.Label, Source: m.Source, CreatedBy: CreatedBy{m.Agent, m.Session}, Created: time.UnixMilli(m.Created).UTC(),
		Parents: m.Parents, Replaces: m.Replaces, Claims: m.Claims, Digest: hex.EncodeToString(sum[:]),
	}
}

// Line returns the memory as one line of JSON, its end included, as [Read] reads it in the
// format [Hearsay].
func (e *Exported) Line() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		return nil, fmt.Errorf("export memory %s: %w", e.ID, err)
	}
	return b.Bytes(), nil
}

// PredicateType names the predicate of [Statement].
const PredicateType = "https://hearsay.dev/attestation/memory-provenance/v1"

// PayloadType is that of a statement in a DSSE envelope.
const PayloadType = "application/vnd.in-toto+json"

// Statement returns the provenance of exported memories as one in-toto Statement (v1):
// the subjects are the texts by digest, the predicate says who said each.
// Predicate is the part that is ours.
func Statement(all []Exported, logID string, size int64, root string) ([]byte, error) {
	type digest struct {
		SHA256 string `json:"sha256"`
	}
	type subject struct {
		Name   string `json:"name"`
		Digest digest `json:"digest"`
	}
	type memo struct {
		ID      hearsay.RecordID   `json:"id"`
		Origin  hearsay.Origin     `json:"origin"`
		Taint   []string           `json:"taint"`
		Source  string             `json:"source"`
		Agent   string             `json:"agent,omitempty"`
		Session string             `json:"session,omitempty"`
		Created time.Time          `json:"created_at"`
		Parents []hearsay.RecordID `json:"parents,omitempty"`
	}
	st := struct {
		Type          string    `json:"_type"`
		Subject       []subject `json:"subject"`
		PredicateType string    `json:"predicateType"`
		Predicate     struct {
			Log      string `json:"log"`
			LogSize  int64  `json:"logSize"`
			LogRoot  digest `json:"logRoot"`
			Memories []memo `json:"memories"`
		} `json:"predicate"`
	}{Type: "https://in-toto.io/Statement/v1", PredicateType: PredicateType}
	st.Predicate.Log, st.Predicate.LogSize, st.Predicate.LogRoot = logID, size, digest{root}
	for _, e := range all {
		st.Subject = append(st.Subject, subject{"hearsay:" + e.ID.String(), digest{e.Digest}})
		st.Predicate.Memories = append(st.Predicate.Memories, memo{
			e.ID, e.Label.Origin, e.Label.Taint.Tags(), e.Source.BaseType(), e.CreatedBy.Agent, e.CreatedBy.Session, e.Created, e.Parents,
		})
	}
	return json.MarshalIndent(st, "", "  ")
}
