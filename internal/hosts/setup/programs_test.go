package setup

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hearsay-memory/hearsay/internal/hosts/install"
)

func TestProgramsBeside(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes of files")
	}
	dir := t.TempDir()
	file := func(name string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	alone, full, renamed, plain := file("alone/hearsay", 0o700), file("full/hearsay", 0o700), file("renamed/hearsay-1", 0o700), file("plain/hearsay", 0o700)
	hook := file("full/hearsay-hook", 0o700)
	file("renamed/hearsay-hook", 0o700)
	file("plain/hearsay-hook", 0o600)
	want := Programs{full, hook}
	for _, candidates := range [][]string{{full}, {alone, full}, {renamed, full, alone}} {
		if got, err := programsBeside(candidates); err != nil || got != want {
			t.Errorf("%q: %v, %v", candidates, got, err)
		}
	}
	for _, c := range []struct {
		candidates []string
		says       string
	}{
		{[]string{alone, alone}, "alone/hearsay-hook cannot be run; `make build`"},
		{[]string{plain}, "plain/hearsay-hook cannot be run"},
		{[]string{renamed}, "is called hearsay-1"},
	} {
		if got, err := programsBeside(c.candidates); err == nil || got != (Programs{}) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v, %v", c.candidates, got, err)
		}
	}
}

func TestWanted(t *testing.T) {
	h, _ := install.Find("claude")
	p := Programs{"/b/hearsay", "/b/hearsay-hook"}
	want := install.Options{Binary: "/b/hearsay-hook", Args: []string{"claude", "--home", "/h"}}
	if diff := cmp.Diff(want, p.Wanted(h, "/h", "", false)); diff != "" {
		t.Error(diff)
	}
	want.Args = append(want.Args, "--agent", "n")
	want.Gateway = []string{"/b/hearsay", "mcp", "--home", "/h", install.ServerName, install.ServerProfile, "--agent", "n", "--"}
	if diff := cmp.Diff(want, p.Wanted(h, "/h", "n", true)); diff != "" {
		t.Error(diff)
	}
}
