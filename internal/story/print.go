package story

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hearsay-memory/hearsay/internal/tell"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// explainMost bounds the records and the questions that people are shown at once.
const explainMost = 50

// Print tells people.
func (x *Explained) Print(p *term.Printer) {
	where := "live"
	if !x.Live {
		where = "not live any more: whoever comes back with the id is tainted"
	}
	p.Printf("%s of %s, %s, %s\n\n", p.Bold("Session "+x.Session), x.Principal, tell.Label(p, x.Label), where)
	now := time.Now()
	for i, e := range x.Sank {
		first := "What sank it:"
		if i > 0 {
			first = "… and further:"
		}
		p.Printf("%s entry %d, %s (%s): %s → %s\n", first, e.Seq, tell.Instant(e.T), tell.Ago(e.T, now), e.read(), tell.Label(p, e.Label))
	}
	if len(x.Sank) == 0 {
		p.Println("Nothing sank it.")
	} else {
		x.printTouched(p)
	}
	p.Printf("\n%s\n", p.Bold("What the label means"))
	for _, line := range append(slices.Clone(x.Writes), x.Actions...) {
		p.Println("- " + line)
	}
}

// printTouched tells what was written and asked since.
func (x *Explained) printTouched(p *term.Printer) {
	var written, asked [][]any
	for _, r := range x.Records[:min(len(x.Records), explainMost)] {
		words := "-"
		if r.Attributed {
			words = tell.Attributed
		}
		written = append(written, []any{r.ID, r.Standing, r.Delivery, tell.Label(p, r.Label), rule(r.Rule), words})
	}
	for _, q := range x.Questions[:min(len(x.Questions), explainMost)] {
		asked = append(asked, []any{q.ID, q.State, strings.Join(q.Names, " "), cmp.Or(q.Rule, "the policy's default")})
	}
	p.Printf("\n%s\n", p.Bold(fmt.Sprintf("Written since: %d", len(x.Records))))
	if len(written) > 0 {
		p.Table([]string{"id", "standing", "delivery", "label", "by", "words"}, written)
	}
	if n := len(x.Records) - len(written); n > 0 {
		p.Printf("and %d more: hearsay ls --session %s --limit 0\n", n, x.Session)
	}
	p.Printf("\n%s\n", p.Bold(fmt.Sprintf("Asked since: %d", len(x.Questions))))
	if len(asked) > 0 {
		p.Table([]string{"id", "state", "action", "rule"}, asked)
	}
	if n := len(x.Questions) - len(asked); n > 0 {
		p.Printf("and %d more: hearsay review list --status all\n", n)
	}
}
