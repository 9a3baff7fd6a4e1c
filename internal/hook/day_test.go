package hook_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the answers in the days")

var ids = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)

// TestDays plays whole days of each host: the host's own JSON in, ours out. A file
// NAME.json of a day is an event, NAME.out what the hook answers, any other file, and one
// in a folder, one of the workspace; "-update" rewrites the answers.
func TestDays(t *testing.T) {
	days, err := filepath.Glob("../hosts/testdata/days/*.txtar")
	if err != nil || len(days) < 2 {
		t.Fatalf("%d days, %v", len(days), err)
	}
	for _, name := range days {
		host := strings.TrimSuffix(filepath.Base(name), ".txtar")
		t.Run(host, func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			w := newWorld(t, host)
			out := &txtar.Archive{Comment: a.Comment}
			want := make(map[string]string)
			for _, f := range a.Files {
				want[f.Name] = string(f.Data)
			}
			for _, f := range a.Files {
				step, ok := strings.CutSuffix(f.Name, ".json")
				if !ok || strings.Contains(step, "/") {
					if !strings.HasSuffix(f.Name, ".out") {
						w.write("$WORK/"+f.Name, string(f.Data))
						out.Files = append(out.Files, f)
					}
					continue
				}
				w.process = "proc-1"
				if strings.Contains(step, "other-process") {
					w.process = "proc-2"
				}
				r := w.send(string(f.Data))
				got := strings.NewReplacer(w.work, "$WORK", w.home, "$HOME").Replace(ids.ReplaceAllString(fmt.Sprintf("exit %d\n%s%s", r.Exit, r.Stdout, r.Stderr), "ID"))
				if !strings.HasSuffix(got, "\n") {
					got += "\n"
				}
				out.Files = append(out.Files, f, txtar.File{Name: step + ".out", Data: []byte(got)})
				if got != want[step+".out"] && !*update {
					t.Errorf("%s answers\n%s\nwant\n%s", step, got, want[step+".out"])
				}
			}
			if *update {
				if err := os.WriteFile(name, bytes.TrimLeft(txtar.Format(out), "\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			w.verify()
		})
	}
}
