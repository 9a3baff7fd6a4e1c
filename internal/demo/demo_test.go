package demo_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hearsay-memory/hearsay/internal/demo"
)

func TestStoryGoesAsTold(t *testing.T) {
	var names []string
	ok, err := demo.Play(t.Context(), t.TempDir(), func(s demo.Step) {
		names = append(names, s.Name)
		if !s.OK {
			t.Errorf("%s: %s", s.Name, s.Detail)
		}
		if shows := s.Name == "recall"; shows != (len(s.Shown) > 0) {
			t.Errorf("%s shows %q", s.Name, s.Shown)
		}
	})
	if err != nil || !ok {
		t.Errorf("ok %v, %v", ok, err)
	}
	want := []string{"preference", "page read", "lesson held", "recall clean", "review", "derived held", "revoked", "recall", "verified", "tampered"}
	if d := cmp.Diff(want, names); d != "" {
		t.Errorf("steps (-want +got):\n%s", d)
	}
}

// TestStoryNeedsRoom: a home that is there already is left alone.
func TestStoryNeedsRoom(t *testing.T) {
	dir := t.TempDir()
	if _, err := demo.Play(t.Context(), dir, func(demo.Step) {}); err != nil {
		t.Fatal(err)
	}
	told := 0
	ok, err := demo.Play(t.Context(), dir, func(demo.Step) { told++ })
	if ok || err == nil || told > 0 {
		t.Errorf("played again in %s: ok %v, %v, %d steps", filepath.Base(dir), ok, err, told)
	}
}

// TestStoryEnds: a story that is broken off says so and leaves nobody behind.
func TestStoryEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	ok, err := demo.Play(ctx, t.TempDir(), func(s demo.Step) {
		if s.Name == "page read" {
			cancel()
		}
	})
	cancel()
	if ok {
		t.Errorf("ok after it was broken off (%v)", err)
	}
}
