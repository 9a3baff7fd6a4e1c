package guard

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/internal/attrib"
	"github.com/hearsay-memory/hearsay/policy"
)

// maxTurns bounds the user's turns that a session remembers; the oldest go first.
const maxTurns = 64

// Names of a session's words.
const (
	turnWords   = "turn/"
	sourceWords = "from/"
)

// seenHead stands before the prints of what a source said.
type seenHead struct {
	Source string        `json:"source"`
	Class  hearsay.Class `json:"class"`
}

// attributes reports whether words are looked for at all.
func (g *Guard) attributes() bool { return g.policy.Attribution() == policy.AttributionUserWords }

// Said keeps the fingerprints of what the user said in a turn that the surface knows
// to be typed. Losing them means only that nothing is attributed to the user.
func (g *Guard) Said(ctx context.Context, c hearsay.Caller, text string) error {
	if !g.attributes() || c.Session == "" {
		return nil
	}
	data, err := g.words.Turn(text).MarshalBinary()
	if err != nil {
		return fmt.Errorf("keep a turn: %w", err)
	}
	key := sessionKey(c)
	_, err = g.store.Update(ctx, func(tx Tx) ([]event.Draft, error) {
		have, err := tx.Words(ctx, key, tx.Now())
		if err != nil {
			return nil, err
		}
		have = slices.DeleteFunc(have, func(w StoredWords) bool { return !strings.HasPrefix(w.Name, turnWords) })
		for len(have) >= maxTurns {
			oldest := have[0] // their names ascend with time
			oldest.Expires = 0
			if err := tx.PutWords(oldest); err != nil {
				return nil, err
			}
			have = have[1:]
		}
		return nil, tx.PutWords(StoredWords{
			Session: key, Name: fmt.Sprintf("%s%020d-%03d", turnWords, tx.Now(), len(have)), Data: data, Expires: tx.Now() + g.ttl.Milliseconds(),
		})
	})
	if err != nil {
		return fmt.Errorf("keep a turn: %w", err)
	}
	return nil
}

// prints makes the fingerprints of what a source says; nil where none are kept.
func (g *Guard) prints(class hearsay.Class, texts []string) *attrib.Prints {
	if !g.attributes() || len(texts) == 0 || class.Reach == hearsay.ReachNone {
		return nil
	}
	all := g.words.Foreign(strings.Join(texts, "\n\n"))
	return &all
}

// hear keeps fingerprints in a transaction of their own.
func (g *Guard) hear(ctx context.Context, key SessionKey, s hearsay.Source, class hearsay.Class, prints *attrib.Prints) error {
	if prints == nil {
		return nil
	}
	_, err := g.store.Update(ctx, func(tx Tx) ([]event.Draft, error) {
		return nil, g.heard(ctx, tx, key, s, class, *prints)
	})
	if err != nil {
		return fmt.Errorf("keep the words of a source: %w", err)
	}
	return nil
}

// heard keeps the fingerprints of what a source said, joined with those of the same
// source type and class.
func (g *Guard) heard(ctx context.Context, tx Tx, key SessionKey, s hearsay.Source, class hearsay.Class, prints attrib.Prints) error {
	name := fmt.Sprintf("%s%s/%s/%s", sourceWords, s.BaseType(), class.Origin, class.Reach)
	have, err := tx.Words(ctx, key, tx.Now())
	if err != nil {
		return err
	}
	for _, w := range have {
		if w.Name != name {
			continue
		}
		// Prints that cannot be read are ones that everything is found in.
		prints = prints.Merge(decodeSeen(w).Prints)
	}
	head, err := json.Marshal(seenHead{s.BaseType(), class})
	if err != nil {
		return err
	}
	packed, err := prints.MarshalBinary()
	if err != nil {
		return err
	}
	data := append(append(head, '\n'), packed...)
	return tx.PutWords(StoredWords{Session: key, Name: name, Data: data, Expires: tx.Now() + g.ttl.Milliseconds()})
}

// decodeSeen reads what heard wrote. The zero value, of what cannot be read, reaches
// the session and has every word.
func decodeSeen(w StoredWords) attrib.Seen {
	head, packed, ok := bytes.Cut(w.Data, []byte("\n"))
	var h seenHead
	var prints attrib.Prints
	if !ok || json.Unmarshal(head, &h) != nil || prints.UnmarshalBinary(packed) != nil {
		return attrib.Seen{}
	}
	return attrib.Seen{Source: hearsay.Source{Type: h.Source}, Class: h.Class, Prints: prints}
}

// attribution is where the words of a text were found.
type attribution struct {
	user   bool             // all of it is the user's own
	typed  bool             // an agent says it, and all of it is what the user typed
	label  hearsay.Label    // of what is words-reach and shares words; the identity where nothing does
	shares []attributedFrom // for the person who reviews
	known  bool             // something that sinks sessions has its words for sure, or a long one of them
}

// against returns what of the evidence may hold the text. Who describes an attack so that
// it is refused uses its words; what the user typed is not held for them.
func (a *attribution) against(found hearsay.Evidence) hearsay.Evidence {
	if a.typed {
		found.Kinds = found.Kinds.Without(hearsay.EvidenceInjection)
	}
	return found
}

// longWord is from how many bytes on one shared word of a short text, such as the name
// of a target in a command, says as much as a run of them.
const longWord = 10

// attributedFrom is one source that the words are found in.
type attributedFrom struct {
	source    string
	certainty attrib.Certainty
	words     []string
}

// attribute looks for the words of texts in what the session took in. Where the words
// cannot be read nothing is attributed.
func (g *Guard) attribute(ctx context.Context, r Reader, key SessionKey, texts []string, at int64) (attribution, error) {
	out := attribution{label: hearsay.LabelIdentity}
	stored, err := r.Words(ctx, key, at)
	if err != nil {
		return out, err
	}
	var turns []attrib.Turn
	var seen []attrib.Seen
	for _, w := range stored {
		if strings.HasPrefix(w.Name, turnWords) {
			var t attrib.Turn
			if t.UnmarshalBinary(w.Data) == nil {
				turns = append(turns, t)
			}
			continue
		}
		seen = append(seen, decodeSeen(w))
	}
	if len(turns) == 0 && len(seen) == 0 {
		return out, nil
	}
	out.user = len(texts) > 0
	for _, text := range texts {
		res := g.words.Attribute(text, turns, seen)
		out.user = out.user && res.User
		for _, s := range res.Shared {
			from := seen[s.Index]
			if from.Class.Reach == hearsay.ReachWords {
				out.label = out.label.Join(from.Class.Label())
			}
			long := slices.ContainsFunc(s.Words, func(w string) bool { return len(w) >= longWord })
			out.known = out.known || from.Class.Reach == hearsay.ReachSession && (s.Certainty == attrib.Known || s.Certainty == attrib.Inferred && long)
			out.shares = append(out.shares, attributedFrom{from.Source.Type, s.Certainty, s.Words})
		}
	}
	return out, nil
}

// Foreign reports whether words of a text, such as a command, are known to be those of a
// source that sinks sessions. It is false for a clean session, and where nothing is
// looked for.
func (g *Guard) Foreign(ctx context.Context, c hearsay.Caller, text string) (bool, error) {
	if !g.attributes() || c.Session == "" {
		return false, nil
	}
	found, err := g.attribute(ctx, g.store, sessionKey(c), []string{text}, now())
	return found.known, err
}

// side tells people what was found where.
func (a *attribution) side() []event.Share {
	var out []event.Share
	for _, s := range a.shares {
		out = append(out, event.Share{Source: s.source, Certainty: s.certainty.String(), Words: s.words})
	}
	return out
}
