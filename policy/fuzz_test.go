package policy

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/hearsay-memory/hearsay"
)

// FuzzParse feeds bytes to both readers. Neither panics, every error is a list of
// problems, and what is read decides, checks and stays as strict as any policy.
func FuzzParse(f *testing.F) {
	archives, err := filepath.Glob("testdata/mistakes/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range archives {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			f.Add(file.Data)
		}
	}
	for _, name := range Profiles() {
		policy, err := Profile(name)
		if err != nil {
			f.Fatal(err)
		}
		cases, err := ProfileCases(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(policy)
		f.Add(cases)
	}
	sample, err := os.ReadFile("testdata/memlineage.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(sample)
	f.Fuzz(func(t *testing.T, data []byte) {
		if cases, err := ParseCases("cases.yaml", data); err == nil {
			RunCases(nil, cases, nil)
		} else if list, ok := err.(Errors); !ok || len(list) == 0 {
			t.Fatalf("error is %T", err)
		}
		p, err := Parse("policy.yaml", data)
		if err != nil {
			if list, ok := err.(Errors); !ok || len(list) == 0 || p != nil {
				t.Fatalf("error is %T with policy %v", err, p)
			}
			return
		}
		if p.Default() == hearsay.Allow {
			t.Fatal("no match allows")
		}
		for w := range contexts(p, 20) {
			for _, l := range []hearsay.Label{{}, hearsay.LabelIdentity, label(hearsay.External, "web")} {
				w.Label, w.PrincipalMismatch = l, l.Tainted()
				if v := p.Decide(&w); w.PrincipalMismatch && v.Action != hearsay.Block {
					t.Fatalf("another principal's memory: %s", v.Action)
				}
			}
		}
		if len(p.rules) < 8 {
			Check(p)
		}
	})
}
