package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hearsay-memory/hearsay/internal/hostproc"
	"github.com/hearsay-memory/hearsay/internal/term/termtest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"hearsay": main, "client": client, "seed": seed, "scribe": scribe, "server": server, "tamper": tamper, "beat": beat,
		"sow": sow, "hearsay-hook": idle, "beneath": underAgent, "typing": termtest.Typing, "attested": attested, "toy-embedder": toyEmbedder,
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:  "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"keep": keep, "exec-code": execCode},
		Condition: func(name string) (bool, error) {
			switch name {
			case "joined":
				host, err := hostproc.Current()
				return err == nil && host.Joined, nil
			case "python": // with the SDK of `make deps`
				_, err := os.Stat(os.Getenv("HEARSAY_PYTHON"))
				return err == nil, nil
			}
			return false, fmt.Errorf("unknown condition %q", name)
		},
		Setup: func(env *testscript.Env) error {
			// A home of the developer's own must never be met.
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("HEARSAY_HOME", env.WorkDir+"/home")
			env.Setenv("PYTHON", os.Getenv("HEARSAY_PYTHON"))
			docs, err := filepath.Abs("../../docs")
			env.Setenv("DOCS", docs)
			return err
		},
	})
}

// keep puts what the last command printed into a variable, or the record id of a JSON
// object that it printed: `keep NAME [id]`.
func keep(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 && (len(args) != 2 || args[1] != "id") {
		ts.Fatalf("usage: keep NAME [id]")
	}
	text := strings.TrimSpace(ts.ReadFile("stdout"))
	if len(args) == 2 {
		var object struct{ ID string }
		ts.Check(json.Unmarshal([]byte(text), &object))
		text = object.ID
	}
	ts.Setenv(args[0], text)
}

// execCode runs a command that must end with a code: `exec-code CODE PROGRAM ARG…`.
func execCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exec-code CODE PROGRAM ARG…")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if want, err := strconv.Atoi(args[0]); err != nil || got != want {
		ts.Fatalf("exit code %d, want %s", got, args[0])
	}
}
