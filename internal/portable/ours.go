package portable

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/internal/source"
	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// readOurs reads the JSON lines of an export of ours, an [Exported] each. Its digests show
// damage and prove nothing: whoever changes a text can change its digest.
func readOurs(name string, data []byte) ([]Item, error) {
	var items []Item
	n := 0
	for line := range bytes.Lines(data) {
		n++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		it, err := readExported(line)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w; mend the line or take it out", name, n, err)
		}
		it.Ref = fmt.Sprintf("%s:%d", name, n)
		items = append(items, it)
		if err := tooMany(name, len(items)); err != nil {
			return nil, err
		}
	}
	return items, nil
}

func readExported(line []byte) (Item, error) {
	if err := (strictjson.Limits{}).Check(line); err != nil {
		return Item{}, err
	}
	var e Exported
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&e); err != nil {
		return Item{}, err
	}
	sum := sha256.Sum256([]byte(e.Text))
	if e.Digest != hex.EncodeToString(sum[:]) {
		return Item{}, fmt.Errorf("the text of %s is not the one of its content_sha256: it was changed since the export", e.ID)
	}
	it := Item{
		Doc:  memory.Doc{Kind: e.Kind, Form: e.Form, Title: e.Title, Text: e.Text, Tags: e.Tags, Subject: e.Subject},
		Says: saysLabel(e.Label.Origin, e.Label.Taint.Tags()),
	}
	if n := len(e.Links); n > 0 {
		it.note("%d links were left out: they lead to memories of the home that they come from", n)
	}
	return it, nil
}

// saysLabel is the source that a label amounts to which a file says of itself. It can lower
// what comes in and raise nothing: untainted and above external it says nothing. Of several
// tags none stands for all, so they are the unknown.
func saysLabel(origin hearsay.Origin, taint []string) hearsay.Source {
	if origin > hearsay.External && len(taint) == 0 {
		return hearsay.Source{}
	}
	if len(taint) == 1 && hearsay.ValidTag(taint[0]) {
		said := hearsay.Source{Type: taint[0]}
		if l := source.Default().Classify(said).Label(); l.Origin == hearsay.External && l.Tainted() {
			return said
		}
	}
	return hearsay.Source{Type: hearsay.UnknownTag}
}
