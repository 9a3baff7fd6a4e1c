package detect

import (
	"fmt"
	"slices"

	"github.com/hearsay-memory/hearsay"
)

// reviews finds what is held for weeks.
func (f *finder) reviews() {
	var ms []*Memory
	held := 0
	for _, m := range f.all {
		if !m.Held {
			continue
		}
		held++
		if f.now-m.Created >= ReviewWait {
			ms = append(ms, m)
		}
	}
	if len(ms) > 0 {
		f.about(Finding{
			Rule: RuleReview, Level: Warning, Advisory: true,
			Text: fmt.Sprintf("%d of %d held memories wait for %d weeks or more, the oldest for %d days", len(ms), held, ReviewWait/Week, (f.now-ms[0].Created)/Day),
		}, "", ms)
	}
}

// vault finds files of memories that are not as they were sealed: for each voice that
// they have, one finding.
func (f *finder) vault(files []File) {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b File) int { return slices.Compare(a.Record[:], b.Record[:]) })
	type class struct {
		change Change
		voice  hearsay.Origin
		pinned bool
	}
	by := make(map[class][]hearsay.RecordID)
	for _, file := range files {
		c := class{file.Change, file.Authority, file.Pinned}
		if file.Change == Unknown {
			c = class{change: Unknown}
		}
		by[c] = append(by[c], file.Record)
	}
	for c, ids := range by {
		g := Finding{Rule: RuleDrift, Level: Warning, Advisory: true, Authority: c.voice, Pinned: c.pinned, Count: len(ids)}
		of := c.voice.String()
		if c.pinned {
			of = "pinned, of " + of
		}
		switch c.change {
		case Changed:
			if c.voice == hearsay.User {
				g.Level = Error
			}
			g.Text = fmt.Sprintf("%d files of memories (%s origin) are not as they were sealed; recall is not affected", len(ids), of)
		case Missing:
			g.Rule, g.Text = RuleMissing, fmt.Sprintf("%d files of memories (%s origin) are gone; recall is not affected", len(ids), of)
		default:
			g.Text = fmt.Sprintf("%d files lie in the folder of memories and no record knows them", len(ids))
			ids = nil
		}
		g.Records = ids
		g.name(fmt.Sprintf("%d %t %d", c.change, c.pinned, c.voice))
		f.found = append(f.found, g)
	}
}

// hooks finds hosts whose hooks are installed and not heard of, or the other way round.
func (f *finder) hooks(hooks []Hook) {
	for _, h := range hooks {
		if h.Installed == h.Beats {
			continue
		}
		text := "a hook of %s was at work within the last week, and none is installed any more"
		if h.Installed {
			text = "the hooks of %s are installed, and none was at work within the last week"
		}
		g := Finding{Rule: RuleHook, Level: Warning, Advisory: true, Authority: hearsay.User, Count: 1, Text: fmt.Sprintf(text, h.Host)}
		g.name(h.Host)
		f.found = append(f.found, g)
	}
}

// files adds a finding about files of agents. Who speaks in them is for blame to say.
func (f *finder) files(r Rule, names []string, what string) {
	if len(names) == 0 {
		return
	}
	names = slices.Sorted(slices.Values(names))
	names = slices.Compact(names)
	level := Warning
	if i := slices.IndexFunc(rules, func(d Described) bool { return d.Rule == r }); i >= 0 {
		level = rules[i].Level
	}
	g := Finding{
		Rule: r, Level: level, Advisory: true, Authority: hearsay.Agent, Count: len(names), Files: names,
		Text: fmt.Sprintf("%d %s", len(names), what),
	}
	g.name("")
	f.found = append(f.found, g)
}
