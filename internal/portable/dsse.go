package portable

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
)

// Envelope is a signed payload (DSSE 1.0).
type Envelope struct {
	PayloadType string      `json:"payloadType"`
	Payload     string      `json:"payload"` // base64
	Signatures  []Signature `json:"signatures"`
}

// Signature is one signature of an [Envelope].
type Signature struct {
	KeyID string `json:"keyid"`
	Sig   string `json:"sig"` // base64
}

// Seal puts a payload into an envelope. sign signs bytes with the key of that id.
func Seal(payloadType string, payload []byte, keyID string, sign func([]byte) ([]byte, error)) ([]byte, error) {
	sig, err := sign(preAuth(payloadType, payload))
	if err != nil {
		return nil, fmt.Errorf("sign the statement: %w", err)
	}
	return json.MarshalIndent(Envelope{
		PayloadType: payloadType, Payload: base64.StdEncoding.EncodeToString(payload),
		Signatures: []Signature{{KeyID: keyID, Sig: base64.StdEncoding.EncodeToString(sig)}},
	}, "", "  ")
}

// preAuth is what is signed: type and payload with their lengths, so that neither can be
// taken for part of the other.
func preAuth(payloadType string, payload []byte) []byte {
	return fmt.Appendf(nil, "DSSEv1 %d %s %d %s", len(payloadType), payloadType, len(payload), payload)
}
