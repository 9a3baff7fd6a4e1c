package audit

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/detect"
)

// SARIF 2.1.0, as https://docs.oasis-open.org/sarif/sarif/v2.1.0/ says. Only what is
// written is here.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool    sarifTool     `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string       `json:"id"`
		Short   sarifMessage `json:"shortDescription"`
		Help    sarifMessage `json:"help"`
		Default sarifLevel   `json:"defaultConfiguration"`
	}
	sarifLevel struct {
		Level detect.Level `json:"level"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        detect.Level      `json:"level"`
		Message      sarifMessage      `json:"message"`
		Locations    []sarifLocation   `json:"locations"`
		Fingerprints map[string]string `json:"partialFingerprints"`
		Properties   sarifProperties   `json:"properties"`
	}
	sarifLocation struct {
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
	}
	sarifLogical struct {
		Name string `json:"fullyQualifiedName"`
		Kind string `json:"kind"`
	}
	sarifProperties struct {
		Authority hearsay.Origin `json:"authority"`
		Pinned    bool           `json:"pinned"`
		Advisory  bool           `json:"advisory"`
		Count     int            `json:"count"`
	}
)

const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// sarifLocations bounds the places of one result: a reader shows the first ones at most.
const sarifLocations = 20

// SARIF writes findings for code scanning. What is written is published with a
// repository: it has ids and numbers, and no word of a memory. A record stands at
// hearsay/ID, which is no file; a guarded file at its place below root, by its base name
// alone where it is elsewhere.
func SARIF(w io.Writer, found []detect.Finding, version, root string) error {
	run := sarifRun{Tool: sarifTool{sarifDriver{Name: "hearsay", Version: version}}, Results: []sarifResult{}}
	index := make(map[detect.Rule]int)
	for i, d := range detect.Rules() {
		index[d.Rule] = i
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{string(d.Rule), sarifMessage{d.About}, sarifMessage{d.Do}, sarifLevel{d.Level}})
	}
	for _, f := range found {
		run.Results = append(run.Results, sarifResult{
			RuleID: string(f.Rule), RuleIndex: index[f.Rule], Level: f.Level, Message: sarifMessage{f.Text}, Locations: places(f, root),
			Fingerprints: map[string]string{"hearsayFinding/v1": f.Key},
			Properties:   sarifProperties{f.Authority, f.Pinned, f.Advisory, f.Count},
		})
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	if err := enc.Encode(sarifLog{sarifSchema, "2.1.0", []sarifRun{run}}); err != nil {
		return fmt.Errorf("write SARIF: %w", err)
	}
	return nil
}

// places are where a finding is: code scanning shows none that has no place.
func places(f detect.Finding, root string) []sarifLocation {
	at := func(uri string) *sarifPhysical { return &sarifPhysical{sarifArtifact{uri}, sarifRegion{1}} }
	var out []sarifLocation
	for _, id := range f.Records[:min(len(f.Records), sarifLocations)] {
		out = append(out, sarifLocation{at(nowhere + "/" + id.String()), []sarifLogical{{"record/" + id.String(), "resource"}}})
	}
	for _, name := range f.Files[:min(len(f.Files), sarifLocations)] {
		out = append(out, sarifLocation{Physical: at(relative(root, name))})
	}
	if len(out) == 0 {
		out = append(out, sarifLocation{Physical: at(nowhere)})
	}
	return out
}

// nowhere is the place of what has none.
const nowhere = "hearsay"

// relative is the URI of a file below root: of its base name alone where it is elsewhere.
func relative(root, name string) string {
	parts := []string{filepath.Base(name)}
	if rel, err := filepath.Rel(root, name); err == nil && filepath.IsLocal(rel) {
		parts = strings.Split(filepath.ToSlash(rel), "/")
	}
	for i, p := range parts {
		if p == "" || p == "." || p == ".." || p == string(filepath.Separator) {
			return nowhere
		}
		// A first segment with a colon would read as a scheme.
		parts[i] = strings.ReplaceAll(url.PathEscape(p), ":", "%3A")
	}
	return strings.Join(parts, "/")
}
