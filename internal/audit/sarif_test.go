package audit_test

import (
	"bytes"
	"encoding/json"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/audit"
	"github.com/hearsay-memory/hearsay/internal/detect"
)

// evilNames are names of files that could lead out of a repository, or out of JSON.
var evilNames = []string{
	"/repo/MEMORY.md", "/repo/memory/a b%20c.md", "/etc/passwd", "/repo/../etc/passwd", "memory/x.md", "/repo", "",
	"/repo/java:script.md", "/repo/a/b:c.md", "/repo/\u202e.md", "/repo/new\nline.md", "/repo/\xff.md", `/repo/"quoted".md`, "/repo/?q#f", "//host/share/x.md", "/repo/..",
}

// everyFinding is one finding of each rule, and of each kind of place.
func everyFinding() []detect.Finding {
	var many []hearsay.RecordID
	for i := range 100 {
		many = append(many, hearsay.NewRecordID(int64(i), [10]byte{1}))
	}
	var out []detect.Finding
	for i, d := range detect.Rules() {
		f := detect.Finding{Rule: d.Rule, Level: d.Level, Text: d.About, Authority: hearsay.External, Count: i, Records: many[:i*7], Key: strings.Repeat("0a", 16), Advisory: i%2 == 0}
		if d.Rule == detect.RuleGuarded || d.Rule == detect.RuleIndex {
			f.Files, f.Records = evilNames, nil
		}
		out = append(out, f)
	}
	return out
}

func sarifOf(t testing.TB, found []detect.Finding) []byte {
	t.Helper()
	var b bytes.Buffer
	check(t, audit.SARIF(&b, found, "v1.2.3", "/repo"))
	return b.Bytes()
}

// TestSARIF holds what is written against what the standard and code scanning ask for
// beyond the schema.
func TestSARIF(t *testing.T) {
	for name, found := range map[string][]detect.Finding{"nothing": nil, "everything": everyFinding()} {
		t.Run(name, func(t *testing.T) {
			var log struct {
				Schema  string `json:"$schema"`
				Version string
				Runs    []struct {
					Tool struct {
						Driver struct {
							Name  string
							Rules []struct{ ID string }
						}
					}
					Results []struct {
						RuleID    string
						RuleIndex int
						Level     string
						Message   struct{ Text string }
						Locations []struct {
							PhysicalLocation struct {
								ArtifactLocation struct{ URI string }
								Region           struct{ StartLine int }
							}
						}
						PartialFingerprints map[string]string
					}
				}
			}
			dec := json.NewDecoder(bytes.NewReader(sarifOf(t, found)))
			if err := dec.Decode(&log); err != nil || log.Version != "2.1.0" || log.Schema == "" || len(log.Runs) != 1 {
				t.Fatalf("%v: %+v", err, log)
			}
			run := log.Runs[0]
			if run.Results == nil || len(run.Results) != len(found) {
				t.Fatalf("%d results of %d findings; an empty list says that nothing was found", len(run.Results), len(found))
			}
			for i, r := range run.Results {
				if run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID || r.Level != string(found[i].Level) || r.Message.Text == "" || r.PartialFingerprints["hearsayFinding/v1"] == "" {
					t.Errorf("result %d: %+v", i, r)
				}
				if n := len(r.Locations); n == 0 || n > 20 {
					t.Errorf("result %d is at %d places", i, n)
				}
				for _, l := range r.Locations {
					uri := l.PhysicalLocation.ArtifactLocation.URI
					u, err := url.Parse(uri)
					if err != nil || u.IsAbs() || u.Host != "" || uri == "" || path.IsAbs(u.Path) || strings.HasPrefix(path.Clean(u.Path), "..") || u.RawQuery != "" || u.Fragment != "" {
						t.Errorf("result %d is at %q (%v)", i, uri, err)
					}
					if l.PhysicalLocation.Region.StartLine < 1 {
						t.Errorf("result %d has no line", i)
					}
				}
			}
		})
	}
}

// validate is a program for node that holds what it reads against the schema which the
// standard publishes, as the package @microsoft/jest-sarif carries it.
const validate = `
const dir = process.argv[1], from = {paths: [dir]}
const Ajv = require(require.resolve('ajv', from))
const ajv = new Ajv({schemaId: 'auto', allErrors: true, validateSchema: false, unknownFormats: 'ignore'})
ajv.addMetaSchema(require(require.resolve('ajv/lib/refs/json-schema-draft-04.json', from)))
const valid = ajv.compile(require(dir + '/lib/schemas/sarif-2.1.0-rtm.5.json'))
for (const text of JSON.parse(require('fs').readFileSync(0, 'utf8')))
  console.log(valid(JSON.parse(text)) ? 'valid' : JSON.stringify(valid.errors))
`

func TestSARIFIsValid(t *testing.T) {
	dir := filepath.Join(os.Getenv("HEARSAY_NPM_DIR"), "@microsoft", "jest-sarif")
	if _, err := os.Stat(dir); os.Getenv("HEARSAY_NPM_DIR") == "" || err != nil {
		t.Skip("@microsoft/jest-sarif is not in HEARSAY_NPM_DIR: `make test` installs it and sets it")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not on PATH")
	}
	// The last must not pass: or nothing was looked at.
	texts := []string{string(sarifOf(t, nil)), string(sarifOf(t, everyFinding())), strings.Replace(string(sarifOf(t, everyFinding())), `"level": "warning"`, `"level": "loud"`, 1)}
	in, err := json.Marshal(texts)
	check(t, err)
	cmd := exec.CommandContext(t.Context(), node, "-e", validate, dir)
	cmd.Stdin = bytes.NewReader(in)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("node: %v\n%s", err, out)
	}
	got := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(got) != 3 || got[0] != "valid" || got[1] != "valid" || got[2] == "valid" {
		t.Errorf("the schema says:\n%s", out)
	}
}
