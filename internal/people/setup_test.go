package people

import (
	"path/filepath"
	"testing"
)

func TestReviewerName(t *testing.T) {
	for principal, want := range map[string]string{
		"ana": "ana", "Ana": "ana", `CORP\Ana`: "ana", "ana@example.com": "ana", "Ana María": "owner", "": "owner", "../x": "x",
	} {
		if got := ReviewerName(principal); got != want {
			t.Errorf("reviewerName(%q) = %q, want %q", principal, got, want)
		}
	}
}

func TestAbsTarget(t *testing.T) {
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	sep := string(filepath.Separator)
	for in, want := range map[string]string{
		"out":        filepath.Join(here, "out"),
		"out/":       filepath.Join(here, "out") + sep,
		"file:/a/b/": "file:/a/b/",
	} {
		if got, err := CopyTarget(in); err != nil || got != want {
			t.Errorf("absTarget(%q) = %q, %v, want %q", in, got, err, want)
		}
	}
	if got, err := CopyTarget(""); err == nil {
		t.Errorf("an empty target became %q, want an error", got)
	}
}
