// Package hometest has what tests of whole homes stand on: a home with a reviewer, an agent
// that writes into one, and somebody who changes its store around Hearsay.
package hometest

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/effect"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/people"
)

// Principal is whose the homes are, and who reviews there.
const Principal = "ana"

// Make makes a home whose reviewer has no passphrase.
func Make(t testing.TB) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "home")
	if _, err := people.Create(t.Context(), people.Setup{Dir: dir, Principal: Principal, Reviewer: Principal, Unprotected: true}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Open opens a home until the test ends.
func Open(t testing.TB, dir string) *instance.Instance {
	t.Helper()
	in, err := instance.Open(t.Context(), dir, instance.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	return in
}

// Held is an open home in which two writes are held, of the session session-s1 that has read
// https://evil.example.
func Held(t testing.TB) *instance.Instance {
	t.Helper()
	dir := Make(t)
	for _, text := range []string{"one", "two"} {
		if _, err := Plant(t.Context(), dir, "s1", "web", "https://evil.example", text); err != nil {
			t.Fatal(err)
		}
	}
	return Open(t, dir)
}

// Plant plays an agent at a surface: it lets the session session-NAME take in the source,
// which says these words, where source is not "agent", then writes text as the agent's.
// Where source is "said" the session takes in a web page, and then the user says text. A
// call of a memory server with a knowledge graph is taken for that.
func Plant(ctx context.Context, home, name, source, ref, text string, says ...string) (id hearsay.RecordID, err error) {
	in, err := instance.Open(ctx, home, instance.Options{})
	if err != nil {
		return id, err
	}
	defer in.Close()
	c := in.Caller(hearsay.SurfaceMCP)
	c.Session, c.Agent = "session-"+name, "helper"
	if _, err := in.Guard.Open(ctx, c, guard.Start{}); err != nil {
		return id, err
	}
	if source != "agent" {
		src := hearsay.Source{Type: source, Ref: ref, Actor: "stranger"}
		if source == "said" {
			src.Type = "web"
		}
		if _, err := in.Guard.Observe(ctx, c, guard.Observation{Source: src, Texts: says}); err != nil {
			return id, err
		}
	}
	if source == "said" {
		if err := in.Guard.Said(ctx, c, text); err != nil {
			return id, err
		}
	}
	tool, items, op := "remember", []guard.Item{{Kind: "note", Parts: []string{text}}}, event.Create
	if name, of, ok := effect.GraphItems([]byte(text)); ok {
		tool, items = name, of
		if strings.HasPrefix(tool, "delete_") {
			op = event.Delete
		}
	}
	d, err := in.Guard.Write(ctx, c, guard.Write{
		Store: "test", Source: hearsay.Source{Type: "agent"}, Namespace: hearsay.Namespace{"lessons"},
		Op: op, Tool: tool, Texts: []string{text}, Content: []byte(text), Items: items,
	})
	if err != nil {
		return id, err
	}
	if d.Standing.Visible() {
		if err := in.Guard.Applied(ctx, c, d.ID, guard.Outcome{Delivery: hearsay.Applied, Landed: items}); err != nil {
			return id, err
		}
	}
	return d.ID, nil
}

// Change runs SQL on the store of a home.
func Change(home, sql string) error {
	conn, err := sqlite.OpenConn(filepath.Join(home, "hearsay.db"), sqlite.OpenReadWrite)
	if err != nil {
		return err
	}
	return errors.Join(sqlitex.ExecuteScript(conn, sql, nil), conn.Close())
}
