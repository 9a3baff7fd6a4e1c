package adopt

import (
	"errors"
	"fmt"
	"os"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/blame"
	"github.com/hearsay-memory/hearsay/internal/hook"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/internal/memfile/segment"
	"github.com/hearsay-memory/hearsay/internal/tell"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// Plan is what of one file is adopted, and what is not.
type Plan struct {
	Name    string // as it is shown
	Lines   int    // how many are adopted
	Skipped []Skipped

	state  *memfile.State
	ranges []segment.Range // those lines
}

// Skipped is a line that needs a look of its own, counted from 0, and why.
type Skipped struct {
	line int
	why  string
}

// Of sorts the lines of a file. Those that are somebody's already, the agent's or the
// user's, are not spoken of.
func Of(name string, s *memfile.State) *Plan {
	d := &Plan{Name: name, state: s}
	grades := gradesOf(blame.TextLines(s.Data))
	for r, o := range s.File.All() {
		for i := r.From; i < r.To; i++ {
			why := ""
			switch {
			case !memfile.Low(o.Label):
				continue
			case !o.Record.IsZero():
				why = "recorded as " + o.Label.String()
			case o.Label.Origin < hearsay.Unverified || o.Label.Tainted():
				why = "from elsewhere: " + o.Label.String()
			case i < len(grades):
				why = grade(grades[i])
			}
			if why != "" {
				d.Skipped = append(d.Skipped, Skipped{i, why})
				continue
			}
			d.Lines++
			if n := len(d.ranges); n > 0 && d.ranges[n-1].To == i {
				d.ranges[n-1].To++
				continue
			}
			d.ranges = append(d.ranges, segment.Range{From: i, To: i + 1})
		}
	}
	return d
}

// Print says what would be adopted of a file, and names each line that would not.
func (d *Plan) Print(p *term.Printer) {
	p.Printf("%s, SHA-256 %s: %d lines\n", d.Name, memfile.Sum(d.state.Data), d.Lines)
	for i := 0; i < len(d.Skipped); {
		var lines []int
		j := i
		for ; j < len(d.Skipped) && d.Skipped[j].why == d.Skipped[i].why; j++ {
			lines = append(lines, d.Skipped[j].line)
		}
		p.Printf("    not line %s: %s\n", tell.Lines(lines), d.Skipped[i].why)
		i = j
	}
}

// Files are the files that are named, else all memory files of the workspace and of
// the agents' own folders.
func Files(in *instance.Instance, userHome string, names []string) ([]string, error) {
	if len(names) > 0 {
		return names, nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	rules := in.Guard.Policy()
	if rules == nil {
		return nil, errors.New("no policy is in force, so which files are memory is not known: run `hearsay policy sign`")
	}
	names, complete := hook.NewFiles(rules, userHome, dir, in.Home.Dir()).Memory()
	if !complete {
		return nil, fmt.Errorf("there are more memory files than the %d that are looked at: name those that you mean", memfile.MaxListed)
	}
	return names, nil
}
