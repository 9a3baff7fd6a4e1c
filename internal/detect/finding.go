package detect

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/hearsay-memory/hearsay"
)

// Rule names what a finding is of. Rules are stable: one is never used for something else.
type Rule string

// The rules, in their order.
const (
	RuleBurst      Rule = "HS001-burst"
	RuleTags       Rule = "HS002-tag-clique"
	RuleText       Rule = "HS003-text-clique"
	RuleReinforced Rule = "HS004-reinforced"
	RuleEcho       Rule = "HS005-echo"
	RuleDrip       Rule = "HS006-drip"
	RuleDrift      Rule = "HS007-drift"
	RuleMissing    Rule = "HS008-missing"
	RuleHook       Rule = "HS009-silent-hook"
	RuleReview     Rule = "HS010-unseen-review"
	RuleActor      Rule = "HS011-actor"
	RuleGuarded    Rule = "HS012-guarded-file"
	RuleIndex      Rule = "HS013-index"
)

// Rules returns every rule, in order, with what it finds in a few words.
func Rules() []Described { return slices.Clone(rules) }

// Described is a rule and what it finds.
type Described struct {
	Rule  Rule
	Level Level // the highest that it gives
	About string
	Do    string // what a person does about it
}

// What to do about memories that may be held, and about others.
const (
	doHold = "look with `hearsay show ID`; `hearsay audit --apply` holds them until you decide, `hearsay revoke` takes one out"
	doLook = "look with `hearsay show ID` and `hearsay trace ID`"
	doFile = "compare the file with `hearsay show ID`; say a good change in your own name with `hearsay remember --sign --replace ID`"
)

var rules = []Described{
	{RuleBurst, Warning, "more memories within a day than the origin writes in ordinary use", doHold},
	{RuleTags, Warning, "memories of low trust that hold together by shared tags", doHold},
	{RuleText, Warning, "memories of low trust that say the same", doHold},
	{RuleReinforced, Warning, "memories that no person looked at and that session after session takes in", doHold},
	{RuleEcho, Warning, "memories of low trust that were made from one another", doHold},
	{RuleDrip, Warning, "memories of low trust that arrive slowly, for weeks, from one source or under one tag", doHold},
	{RuleDrift, Error, "files of memories that are not as they were sealed", doFile},
	{RuleMissing, Warning, "files of memories that are gone", "nothing is lost; ask who deleted them"},
	{RuleHook, Warning, "hooks of an agent host that are not heard of", "run `hearsay doctor`"},
	{RuleReview, Warning, "held memories that nobody looked at for weeks", "run `hearsay review`"},
	{RuleActor, Warning, "memories whose payload claims a better speaker than the one it came from", doLook},
	{RuleGuarded, Warning, "memory files that changed and nobody was seen writing", "look with `hearsay diff FILE`; adopt what is yours with `hearsay attest FILE:LINES`"},
	{RuleIndex, Note, "memory files and their index that do not agree", "name the file in the index beside it, or take the line out"},
}

// Level says how much a finding matters. The names are those of SARIF.
type Level string

// The levels.
const (
	Note    Level = "note"    // ordinary use can look like it
	Warning Level = "warning" // a person should look
	Error   Level = "error"   // a person should look now
)

// Rank orders levels: the more it matters the higher.
func (l Level) Rank() int { return slices.Index([]Level{Note, Warning, Error}, l) }

// Finding is one thing that was found. It has no word of any memory.
type Finding struct {
	Rule  Rule   `json:"rule"`
	Level Level  `json:"level"`
	Text  string `json:"text"` // for people
	// Authority is the most trusted voice among what it is about; Pinned says that a
	// person pinned part of it.
	Authority hearsay.Origin `json:"authority"`
	Pinned    bool           `json:"pinned,omitempty"`
	// Advisory findings are evidence of something that is often honest: nothing is
	// quarantined for them.
	Advisory bool               `json:"advisory,omitempty"`
	Count    int                `json:"count"`
	Records  []hearsay.RecordID `json:"records,omitempty"` // oldest first
	Files    []string           `json:"files,omitempty"`
	Since    int64              `json:"since,omitempty"` // of the oldest record, UTC ms; 0: it has no time
	Last     int64              `json:"last,omitempty"`  // of the newest
	Key      string             `json:"key"`             // names the finding: the same as it grows, see [Finding.name]
}

// name gives a finding the key by which it is known from run to run: that of its rule,
// what kind of group it is of, and where it began. The words by which a group holds
// together, such as a tag, take no part: they could be guessed from a digest.
func (f *Finding) name(group string) {
	h := sha256.New()
	h.Write([]byte("hearsay/finding/v1\x00" + string(f.Rule) + "\x00" + group + "\x00"))
	if len(f.Records) > 0 {
		h.Write(f.Records[0][:])
	}
	f.Key = hex.EncodeToString(h.Sum(nil)[:16])
}

// compare puts findings in their order: most authority first.
func compare(a, b Finding) int {
	if a.Pinned != b.Pinned {
		if a.Pinned {
			return -1
		}
		return 1
	}
	return cmp.Or(
		-cmp.Compare(a.Authority, b.Authority),
		-cmp.Compare(a.Level.Rank(), b.Level.Rank()),
		cmp.Compare(a.Rule, b.Rule),
		cmp.Compare(a.Since, b.Since),
		cmp.Compare(a.Key, b.Key),
	)
}

// Since returns the findings in which something happened at or after a time, UTC ms, and
// those that have no time.
func Since(all []Finding, t int64) []Finding {
	return slices.DeleteFunc(slices.Clone(all), func(f Finding) bool { return f.Last != 0 && f.Last < t })
}

// about adds a finding about memories, which are in order of their time. A person who
// looked at all of them has settled it.
func (f *finder) about(g Finding, group string, ms []*Memory) {
	if !slices.ContainsFunc(ms, func(m *Memory) bool { return !m.Vetted }) {
		return
	}
	for _, m := range ms {
		g.Records = append(g.Records, m.ID)
		g.Authority = max(g.Authority, voice(m.Label))
		g.Pinned = g.Pinned || m.Pinned
	}
	g.Count, g.Since, g.Last = len(ms), ms[0].Created, ms[len(ms)-1].Created
	g.name(group)
	f.found = append(f.found, g)
}

// worst is the level of a group of low trust: a warning where a stranger speaks in it.
func worst(ms []*Memory) Level {
	for _, m := range ms {
		if m.Label.Tainted() || m.Label.Origin < hearsay.Tool {
			return Warning
		}
	}
	return Note
}
