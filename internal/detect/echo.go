package detect

import (
	"fmt"

	"github.com/hearsay-memory/hearsay"
)

// reinforced finds memories of low trust that no person looked at and that keep coming up.
// That what a tool reported keeps coming up is what it was remembered for: advisory.
func (f *finder) reinforced() {
	var strange, reported []*Memory
	for _, m := range f.low {
		switch {
		case m.Recalls < ReinforcedRecalls || m.Vetted:
		case m.Label.Tainted() || m.Label.Origin != hearsay.Tool:
			strange = append(strange, m)
		default:
			reported = append(reported, m)
		}
	}
	if len(strange) > 0 {
		f.about(Finding{
			Rule: RuleReinforced, Level: Warning,
			Text: fmt.Sprintf("%d memories of low trust that no person looked at were taken in by %d sessions or more", len(strange), ReinforcedRecalls),
		}, "", strange)
	}
	if len(reported) > 0 {
		f.about(Finding{
			Rule: RuleReinforced, Level: Note, Advisory: true,
			Text: fmt.Sprintf("%d memories of what tools reported that no person looked at were taken in by %d sessions or more", len(reported), ReinforcedRecalls),
		}, "reported", reported)
	}
}

// echoes finds families of memories of low trust: what was recalled and remembered again
// in other words.
func (f *finder) echoes() {
	for _, set := range f.kin().sets(EchoFamily) {
		ms := pick(f.low, set)
		f.about(Finding{
			Rule: RuleEcho, Level: Warning,
			Text: fmt.Sprintf("%d memories of low trust were made from one another", len(ms)),
		}, "", ms)
	}
}

// kin joins the memories of low trust that name each other as parents.
func (f *finder) kin() union {
	at := make(map[hearsay.RecordID]int, len(f.low))
	for i, m := range f.low {
		at[m.ID] = i
	}
	u := newUnion(len(f.low))
	for i, m := range f.low {
		for _, p := range m.Parents {
			if j, ok := at[p]; ok {
				u.join(i, j)
			}
		}
	}
	return u
}

// actors finds memories whose payload claims a better speaker than the surface saw. The
// lower one counts; that somebody claims more is worth knowing.
func (f *finder) actors() {
	var ms []*Memory
	for _, m := range f.all {
		if m.Higher && voice(m.Label) != hearsay.User {
			ms = append(ms, m)
		}
	}
	if len(ms) > 0 {
		f.about(Finding{
			Rule: RuleActor, Level: Warning, Advisory: true,
			Text: fmt.Sprintf("%d memories name a speaker with more trust than the one they came from; they have the lower", len(ms)),
		}, "", ms)
	}
}
