package main

import (
	"context"
	"io"
	"log/slog"

	"github.com/hearsay-memory/hearsay/internal/home"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/internal/memory/embed"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// openMemory opens the home, and the memory of its principal; done closes both.
func (a *app) openMemory(ctx context.Context, readOnly bool) (in *instance.Instance, m *memory.Store, done func(), err error) {
	in, err = a.open(ctx, readOnly)
	if err != nil {
		return nil, nil, nil, err
	}
	m = a.memoryOf(in)
	return in, m, func() { m.Close(); in.Close() }, nil
}

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
