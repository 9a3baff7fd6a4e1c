// Package detect finds the patterns that an attack on a memory leaves behind.
//
// It is pure: plain data and the time go in, findings come out, the same for the same
// input in whatever order it comes. It judges by who wrote, when, how often and how alike,
// never by what a text says; so it finds nothing in what the user said, and a stranger who
// words a lie well gains nothing. What it cannot find is said in docs/audit.md: a lie that
// is told once, by one source, and never again in words that resemble it.
//
// All of it takes near-linear time. Where an input could force more, a bound makes it find
// more, not less.
package detect

import (
	"slices"
	"strings"

	"github.com/hearsay-memory/hearsay"
)

// The lines. What is at or above one is a finding.
const (
	Day  = 24 * 60 * 60 * 1000 // ms
	Week = 7 * Day

	BurstExternal = 5  // writes of external and unverified origin within a day
	BurstTool     = 10 // of tools, and of anybody else through whom something untrusted flowed
	BurstAgent    = 30 // of agents and known people

	TagClique  = 4 // memories that share two tags
	TextClique = 3 // memories that share a passage; two, if one was derived from the other
	EchoFamily = 3 // memories that were derived from one another

	ReinforcedRecalls = 5 // sessions that took in a memory which no person has looked at

	DripWindow = 30 * Day
	DripDays   = 3 // different days, else it is a burst or nothing
	DripAll    = 3 // how many times the line of one group is that of an origin as a whole

	ReviewWait = 2 * Week // how long what is held may wait unseen
)

// Memory is what is known of one record that is held or served. Its words are looked at
// for likeness alone and never show in a finding.
type Memory struct {
	ID      hearsay.RecordID
	Label   hearsay.Label
	Source  hearsay.Source
	Session string
	Created int64 // UTC ms
	Parents []hearsay.RecordID
	Tags    []string
	Text    string // may be left empty for what is trusted

	Own     bool // of Hearsay's own memory, where it can be held again
	Held    bool // waits for a person
	Vetted  bool // a person looked at it and let it go
	Pinned  bool // or stable
	Recalls int  // sessions that took it in
	// Higher says that its payload named a source that speaks with more trust than the
	// one it came from.
	Higher bool
}

// voice is the origin that a label speaks with: its own, and that of a tool at most where
// something untrusted flowed in.
func voice(l hearsay.Label) hearsay.Origin {
	switch {
	case l.Origin > hearsay.User:
		return hearsay.External
	case l.Tainted():
		return min(l.Origin, hearsay.Tool)
	}
	return l.Origin
}

func (m *Memory) low() bool { return voice(m.Label).LowTrust() }

// File is one file of the vault that is not as it was sealed.
type File struct {
	Record    hearsay.RecordID // zero: no record knows it
	Change    Change
	Authority hearsay.Origin
	Pinned    bool
}

// Change is what became of a file.
type Change uint8

// The changes.
const (
	Changed Change = iota // its bytes are not what was sealed
	Missing               // it is gone
	Unknown               // no record knows it
)

// Hook is what is known of the hooks of one agent host.
type Hook struct {
	Host      string
	Installed bool
	Beats     bool // one was at work within the last week
}

// Input is what there is to look at, of one principal.
type Input struct {
	Now      int64 // UTC ms
	Memories []Memory
	Vault    []File   // files of memories that are not as they were sealed
	Guarded  []string // memory files of agents that changed and nobody was seen writing
	Orphans  []string // topic files without a line in their index, and the reverse
	Hooks    []Hook
	// Seed makes fingerprints of text unpredictable for whoever does not know it. It does
	// not change what is found, but by accident.
	Seed uint64
}

// Find returns what it finds, most authority first: a pinned word of the user carries more
// weight into every session than a stranger's.
func Find(in Input) []Finding {
	f := &finder{now: in.Now, seed: in.Seed}
	f.take(in.Memories)
	f.bursts()
	f.tagCliques()
	f.textCliques()
	f.reinforced()
	f.echoes()
	f.drips()
	f.vault(in.Vault)
	f.hooks(in.Hooks)
	f.reviews()
	f.actors()
	f.files(RuleGuarded, in.Guarded, "memory files changed and nobody was seen writing them")
	f.files(RuleIndex, in.Orphans, "memory files are missing from their index, or missing and named there")
	slices.SortFunc(f.found, compare)
	return f.found
}

// finder collects findings about memories in the order of their time.
type finder struct {
	now    int64
	seed   uint64
	all    []*Memory
	low    []*Memory // what is low in trust, vetted or not
	tags   [][]int32 // of each of low: the numbers of its tags, ascending
	tagged []int     // how many of low have the tag of that number
	found  []Finding
}

// take puts the memories in order, each once: the same record twice would count twice.
func (f *finder) take(ms []Memory) {
	f.all = make([]*Memory, len(ms))
	for i := range ms {
		f.all[i] = &ms[i]
	}
	slices.SortStableFunc(f.all, byTime)
	seen := make(map[hearsay.RecordID]bool, len(ms))
	f.all = slices.DeleteFunc(f.all, func(m *Memory) bool {
		was := seen[m.ID]
		seen[m.ID] = true
		return was
	})
	for _, m := range f.all {
		if m.low() {
			f.low = append(f.low, m)
		}
	}
	f.numberTags()
}

func byTime(a, b *Memory) int {
	switch {
	case a.Created < b.Created:
		return -1
	case a.Created > b.Created:
		return 1
	}
	return strings.Compare(string(a.ID[:]), string(b.ID[:]))
}
