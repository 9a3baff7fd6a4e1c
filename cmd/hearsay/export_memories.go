package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hearsay-memory/hearsay/internal/home"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/internal/portable"
)

// Files of an export of memories beside the Markdown and [exportName].
const (
	attestName = "provenance.intoto.json"
	provName   = "provenance.prov.json"
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
	keys, _, err := beneath(ctx, in)
	if err != nil {
		return err
	}
	agent, err := agentAbove(ctx, in, keys)
	if err != nil {
		return err
	}
	if agent {
		return &exitError{exitHeld, "an export holds the words of strangers without marks, and an agent is above this process: run it in a terminal of your own"}
	}
	m := a.memoryOf(in)
	defer m.Close()
	temp, err := os.MkdirTemp(filepath.Dir(dir), ".hearsay-export-*") // of mode 0700
	if err != nil {
		return err
	}
	w := exportFolder{dir: temp}
	err = w.write(ctx, in, m, attest, prov)
	if err == nil && len(w.all) == 0 {
		err = errors.New("nothing is remembered, so there is nothing to export")
	}
	if err == nil {
		err = os.Rename(temp, dir)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(temp))
	}
	p := a.printer()
	p.Printf("Exported %d memories to %s. `hearsay import` takes them in elsewhere, as unverified.\n", len(w.all), dir)
	p.Println("Their words bear no marks there: keep it where no agent reads it.")
	return p.Err()
}

// exportFolder is an export that is being written.
type exportFolder struct {
	dir   string
	all   []portable.Exported // without their texts
	file  *os.File            // the lines
	lines *bufio.Writer
	part  int
	size  int // of the part
}

func (w *exportFolder) write(ctx context.Context, in *instance.Instance, m *memory.Store, attest, prov bool) error {
	err := w.memories(ctx, m)
	if err = errors.Join(err, w.endPart()); err != nil {
		return err
	}
	if attest {
		data, err := attestation(ctx, in, w.all)
		if err != nil {
			return err
		}
		if err := w.put(attestName, data); err != nil {
			return err
		}
	}
	if !prov {
		return nil
	}
	data, err := portable.Prov(w.all)
	if err != nil {
		return err
	}
	return w.put(provName, data)
}

func (w *exportFolder) memories(ctx context.Context, m *memory.Store) error {
	for one, err := range m.All(ctx) {
		if err != nil {
			return err
		}
		name := filepath.Join(w.dir, filepath.FromSlash(one.Name()))
		if err := os.MkdirAll(filepath.Dir(name), home.DirMode); err != nil {
			return err
		}
		if err := os.WriteFile(name, one.Render(), home.FileMode); err != nil {
			return err
		}
		e := portable.Export(one)
		if err := w.line(&e); err != nil {
			return err
		}
		e.Text = ""
		w.all = append(w.all, e)
	}
	return nil
}

// line writes a memory to the JSON lines, which are cut so that each file can be imported.
func (w *exportFolder) line(e *portable.Exported) error {
	data, err := e.Line()
	if err != nil {
		return err
	}
	if w.file != nil && w.size+len(data) > portable.MaxFile {
		if err := w.endPart(); err != nil {
			return err
		}
	}
	if w.file == nil {
		w.part++
		f, err := os.OpenFile(filepath.Join(w.dir, exportPart(w.part)), os.O_WRONLY|os.O_CREATE|os.O_EXCL, home.FileMode)
		if err != nil {
			return err
		}
		w.file, w.lines, w.size = f, bufio.NewWriter(f), 0
	}
	w.size += len(data)
	_, err = w.lines.Write(data)
	return err
}

func (w *exportFolder) endPart() error {
	if w.file == nil {
		return nil
	}
	err := errors.Join(w.lines.Flush(), w.file.Close())
	w.file = nil
	return err
}

func (w *exportFolder) put(name string, data []byte) error {
	return os.WriteFile(filepath.Join(w.dir, name), append(data, '\n'), home.FileMode)
}

// attestation is the provenance of memories as an in-toto statement, signed with the
// ledger's key, at the log as it is now.
func attestation(ctx context.Context, in *instance.Instance, all []portable.Exported) ([]byte, error) {
	head, err := in.Store.Head(ctx)
	if err != nil {
		return nil, err
	}
	root := head.Frontier.Root()
	payload, err := portable.Statement(all, in.Config.LogID, head.Frontier.Size(), fmt.Sprintf("%x", root[:]))
	if err != nil {
		return nil, err
	}
	key := in.Signer()
	return portable.Seal(portable.PayloadType, payload, fmt.Sprintf("%s+%08x", key.Name(), key.KeyHash()), key.Sign)
}
