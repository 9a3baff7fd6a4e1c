package bench

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/internal/memfile/segment"
)

// memoryFiles is how many memory files the workspace of a write has.
const memoryFiles = 200

// hookFiles measures the hook at a write to an ordinary source file, in a workspace with
// memory files and in one without.
func hookFiles(ctx context.Context, c *Config) ([]Result, error) {
	if c.Hook == nil {
		c.Note("hook-files is left out: there is no hearsay-hook beside the program")
		return nil, nil
	}
	home, err := c.home(ctx, 1000)
	if err != nil {
		return nil, err
	}
	line := c.hookLine(home)
	write := func(name string, files int) (started, error) {
		at := workspace{filepath.Join(c.Dir, name), name}
		if err := makeMemory(at.dir, files); err != nil {
			return started{}, err
		}
		input := fmt.Sprintf(`{"file_path":%q,"content":"package a\n"}`, filepath.Join(at.dir, "a.go"))
		_, err := timed(ctx, line, at.began())
		return started{line, func() []byte { return at.call("Write", input) }}, err
	}
	with, err := write("with", memoryFiles)
	if err != nil {
		return nil, err
	}
	without, err := write("without", 0)
	if err != nil {
		return nil, err
	}
	ours, floor, err := c.pairs(ctx, with, without)
	if err != nil {
		return nil, err
	}
	return []Result{result("hook-files", "ns", ours, floor)}, nil
}

// makeMemory makes a workspace with so many memory files of 8 KiB, a hundred to a folder,
// and an index that imports the first of them.
func makeMemory(dir string, files int) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	text := strings.Repeat("a line of a memory file that says little\n", 200)[:8<<10-1] + "\n"
	for i := range files {
		folder := filepath.Join(dir, "memory", fmt.Sprintf("%03d", i/100))
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%05d.md", i)), []byte(text), 0o600); err != nil {
			return err
		}
	}
	if files == 0 {
		return nil
	}
	var index bytes.Buffer
	for i := range min(files, memoryFiles) {
		fmt.Fprintf(&index, "- see @memory/%03d/%05d.md\n", i/100, i)
	}
	return os.WriteFile(filepath.Join(dir, "MEMORY.md"), index.Bytes(), 0o600)
}

// unchangedFiles measures the look at many memory files of which none changed, as before
// and after a command, beside a walk that looks at each file from outside.
func unchangedFiles(ctx context.Context, c *Config) (out []Result, err error) {
	tree := filepath.Join(c.Dir, "tree")
	if err := makeMemory(tree, c.Files); err != nil {
		return nil, err
	}
	if tree, err = filepath.EvalSymlinks(tree); err != nil {
		return nil, err
	}
	written := time.Now()
	home, err := c.home(ctx, 1000)
	if err != nil {
		return nil, err
	}
	in, err := instance.Open(ctx, home, instance.Options{Deadline: time.Minute})
	if err != nil {
		return nil, err
	}
	defer closing(&err, in)
	var set memfile.Set
	set.Add(memfile.Memory, filepath.ToSlash(tree), "memory/**")
	t := memfile.Tracker{Guard: in.Guard, Caller: in.Caller(hearsay.SurfaceHook)}
	look := func(care memfile.Care) (changed int, err error) {
		names, complete := set.List()
		if len(names) != c.Files || !complete {
			return 0, fmt.Errorf("%d files are listed, and there are %d", len(names), c.Files)
		}
		s, err := t.Survey(ctx, care)
		if err != nil {
			return 0, err
		}
		defer func() { err = errors.Join(err, s.Close(ctx)) }()
		for _, name := range names {
			if _, same := s.Unchanged(name); same {
				continue
			}
			changed++
			if _, err := s.Settle(ctx, name); err != nil {
				return changed, err
			}
		}
		return changed, nil
	}
	// A file that was written just before a look is read again at the next.
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(time.Until(written.Add(2100 * time.Millisecond))):
	}
	if _, err := look(memfile.Hash); err != nil {
		return nil, err
	}
	ours := half(func() error {
		changed, err := look(memfile.Stat)
		if err == nil && changed > 0 {
			err = fmt.Errorf("%d files changed while they were looked at", changed)
		}
		return err
	})
	got, err := c.turns(ours, half(func() error { return walk(tree) }))
	if err != nil {
		return nil, err
	}
	return []Result{result("files-10k", "ns", got[0], got[1])}, nil
}

// walk looks at each file of a tree from outside.
func walk(dir string) error {
	return filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil {
			_, err = d.Info()
		}
		return err
	})
}

// editedFile measures how long it takes to say who said each line of a file of 1 MB
// after an edit in its middle, beside SHA-256 of both versions.
func editedFile(_ context.Context, c *Config) ([]Result, error) {
	var text bytes.Buffer
	for i := 0; text.Len() < 1<<20; i++ {
		fmt.Fprintf(&text, "2026-11-30 %02d:%02d the service %x restarted after %d requests\n", i/60%24, i%60, i*2654435761%1000003, i*7919%100003)
	}
	before, after := text.Bytes(), bytes.Clone(text.Bytes())
	copy(after[len(after)/2:], "edited")
	by := segment.Owner{Label: hearsay.Label{Origin: hearsay.Agent, Taint: hearsay.Untainted}}
	f := segment.New(before, segment.Owner{Label: hearsay.LabelIdentity})
	var sums [2][sha256.Size]byte
	got, err := c.turns(
		perCall(func() error {
			_, _, err := f.Apply(before, after, by)
			return err
		}),
		pure(func() { sums[0], sums[1] = sha256.Sum256(before), sha256.Sum256(after) }),
	)
	if err != nil {
		return nil, err
	}
	return []Result{result("file-edit-1mb", "ns", got[0], got[1])}, nil
}
