package main

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/hearsay-memory/hearsay/internal/caller"
	"github.com/hearsay-memory/hearsay/internal/tell"
	"github.com/hearsay-memory/hearsay/internal/transfer"
)

// exportMemories writes the memories that are served into a new folder, whole or not at all.
func (a *app) exportMemories(ctx context.Context, dir string, attest, prov bool) error {
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		if err != nil {
			return err
		}
		return usageError("%s is there already: name a folder that is not", dir)
	}
	in, err := a.open(ctx, true)
	if err != nil {
		return err
	}
	defer in.Close()
	// The texts bear no marks, so no agent may have them.
	agent, err := caller.BeneathAgent(ctx, in)
	if err != nil {
		return err
	}
	if agent {
		return &exitError{exitHeld, "an export holds the words of strangers without marks, and an agent is above this process: run it in a terminal of your own"}
	}
	m := a.memoryOf(in)
	defer m.Close()
	n, err := transfer.Export(ctx, dir, in, m, attest, prov)
	if err != nil {
		return err
	}
	p := a.printer()
	p.Printf("Exported %s to %s. `hearsay import` takes them in elsewhere, as unverified.\n", tell.Count(n, "memory", "memories"), dir)
	p.Println("Their words bear no marks there: keep it where no agent reads it.")
	return p.Err()
}
