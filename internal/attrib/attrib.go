// Package attrib says where the words of a write, or of an action's argument,
// come from: from the user's own turns, or from text that the session took in.
//
// It keeps no text. A [Turn] and a [Prints] hold keyed fingerprints that tell
// nothing without the store's [Key], and a [Result] quotes only the text that was
// asked about.
//
// The two sides err to the same side. A text is the user's only where each of its
// clauses is, as far as this package can tell, a whole clause of one turn that the
// user typed; whatever it does not understand (a quotation, a report of what
// someone said, a question, a qualified sentence, a paste) is nobody's. Foreign text
// is matched loosely, and a print that collides, is too full, or was made with
// another key counts as shared. So more evidence only ever lowers trust.
//
// What it cannot see: that a user typed a page's words by hand, that someone else
// filled in the user's prompt, and foreign text that was said in other words, encoded,
// or in fewer words than a run. A text shared with nobody is not thereby clean.
package attrib

import "github.com/hearsay-memory/hearsay"

// Certainty is how sure it is that words came from a source. Only [Known] counts
// as known; a share of any certainty counts as shared. The zero value is [Unknown].
type Certainty uint8

// The certainties, in ascending order.
const (
	Unknown  Certainty = iota // the prints cannot tell: overfull, or made with another key
	Inferred                  // a run of three content words, or a short literal
	Known                     // a run of six content words, or a long literal
)

// String returns the certainty's name; a value outside the range is "unknown".
func (c Certainty) String() string {
	switch c {
	case Inferred:
		return "inferred"
	case Known:
		return "known"
	}
	return "unknown"
}

// Seen is text of one source that the session took in. The zero value reaches the
// session and shares words with every text.
type Seen struct {
	Source hearsay.Source
	Class  hearsay.Class
	Prints Prints
}

// lowers reports whether words shared with the source keep a text from being the
// user's. Sources that reach words join the text's label instead, and ones that reach
// nothing are trusted.
func (s *Seen) lowers() bool {
	return s.Class.Reach != hearsay.ReachWords && s.Class.Reach != hearsay.ReachNone
}

// Share is what a text has in common with one Seen.
type Share struct {
	Index     int       // of the Seen
	Certainty Certainty // the highest of its words
	Words     []string  // from the text that was asked about, at most 8, for a person's eyes only
}

// Result is where the words of a text are found. The zero value says nothing for it.
type Result struct {
	User   bool    // every clause is the user's own, and no source that lowers trust has its words
	Shared []Share // in ascending order of Index, whether or not User holds
}

// Attribute says where the words of text are found. Text is what is asked about and
// nothing else: front matter and other fields that the host writes are the
// caller's to take off or to ask about. All turns and Seen are of one session.
//
// The text is the user's where each clause that says something is a whole clause of
// one and the same turn, and it shares no distinctive words with a source that
// lowers trust. Where the text is word for word one whole turn of at most 40 words, it
// is the user's even if a source says the same. Text with hidden characters, control
// tokens, quotations or code blocks, and text longer than 8 KiB, is never the user's.
//
// With the zero key nothing is the user's and everything is shared.
func (k Key) Attribute(text string, turns []Turn, seen []Seen) Result {
	s := k.secrets()
	var r Result
	shared := s.shares(text, seen)
	lowered := false
	for _, sh := range shared {
		lowered = lowered || seen[sh.Index].lowers()
	}
	r.Shared = shared
	if s.zero || len(turns) == 0 {
		return r
	}
	own := s.ask(text)
	for i := range turns {
		t := &turns[i]
		if t.id != s.id {
			continue
		}
		if own.isWhole(t) || !lowered && own.within(t) {
			r.User = true
			break
		}
	}
	return r
}
