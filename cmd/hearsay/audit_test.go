package main

import (
	"context"
	"fmt"
	"os"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/recall"
)

// sow plays an agent that remembers what a page says, for scripts: `sow HOME SESSION REF
// TAG TEXT…` remembers each text as a fact of the page's and prints the ids.
func sow() {
	a := os.Args
	if err := sowAll(context.Background(), a[1], a[2], a[3], a[4], a[5:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func sowAll(ctx context.Context, home, session, ref, tag string, texts []string) error {
	in, err := instance.Open(ctx, home, instance.Options{})
	if err != nil {
		return err
	}
	defer in.Close()
	m := (&app{streams: streams{err: os.Stderr}}).memoryOf(in)
	defer m.Close()
	c := in.Caller(hearsay.SurfaceOwn)
	c.Session = session
	if _, err := in.Guard.Open(ctx, c, guard.Start{}); err != nil {
		return err
	}
	for _, text := range texts {
		d, err := m.Remember(ctx, c, memory.New{
			Doc:    memory.Doc{Kind: recall.Learning, Text: text, Tags: []string{tag}},
			Source: hearsay.Source{Type: "web", Ref: ref}, Namespace: hearsay.Namespace{"facts"},
		})
		if err != nil {
			return err
		}
		fmt.Println(d.ID)
	}
	return nil
}
