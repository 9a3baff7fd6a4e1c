package main

import (
	"fmt"
	"io"
	"log/slog"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/home"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/internal/memory/embed"
	"github.com/hearsay-memory/hearsay/internal/term"
	"github.com/hearsay-memory/hearsay/recall"
)

// memoryOf opens the memory of a home's principal. Close it before the instance.
func (a *app) memoryOf(in *instance.Instance) *memory.Store {
	o := memory.Options{
		Principal: in.Config.Principal,
		Dir:       in.Home.Path(home.DirMemory + "/" + memory.Folder(in.Config.Principal)),
		Log:       slog.New(slog.NewTextHandler(safeWriter{a.err}, &slog.HandlerOptions{ReplaceAttr: plainLog})),
	}
	if args := in.Config.Embedder; len(args) > 0 {
		o.Embedder, o.EmbedderName = embed.Command(args), embed.Name(args)
	}
	return memory.Open(in.Guard, o)
}

// safeWriter writes what a terminal can be shown.
type safeWriter struct{ w io.Writer }

func (s safeWriter) Write(b []byte) (int, error) {
	if _, err := io.WriteString(s.w, "hearsay: "+term.SafeText(string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// plainLog leaves out what a person who just typed a command knows.
func plainLog(_ []string, at slog.Attr) slog.Attr {
	if at.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return at
}

// parseIDs reads record ids from the command line.
func parseIDs(list []string) (ids []hearsay.RecordID, err error) {
	for _, s := range list {
		id, err := parseID(s)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// parseKinds reads kinds of memories from the command line.
func parseKinds(list []string) (kinds []recall.Kind, err error) {
	for _, s := range list {
		k, err := recall.ParseKind(s)
		if err != nil {
			return nil, usageError("--kind: %v", err)
		}
		kinds = append(kinds, k)
	}
	return kinds, nil
}

// projectOf names a project as memories do; empty: none.
func projectOf(dir string) (string, error) {
	if dir == "" {
		return "", nil
	}
	real, err := realDir(dir)
	if err != nil {
		return "", usageError("--project: %v", err)
	}
	return real, nil
}

// readText reads the text of a memory: the argument, or for "-" what is piped in.
func (a *app) readText(arg string) (string, error) {
	if arg != "-" {
		return arg, nil
	}
	data, err := io.ReadAll(io.LimitReader(a.in, memory.MaxText+1))
	if err != nil {
		return "", fmt.Errorf("read the text: %w", err)
	}
	return string(data), nil
}
