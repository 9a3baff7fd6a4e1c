// Package lint grades a text into evidence: phrases that instruct or that try to
// take an agent over, characters that hide something, and keys.
//
// It is evidence for a policy and for people, never the gate: a third of honest
// memory files contain such phrases, and an attacker needs only one sentence that
// no table knows. So a finding names a rule and a place, and says nothing about
// who is speaking.
//
// A scan reads each byte a bounded number of times whatever the text, by automata
// that are built once from phrases.txt; no regular expression sees the text.
// Look-alike letters and invisible characters are folded away first (package
// textfold). Percent-encoding, numeric entities, base64, tag characters and letters
// turned by thirteen are undone, one layer deep.
package lint

import (
	"strings"
	"sync"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/textfold"
)

// Scratch is the working memory of [Scan]. The zero value is ready, one Scratch
// serves one scan at a time, and reusing it saves allocations.
type Scratch struct {
	fold, decoded []byte
	progress      []progress
	done          []bool // by rule: it needs no more looking for in this pass
	match         []int  // by rule: one past its place in the matches; 0 is none

	pipe            pipeline
	scheme, mailbox finder
}

// progress is how far one sequence has come.
type progress struct {
	first int // where its first phrase began
	after int // where its first phrase ended
	end   int // one past where this phrase ended; 0 is never
}

// Text is [Scan] of a string with working memory that calls share. It may be
// called from many goroutines at a time.
func Text(text string) hearsay.Evidence {
	buf := shared.Get().(*Scratch)
	found := Scan(text, buf)
	if cap(buf.fold)+cap(buf.decoded) <= mostShared {
		shared.Put(buf)
	}
	return found
}

// mostShared is how many bytes a Scratch may hold to be kept between calls: one
// huge text must not tie up memory for good.
const mostShared = 1 << 20

var shared = sync.Pool{New: func() any { return new(Scratch) }}

// mostMatches is how many matches one text is given. The kinds are complete
// beyond it, and so is what tag characters spell, which is found first.
const mostMatches = 16

// Scan grades text. Each rule is reported once, and at most sixteen matches are
// kept, while Kinds is complete. What only folding or decoding
// showed has "+folded", "+tags", "+entities", "+percent" or "+base64" behind its
// id ("+rot13" is an id of its own); "+folded" only for languages that are written
// in ASCII, where it tells of a disguise. Offsets are those of the text that was
// matched: the original for hidden characters, keys and what stands there undisguised,
// else the folded or decoded text.
//
// Scan is pure. With a Scratch it allocates only for what it finds; buf may be
// nil. It never fails, also not on bytes that are not UTF-8.
func Scan[T string | []byte](text T, buf *Scratch) hearsay.Evidence {
	if buf == nil {
		buf = new(Scratch)
	}
	s := textfold.View(text)
	m := matcher{tables: loaded(), Scratch: buf}
	m.reset()
	if textfold.ASCII(s) {
		m.latinPass(s, &m.latin.class)
	} else {
		m.hidden(s)
		m.pass("+folded", s)
		if m.asItStands {
			clear(m.done)
			m.latinPass(s, &m.raw)
		}
	}
	m.encoded(s)
	return m.evidence
}

// matcher is one scan.
type matcher struct {
	*tables
	*Scratch
	evidence   hearsay.Evidence
	variant    string // how the text at hand was made; empty for the original
	asItStands bool   // something was found that the original may show undisguised, or not show at all
}

func (m *matcher) reset() {
	if len(m.done) != len(m.rules) {
		m.done = make([]bool, len(m.rules))
		m.match = make([]int, len(m.rules))
		m.progress = make([]progress, m.places)
	}
	clear(m.done)
	clear(m.match)
}

// restart forgets what was read of another text.
func (m *matcher) restart() {
	clear(m.progress)
	m.pipe, m.scheme, m.mailbox = pipeline{}, finder{}, finder{}
}

// pass finds all phrases in s, folded, and names what it finds a variant.
func (m *matcher) pass(variant, s string) {
	m.variant = variant
	defer func() { m.variant = "" }()
	if !textfold.ASCII(s) {
		m.fold = textfold.FoldWords(m.fold[:0], s)
		s = textfold.View(m.fold)
	}
	if textfold.ASCII(s) {
		m.latinPass(s, &m.latin.class)
	} else {
		m.widePass(s)
	}
}

// latinPass finds the phrases that fold to ASCII.
func (m *matcher) latinPass(s string, class *[256]uint8) {
	m.restart()
	a := m.latin
	next, accept, state := a.next, a.accept, a.start()
	for i := range len(s) {
		to := next[state|uint32(class[s[i]])]
		if to >= accept && to != state {
			m.hit(a, to, s, i)
		}
		state = to
	}
	m.border(a, state, s)
}

// widePass finds all phrases in folded text.
func (m *matcher) widePass(s string) {
	m.restart()
	a, b := m.latin, m.wide()
	anext, aaccept, astate := a.next, a.accept, a.start()
	bnext, baccept, bstate := b.next, b.accept, b.start()
	for i := range len(s) { // both in one loop: neither waits for the other
		ato := anext[astate|uint32(a.class[s[i]])]
		bto := bnext[bstate|uint32(b.class[s[i]])]
		if ato >= aaccept && ato != astate {
			m.hit(a, ato, s, i)
		}
		if bto >= baccept && bto != bstate {
			m.hit(b, bto, s, i)
		}
		astate, bstate = ato, bto
	}
	m.border(a, astate, s)
	m.border(b, bstate, s)
}

// border ends the text as a separator would.
func (m *matcher) border(a *automaton, state uint32, s string) {
	if to := a.next[state|classSeparator]; to >= a.accept && to != state {
		m.hit(a, to, s, len(s))
	}
}

// hit advances the sequences of the phrases that byte i of s completes.
func (m *matcher) hit(a *automaton, state uint32, s string, i int) {
	for _, id := range a.found[a.row(state)] {
		p := &m.phrases[id]
		if m.done[p.rule] {
			continue
		}
		if m.variant != "" && m.rules[p.rule].kind == hearsay.EvidenceSecret {
			m.asItStands = true // a key is a key only in its own case
			continue
		}
		end := i
		if !p.border && i < len(s) {
			end++
		}
		m.advance(p, s, end)
	}
}

func (m *matcher) advance(p *phrase, s string, end int) {
	q := &m.sequences[p.seq]
	first := max(0, end-len(p.core))
	after := end
	if p.part > 0 {
		last := &m.progress[q.place+p.part-1]
		if last.end == 0 || end-len(p.core) > last.end-1+q.gap || end < last.end {
			return
		}
		first, after = last.first, last.after
	}
	if p.part < q.parts-1 {
		m.progress[q.place+p.part] = progress{first, after, end + 1}
		return
	}
	start := m.begin(s, end, p.core)
	if q.parts == 1 {
		first, after = start, end
	}
	if q.check == nil || q.check(m.Scratch, s, after, start, end) {
		m.report(q.rule, first)
	}
}

// begin returns where the phrase that ends at end begins: its separators may be
// longer in the text, and control characters may stand in it.
func (m *matcher) begin(s string, end int, core string) int {
	for i := len(core) - 1; i >= 0 && end > 0; i-- {
		if core[i] == ' ' {
			for end > 0 && m.separates(s[end-1]) {
				end--
			}
			continue
		}
		for end > 1 && m.latin.class[s[end-1]] == classSkip {
			end--
		}
		end--
	}
	return end
}

// separates reports whether c is one of several bytes that count as one separator.
func (m *matcher) separates(c byte) bool {
	if m.variant == "" {
		return m.raw[c] == classSeparator
	}
	return m.latin.class[c] == classSeparator
}

// report says that a rule was found. What the original shows undisguised replaces
// what folding showed before.
func (m *matcher) report(rule, offset int) {
	m.done[rule] = true
	r := m.rules[rule]
	if m.variant == "+folded" && ascii(r.id) {
		m.asItStands = true
	}
	if at := m.match[rule]; at > 0 {
		if m.variant == "" {
			m.evidence.Matches[at-1].Rule, m.evidence.Matches[at-1].Offset = r.id, offset
		}
		return
	}
	id := r.id
	if m.variant != "" && (m.variant != "+folded" || ascii(id)) {
		id += m.variant
	}
	if m.add(hearsay.EvidenceMatch{Kind: r.kind, Rule: id, Offset: offset}) {
		m.match[rule] = len(m.evidence.Matches)
	}
}

// ascii reports whether the rule's language is written in ASCII, so that only a
// disguise explains why folding was needed to find it.
func ascii(id string) bool { return strings.Contains(id, ".en.") || strings.Contains(id, ".shell.") }

// add reports whether there was room for e; its kind counts anyhow.
func (m *matcher) add(e hearsay.EvidenceMatch) bool {
	m.evidence.Kinds = m.evidence.Kinds.With(e.Kind)
	if len(m.evidence.Matches) == mostMatches {
		return false
	}
	m.evidence.Matches = append(m.evidence.Matches, e)
	return true
}
