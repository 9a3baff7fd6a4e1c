package source

import (
	"maps"
	"slices"
	"strings"

	"github.com/hearsay-memory/hearsay"
)

// Table says what each source type amounts to. It cannot be changed once made and
// is safe for concurrent use. The zero value and nil know no source, so that
// everything is external and unknown; [Default] and [New] give filled ones.
type Table struct {
	exact    map[string][]Entry // by base type
	family   map[string][]Entry // by prefix, colon included
	accounts map[account]string // the names of people
}

// New returns a table of the given entries, which go before the ones that ship:
// an exact entry is preferred to a family, the longer family to the shorter, and
// among entries of one type the first whose actors fit applies. The type of every
// entry must pass [CheckType]; one that does not is left out, so that its sources
// fall to what ships. An account that two people share resolves to nobody.
func New(own []Entry, people People) *Table {
	t := &Table{
		exact:    make(map[string][]Entry),
		family:   make(map[string][]Entry),
		accounts: make(map[account]string),
	}
	for _, e := range slices.Concat(own, defaults) {
		if CheckType(e.Type) != nil {
			continue
		}
		e.Actors = slices.Clone(e.Actors)
		if prefix, ok := Family(e.Type); ok {
			t.family[prefix] = append(t.family[prefix], e)
		} else {
			t.exact[e.Type] = append(t.exact[e.Type], e)
		}
	}
	for at, name := range people.accounts() {
		if _, shared := t.accounts[at]; shared || at.id == "" {
			name = ""
		}
		t.accounts[at] = name
	}
	return t
}

// Classify returns the class of a source: only its base type and its actor take
// part. A type that is unknown, empty, too long or holds anything but printable
// ASCII gives the zero class: external, sinking the session, tainting as unknown.
func (t *Table) Classify(s hearsay.Source) hearsay.Class {
	base := s.BaseType()
	if e := t.find(base, s.Actor); e != nil {
		return e.class(base)
	}
	return hearsay.Class{}
}

// Floor returns the join of every class that the base type can have, whoever
// wrote the text: what may be taken for granted when only the type is known. It
// is the zero class's label for an unknown type. A family pattern such as "mcp:*"
// gives the join over the whole family.
func (t *Table) Floor(pattern string) hearsay.Label {
	if prefix, ok := Family(pattern); ok {
		return t.familyFloor(prefix)
	}
	base := hearsay.Source{Type: pattern}.BaseType()
	label, any := hearsay.LabelIdentity, false
	for e := range t.candidates(base) {
		label, any = label.Join(e.class(base).Label()), true
		if len(e.Actors) == 0 {
			return label
		}
	}
	if !any {
		return hearsay.Label{}
	}
	return label.Join(hearsay.Label{}) // an actor that no entry fits is unknown
}

// familyFloor joins what every type that begins with prefix can be. The members
// that nobody listed have tags of their own, which no set can name, so a family
// that taints by its members' names joins the unknown.
func (t *Table) familyFloor(prefix string) hearsay.Label {
	label := t.Floor(prefix + "x")
	if label.Tainted() {
		label = label.Join(hearsay.Label{})
	}
	for base := range t.exact {
		if strings.HasPrefix(base, prefix) {
			label = label.Join(t.Floor(base))
		}
	}
	for longer := range t.family {
		if longer != prefix && strings.HasPrefix(longer, prefix) {
			label = label.Join(t.familyFloor(longer))
		}
	}
	return label
}

// Types returns the types of the table's entries in ascending order, families
// written with their star.
func (t *Table) Types() []string {
	if t == nil {
		return nil
	}
	types := slices.Collect(maps.Keys(t.exact))
	for prefix := range t.family {
		types = append(types, prefix+"*")
	}
	slices.Sort(types)
	return types
}

// Person returns the name of the person that the actor of a source resolves to,
// or "" where the policy knows nobody of that id at that connector.
func (t *Table) Person(s hearsay.Source) string {
	if t == nil || s.Actor == "" {
		return ""
	}
	return t.accounts[account{Connector(s.BaseType()), strings.TrimPrefix(s.Actor, "@")}]
}

// find returns the first entry that applies, or nil.
func (t *Table) find(base, actor string) *Entry {
	if t == nil || !hearsay.ValidTag(base) {
		return nil
	}
	known := t.Person(hearsay.Source{Type: base, Actor: actor}) != ""
	for e := range t.candidates(base) {
		if e.applies(known, actor) {
			return e
		}
	}
	return nil
}

// candidates yields the entries of a base type, the preferred ones first.
func (t *Table) candidates(base string) func(yield func(*Entry) bool) {
	return func(yield func(*Entry) bool) {
		if t == nil {
			return
		}
		list := t.exact[base]
		for end := len(base); ; {
			for i := range list {
				if !yield(&list[i]) {
					return
				}
			}
			colon := strings.LastIndexByte(base[:end], ':')
			if colon < 0 {
				return
			}
			// "mcp:" alone is no member of its own family.
			list, end = nil, colon
			if colon+1 < len(base) {
				list = t.family[base[:colon+1]]
			}
		}
	}
}
