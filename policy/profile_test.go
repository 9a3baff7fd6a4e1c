package policy

import (
	"bytes"
	"os"
	"testing"

	"github.com/hearsay-memory/hearsay"
)

// loadProfile parses a policy that ships.
func loadProfile(t testing.TB, name string) *Policy {
	t.Helper()
	data, err := Profile(name)
	if err != nil {
		t.Fatal(err)
	}
	return mustParse(t, name+".yaml", string(data))
}

// mustParse parses a policy that has no problems.
func mustParse(t testing.TB, name, data string) *Policy {
	t.Helper()
	p, err := Parse(name, []byte(data))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// runCases runs a case file and reports each case that fails at its line.
func runCases(t *testing.T, p *Policy, name string, data []byte) {
	t.Helper()
	cases, err := ParseCases(name, data)
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
	for _, r := range RunCases(p, cases, nil) {
		for _, f := range r.Failures {
			t.Errorf("%s:%d: %s: %s (by %s)", r.Case.File, r.Case.Line, r.Case.Name, f, r.Got.Rule)
		}
	}
}

func TestProfiles(t *testing.T) {
	for _, name := range Profiles() {
		t.Run(name, func(t *testing.T) {
			p := loadProfile(t, name)
			data, err := ProfileCases(name)
			if err != nil {
				t.Fatal(err)
			}
			runCases(t, p, name+".cases.yaml", data)
			for _, problem := range Check(p) {
				t.Error(problem)
			}
		})
	}
	if _, err := Profile("../default"); err == nil {
		t.Error("a name that is no profile was read")
	}
}

// TestSample loads the file of the document that the rules come from, unchanged.
func TestSample(t *testing.T) {
	policy, err := os.ReadFile("testdata/memlineage.yaml")
	if err != nil {
		t.Fatal(err)
	}
	cases, err := os.ReadFile("testdata/memlineage.cases.yaml")
	if err != nil {
		t.Fatal(err)
	}
	runCases(t, mustParse(t, "memlineage.yaml", string(policy)), "memlineage.cases.yaml", cases)
}

func TestObserveIsDefaultInModeWarn(t *testing.T) {
	rules := func(name string) []byte {
		data, err := Profile(name)
		if err != nil {
			t.Fatal(err)
		}
		return data[bytes.Index(data, []byte("rules:\n")):]
	}
	if !bytes.Equal(rules("observe"), rules("default")) {
		t.Error("observe differs from default below its mode")
	}
	for name, want := range map[string]hearsay.Mode{"default": hearsay.Enforce, "strict": hearsay.Enforce, "observe": hearsay.Warn} {
		if got := loadProfile(t, name).ModeFor("any"); got != want {
			t.Errorf("mode of %s is %s, want %s", name, got, want)
		}
	}
}

func TestProfileSections(t *testing.T) {
	strict, usual := loadProfile(t, "strict"), loadProfile(t, "default")
	if strict.Attribution() != AttributionOff || usual.Attribution() != AttributionUserWords {
		t.Error("attribution: strict wants off, default user_words")
	}
	if got := usual.Actions(); got.Tainted != hearsay.Ask || got.Default != hearsay.AllowAction || len(got.Privileged) == 0 {
		t.Errorf("actions of default are %+v", got)
	}
	if got := usual.MaxUntrusted(); got != 2 {
		t.Errorf("default returns %d untrusted, want 2", got)
	}
	for _, s := range []hearsay.Standing{hearsay.Held, hearsay.Blocked, hearsay.Rejected, hearsay.Revoked, hearsay.Erased} {
		if !usual.Hides(s) {
			t.Errorf("%s is shown", s)
		}
	}
}
