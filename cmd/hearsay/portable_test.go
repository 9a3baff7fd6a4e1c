package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/hostproc"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/people"
	"github.com/hearsay-memory/hearsay/internal/portable"
	"github.com/hearsay-memory/hearsay/internal/transfer"
)

// underAgent plays an agent's hook: `beneath HOME SOURCE REF` opens a session of the host
// process above and lets it take in a source.
func underAgent() {
	if err := openBeneath(context.Background(), os.Args[1], hearsay.Source{Type: os.Args[2], Ref: os.Args[3]}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func openBeneath(ctx context.Context, home string, read hearsay.Source) error {
	in, err := instance.Open(ctx, home, instance.Options{})
	if err != nil {
		return err
	}
	defer in.Close()
	host, err := hostproc.Current()
	if err != nil {
		return err
	}
	c := in.Caller(hearsay.SurfaceHook)
	c.Session = "session-beneath"
	if _, err := in.Guard.Open(ctx, c, guard.Start{Host: host.ID}); err != nil {
		return err
	}
	_, err = in.Guard.Observe(ctx, c, guard.Observation{Source: read})
	return err
}

// attested plays whoever checks an export: `attested HOME DIR` checks its statement against
// the public key of the home, and its digests against the lines.
func attested() {
	n, err := checkAttestation(os.Args[1], os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("signed for %d memories\n", n)
}

func checkAttestation(home, dir string) (int, error) {
	in, err := instance.Open(context.Background(), home, instance.Options{ReadOnly: true})
	if err != nil {
		return 0, err
	}
	defer in.Close()
	data, err := os.ReadFile(filepath.Join(dir, transfer.AttestName))
	if err != nil {
		return 0, err
	}
	var env portable.Envelope
	if err := json.Unmarshal(data, &env); err != nil {
		return 0, err
	}
	payload, err := base64.StdEncoding.DecodeString(env.Payload)
	if err != nil {
		return 0, err
	}
	sig, err := base64.StdEncoding.DecodeString(env.Signatures[0].Sig)
	if err != nil {
		return 0, err
	}
	signed := fmt.Appendf(nil, "DSSEv1 %d %s %d %s", len(env.PayloadType), env.PayloadType, len(payload), payload)
	if !in.Verifier.Verify(signed, sig) || in.Verifier.Verify(payload, sig) {
		return 0, errors.New("the signature is not the ledger key's over the envelope")
	}
	lines, err := os.ReadFile(filepath.Join(dir, transfer.MemoriesName))
	if err != nil {
		return 0, err
	}
	n := 0
	for line := range bytes.Lines(lines) {
		var e portable.Exported
		if err := json.Unmarshal(line, &e); err != nil {
			return 0, err
		}
		if !bytes.Contains(payload, []byte(e.Digest)) {
			return 0, fmt.Errorf("nothing is said of memory %s", e.ID)
		}
		n++
	}
	return n, nil
}

// TestImportOfTheRealMemoryServer imports the file that the reference server writes.
func TestImportOfTheRealMemoryServer(t *testing.T) {
	modules := os.Getenv("HEARSAY_NPM_DIR")
	if modules == "" {
		t.Skip("HEARSAY_NPM_DIR is not set: `make test` installs the real memory server and sets it")
	}
	file := filepath.Join(t.TempDir(), "memory.json")
	talk := filepath.Join(t.TempDir(), "talk")
	call := func(id int, tool, args string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, args)
	}
	lines := strings.Join([]string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		call(2, "create_entities", `{"entities":[{"name":"billing","entityType":"service","observations":["listens on \"8080\"","two\nlines"]},{"name":"안나","entityType":"person","observations":[]}]}`),
		call(3, "create_relations", `{"relations":[{"from":"안나","to":"billing","relationType":"owns"}]}`),
		call(4, "add_observations", `{"observations":[{"entityName":"billing","contents":["restarts at noon"]}]}`),
	}, "\n") + "\n"
	if err := os.WriteFile(talk, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	server := exec.CommandContext(t.Context(), "node", filepath.Join(modules, "@modelcontextprotocol", "server-memory", "dist", "index.js"))
	server.Env = append(os.Environ(), "MEMORY_FILE_PATH="+file)
	if err := converse(talk, server); err != nil {
		t.Fatal(err)
	}

	home := filepath.Join(t.TempDir(), "home")
	if _, err := people.Create(t.Context(), people.Setup{Dir: home, Principal: "ana", Reviewer: "ana", Unprotected: true}); err != nil {
		t.Fatal(err)
	}
	command := func(args ...string) string {
		t.Helper()
		var out, said bytes.Buffer
		if code := run(t.Context(), append([]string{"--home", home}, args...), streams{strings.NewReader(""), &out, &said}); code != 0 {
			t.Fatalf("%v ended with %d: %s", args, code, &said)
		}
		return out.String()
	}
	if got := command("import", file); !strings.Contains(got, "server-memory, by what is there") || !strings.Contains(got, "Imported 5, as unverified") {
		t.Errorf("imported: %s", got)
	}
	for query, want := range map[string]string{"8080": `billing: listens on \"8080\"`, "안나": "안나 owns billing", "noon": "billing: restarts at noon", "lines": `billing: two\nlines`} {
		if got := command("recall", query, "--json"); !strings.Contains(got, want) || !strings.Contains(got, `"origin":"unverified"`) {
			t.Errorf("recall %s: %s", query, got)
		}
	}
	if got := command("import", file); !strings.Contains(got, "again: 5 allowed") {
		t.Errorf("imported twice: %s", got)
	}
}
