package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/instance"
)

// seed plays an agent at a surface, for scripts: `seed HOME SESSION SOURCE REF TEXT [SAYS]`
// lets the session take in the source, which says SAYS, where SOURCE is not "agent", then
// writes TEXT as the agent's and prints the record's id. Where SOURCE is "said" it takes
// in a web page, and then the user says TEXT. A call of a memory server with a knowledge
// graph is taken for that.
func seed() {
	id, err := plant(context.Background(), os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(id)
}

// plant is what seed does with its arguments.
func plant(ctx context.Context, args []string) (id hearsay.RecordID, err error) {
	in, err := instance.Open(ctx, args[0], instance.Options{})
	if err != nil {
		return id, err
	}
	defer in.Close()
	c := in.Caller(hearsay.SurfaceMCP)
	c.Session, c.Agent = "session-"+args[1], "helper"
	if _, err := in.Guard.Open(ctx, c, guard.Start{}); err != nil {
		return id, err
	}
	if args[2] != "agent" {
		src := hearsay.Source{Type: args[2], Ref: args[3], Actor: "stranger"}
		if args[2] == "said" {
			src.Type = "web"
		}
		if _, err := in.Guard.Observe(ctx, c, guard.Observation{Source: src, Texts: args[5:]}); err != nil {
			return id, err
		}
	}
	if args[2] == "said" {
		if err := in.Guard.Said(ctx, c, args[4]); err != nil {
			return id, err
		}
	}
	tool, items, op := "remember", []guard.Item{{Kind: "note", Parts: []string{args[4]}}}, event.Create
	if name, of, ok := graphItems([]byte(args[4])); ok {
		tool, items = name, of
		if strings.HasPrefix(tool, "delete_") {
			op = event.Delete
		}
	}
	d, err := in.Guard.Write(ctx, c, guard.Write{
		Store: "test", Source: hearsay.Source{Type: "agent"}, Namespace: hearsay.Namespace{"lessons"},
		Op: op, Tool: tool, Texts: []string{args[4]}, Content: []byte(args[4]), Items: items,
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

// tamper plays one who changes the store around Hearsay: `tamper HOME SQL`.
func tamper() {
	if err := change(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// change runs SQL on the store of a home.
func change(home, sql string) error {
	conn, err := sqlite.OpenConn(home+"/hearsay.db", sqlite.OpenReadWrite)
	if err != nil {
		return err
	}
	return errors.Join(sqlitex.ExecuteScript(conn, sql, nil), conn.Close())
}
