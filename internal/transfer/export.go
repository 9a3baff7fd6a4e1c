package transfer

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hearsay-memory/hearsay/internal/home"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/internal/portable"
)

// Export writes the memories that are served into a new folder, whole or not at all, and
// returns how many. With attest it adds their provenance as a signed statement, with prov as
// W3C PROV-JSON.
func Export(ctx context.Context, dir string, in *instance.Instance, m *memory.Store, attest, prov bool) (int, error) {
	temp, err := os.MkdirTemp(filepath.Dir(dir), ".hearsay-export-*") // of mode 0700
	if err != nil {
		return 0, err
	}
	w := folder{dir: temp}
	err = w.write(ctx, in, m, attest, prov)
	if err == nil && len(w.all) == 0 {
		err = errors.New("nothing is remembered, so there is nothing to export")
	}
	if err == nil {
		err = os.Rename(temp, dir)
	}
	if err != nil {
		return 0, errors.Join(err, os.RemoveAll(temp))
	}
	return len(w.all), nil
}

// folder is an export that is being written.
type folder struct {
	dir   string
	all   []portable.Exported // without their texts
	file  *os.File            // the lines
	lines *bufio.Writer
	part  int
	size  int // of the part
}

func (w *folder) write(ctx context.Context, in *instance.Instance, m *memory.Store, attest, prov bool) error {
	err := w.memories(ctx, m)
	if err = errors.Join(err, w.endPart()); err != nil {
		return err
	}
	if attest {
		data, err := attestation(ctx, in, w.all)
		if err != nil {
			return err
		}
		if err := w.put(AttestName, data); err != nil {
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
	return w.put(ProvName, data)
}

func (w *folder) memories(ctx context.Context, m *memory.Store) error {
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
func (w *folder) line(e *portable.Exported) error {
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

func (w *folder) endPart() error {
	if w.file == nil {
		return nil
	}
	err := errors.Join(w.lines.Flush(), w.file.Close())
	w.file = nil
	return err
}

func (w *folder) put(name string, data []byte) error {
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
