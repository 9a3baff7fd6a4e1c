package mcpserver

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// suite runs the conformance suite of the protocol; it skips the test where it is not there.
type suite struct{ node, preload, program string }

func newSuite(t *testing.T) suite {
	t.Helper()
	modules := os.Getenv("HEARSAY_NPM_DIR")
	if modules == "" {
		t.Skip("HEARSAY_NPM_DIR is not set: `make test` installs @modelcontextprotocol/conformance and sets it")
	}
	s := suite{program: filepath.Join(modules, "@modelcontextprotocol", "conformance", "dist", "index.js")}
	if _, err := os.Stat(s.program); err != nil {
		t.Skipf("@modelcontextprotocol/conformance is not in HEARSAY_NPM_DIR, `make deps` installs it: %v", err)
	}
	var err error
	if s.node, err = exec.LookPath("node"); err != nil {
		t.Skipf("the conformance suite needs Node: %v", err)
	}
	if s.preload, err = filepath.Abs("testdata/conformance/preload.mjs"); err != nil {
		t.Fatal(err)
	}
	return s
}

// check is what the suite found in one thing that it looked at.
type check struct {
	ID, Name, Status, ErrorMessage string
}

// failed reports whether a check counts against a server. A warning is advice.
func (c check) failed() bool { return c.Status == "FAILURE" }

// stamped ends the name of a folder of results.
var stamped = regexp.MustCompile(`-\d{4}-\d\d-\d\dT[-\d]+Z$`)

// run has a server judged by what a revision requires, and returns the checks by scenario.
func (s suite) run(t *testing.T, at, revision string) map[string][]check {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), s.node, "--import", s.preload, s.program, "server", "--url", at, "--requirements", revision, "-o", dir)
	said, err := cmd.CombinedOutput() // it ends with an error where anything failed
	folders, _ := filepath.Glob(filepath.Join(dir, "server-*"))
	if len(folders) == 0 {
		t.Fatalf("the suite did not run: %v\n%s", err, said)
	}
	out := make(map[string][]check)
	for _, folder := range folders {
		name := strings.TrimPrefix(stamped.ReplaceAllString(filepath.Base(folder), ""), "server-")
		b, err := os.ReadFile(filepath.Join(folder, "checks.json"))
		if err != nil {
			t.Fatal(err)
		}
		var checks []check
		if err := json.Unmarshal(b, &checks); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out[name] = checks
	}
	return out
}

// score counts the checks that passed and failed.
func score(checks []check) string {
	passed, failed := 0, 0
	for _, c := range checks {
		switch {
		case c.failed():
			failed++
		case c.Status == "SUCCESS":
			passed++
		}
	}
	return fmt.Sprintf("%d passed, %d failed", passed, failed)
}

// total is the score of all scenarios.
func total(all map[string][]check) string {
	var checks []check
	for _, c := range all {
		checks = append(checks, c...)
	}
	return score(checks)
}

// exampleServer starts the library's own example server for the suite, which has all that
// the suite asks for, and returns where it listens. It takes an address alone, and a port
// that was free can be somebody's by then: it ends, and another port is tried.
func exampleServer(t *testing.T, program string, stateless bool) *url.URL {
	t.Helper()
	for range 10 {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		address := ln.Addr().String()
		_ = ln.Close()
		cmd := exec.Command(program, "-http", address, fmt.Sprintf("-stateless=%t", stateless))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_ = cmd.Wait()
		}()
		t.Cleanup(func() {
			_ = cmd.Process.Kill()
			<-ended
		})
		if listens(address, ended) {
			return &url.URL{Scheme: "http", Host: address}
		}
	}
	t.Fatal("the example server does not listen")
	return nil
}

// listens waits until a server can be reached, or has ended.
func listens(address string, ended <-chan struct{}) bool {
	for {
		c, err := net.Dial("tcp", address)
		if err == nil {
			_ = c.Close()
		}
		select {
		case <-ended:
			return false
		case <-time.After(10 * time.Millisecond):
		}
		if err == nil {
			return true
		}
	}
}

// through hands requests on as they came, so that the server behind judges them.
func through(to *url.URL) http.Handler {
	return &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host, r.Out.URL.Path = to.Scheme, to.Host, "/"
	}}
}

// What stands before the library changes nothing of how it keeps to the protocol: behind
// our door its own example server has the score that it has without, check by check, in
// both eras.
func TestConformanceOfTheDoor(t *testing.T) {
	s := newSuite(t)
	program := filepath.Join(t.TempDir(), "example")
	if said, err := exec.Command("go", "build", "-o", program, "github.com/modelcontextprotocol/go-sdk/conformance/everything-server").CombinedOutput(); err != nil {
		t.Fatalf("build the example server: %v\n%s", err, said)
	}
	behind := map[string]*url.URL{eras[0]: exampleServer(t, program, false), modern: exampleServer(t, program, true)}
	w := newWorld(t)
	door := httptest.NewServer(w.over().door(through(behind[eras[0]]), through(behind[modern])))
	t.Cleanup(door.Close)
	for _, era := range eras {
		alone, behindDoor := s.run(t, behind[era].String(), era), s.run(t, door.URL+Path, era)
		t.Logf("%s: alone %s, behind the door %s", era, total(alone), total(behindDoor))
		if len(alone) != len(behindDoor) {
			t.Errorf("%s: %d scenarios alone, %d behind the door", era, len(alone), len(behindDoor))
		}
		for name, checks := range alone {
			if got, want := statuses(behindDoor[name]), statuses(checks); !slices.Equal(got, want) {
				t.Errorf("%s: %s: %v behind the door, want %v", era, name, got, want)
			}
		}
	}
}

// statuses are what was found, in a fixed order.
func statuses(checks []check) []string {
	var out []string
	for _, c := range checks {
		if c.Status != "INFO" {
			out = append(out, c.ID+" "+c.Name+" "+c.Status)
		}
	}
	slices.Sort(out)
	return out
}

// lacking are failures that say no more than that a memory has none of what the suite
// would try: its tools, and features that are not declared.
var lacking = regexp.MustCompile(`unknown tool "test_|method not found: "(prompts|resources|completion)/|^Not testable: server |Tool 'json_schema_2020_12_tool' not found|^Expected InputRequiredResult with inputRequests and requestState$|^Prerequisite failed: could not get initial InputRequiredResult`)

// whole are the scenarios that need nothing which a memory lacks.
var whole = map[string][]string{
	eras[0]: {"server-initialize", "logging-set-level", "ping", "tools-list", "server-sse-multiple-streams", "dns-rebinding-protection", "server-session-lifecycle"},
	modern:  {"tools-list", "server-sse-multiple-streams", "dns-rebinding-protection", "input-required-result-unsupported-methods", "http-header-validation"},
}

// Our own server passes whatever of the suite applies to it, in both eras on one address:
// it fails in nothing but what it does not have, and says so as the protocol wants it.
func TestConformanceOfTheMemory(t *testing.T) {
	s := newSuite(t)
	w := newWorld(t)
	at := w.serve(w.over())
	for _, era := range eras {
		got := s.run(t, at, era)
		t.Logf("%s: %s", era, total(got))
		for _, name := range whole[era] {
			if !strings.HasSuffix(score(got[name]), " 0 failed") || strings.HasPrefix(score(got[name]), "0 ") {
				t.Errorf("%s: %s: %s", era, name, score(got[name]))
			}
		}
		for name, checks := range got {
			if strings.HasPrefix(name, "tasks-") {
				continue // an extension, which is not declared
			}
			for _, c := range checks {
				if c.failed() && !lacking.MatchString(c.ErrorMessage) {
					t.Errorf("%s: %s: %s: %s", era, name, c.ID, c.ErrorMessage)
				}
			}
		}
	}
	if n := len(w.records()); n != 0 {
		t.Errorf("the suite left records of %d standings", n)
	}
}
