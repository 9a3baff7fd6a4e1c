package setup

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/people"
)

// Only a live session of a hook, under the same host process, says that an agent asks.
func TestWatchedUnder(t *testing.T) {
	ctx, dir := t.Context(), filepath.Join(t.TempDir(), "home")
	if watched, err := watchedUnder(ctx, dir, "proc-1"); watched || err != nil {
		t.Errorf("no home: %v, %v", watched, err)
	}
	if _, err := people.Create(ctx, people.Setup{Dir: dir, Principal: "ana", Reviewer: "ana", Unprotected: true}); err != nil {
		t.Fatal(err)
	}
	in, err := instance.Open(ctx, dir, instance.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	open := func(s hearsay.Surface, session, host string) {
		c := in.Caller(s)
		c.Session = session
		if _, err := in.Guard.Open(ctx, c, guard.Start{Host: host}); err != nil {
			t.Fatal(err)
		}
	}
	open(hearsay.SurfaceMCP, "proc-1", "proc-1")
	open(hearsay.SurfaceHook, "claude:a", "proc-2")
	open(hearsay.SurfaceHook, "claude:b", "")
	for host, want := range map[string]bool{"proc-1": false, "proc-2": true, "proc-3": false} {
		if watched, err := watchedUnder(ctx, dir, host); watched != want || err != nil {
			t.Errorf("%s: %v, %v", host, watched, err)
		}
	}
	if err := os.Remove(filepath.Join(dir, "index.key")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "index.key"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if watched, err := watchedUnder(ctx, dir, "proc-2"); watched || err == nil {
		t.Errorf("a home that cannot be opened: %v, %v", watched, err)
	}
}
