package policy

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/goccy/go-yaml/ast"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/source"
)

// associations are the author associations that GitHub gives.
var associations = []string{
	"OWNER", "MEMBER", "COLLABORATOR", "CONTRIBUTOR", "FIRST_TIMER", "FIRST_TIME_CONTRIBUTOR", "MANNEQUIN", "NONE",
}

// ownSource is an entry of the policy's own and its line.
type ownSource struct {
	source.Entry
	line int
}

// readPeople reads the persons that actors may resolve to.
func (f *file) readPeople(n ast.Node) {
	owner := make(map[[2]string]string)
	for _, person := range f.pairs(n, "people") {
		f.name(person.at, "person", person.key)
		at := make(map[string]string)
		for _, a := range f.pairs(person.value, fmt.Sprintf("person %q", person.key)) {
			f.name(a.at, "connector", a.key)
			id := f.text(a.value, fmt.Sprintf("%s.%s", person.key, a.key), maxName)
			account := [2]string{a.key, id}
			if other, taken := owner[account]; taken && id != "" {
				f.errorf(a.value, "an account is one person's", "%q has the %s account of %q", person.key, a.key, other)
			}
			owner[account] = person.key
			at[a.key] = id
		}
		if len(at) == 0 {
			f.errorf(person.at, "name an account, such as github: their-login", "person %q has no account", person.key)
		}
		f.people[person.key] = at
	}
}

// readSources reads the policy's own entries of the source table.
func (f *file) readSources(n ast.Node) {
	for _, e := range f.list(n, "sources") {
		var entry source.Entry
		var typed, origin, reach bool
		if !f.mapping(e, "a source") {
			continue
		}
		f.object(e, "a source",
			field{"type", func(n ast.Node) {
				entry.Type, typed = f.sourceType(n), true
			}},
			field{"actor", func(n ast.Node) {
				for _, a := range f.list(n, "actor") {
					entry.Actors = append(entry.Actors, f.actor(a))
				}
			}},
			field{"origin", func(n ast.Node) {
				entry.Class.Origin, origin = named(&f.reader, n, "origin", originNames, hearsay.ParseOrigin), true
			}},
			field{"reach", func(n ast.Node) {
				entry.Class.Reach, reach = named(&f.reader, n, "reach", reachNames, hearsay.ParseReach), true
			}},
			field{"tag", func(n ast.Node) {
				entry.Class.Tag = f.text(n, "tag", maxName)
				f.name(n, "tag", entry.Class.Tag)
			}},
		)
		if !typed {
			f.errorf(e, `name one, such as type: "mcp:wiki"`, "a source has no type")
		}
		if !origin {
			f.errorf(e, "name one of external, unverified, tool, agent, channel, user", "a source has no origin")
		}
		if !reach {
			entry.Class.Reach = usualReach(entry.Class.Origin)
		}
		if entry.Class.Tag != "" && entry.Class.Reach != hearsay.ReachSession {
			f.errorf(e, "remove the tag, or write reach: session", "a source has a tag and reach %s: only what reaches the session taints", entry.Class.Reach)
		}
		line, _ := position(e)
		f.addSource(e, entry, "sources", line)
	}
}

// usualReach is the reach of an origin where the entry names none.
func usualReach(o hearsay.Origin) hearsay.Reach {
	switch {
	case o >= hearsay.Tool:
		return hearsay.ReachNone
	case o == hearsay.Unverified:
		return hearsay.ReachWords
	}
	return hearsay.ReachSession
}

// actor reads one condition on who wrote the text: a person that the policy knows,
// an author association, or one account.
func (f *file) actor(n ast.Node) string {
	s := f.text(n, "actor", maxName)
	if s == "" || s == source.Known || slices.Contains(associations, s) || s[0] == '@' {
		return s
	}
	f.errorf(n, nearest(s, closeTo(s, associations)), "actor is %q: want known, an author association, or an account written @name", s)
	return ""
}

// sourceType reads the type of an entry.
func (f *file) sourceType(n ast.Node) string {
	s := f.text(n, "type", maxName)
	if s == "" {
		return ""
	}
	if err := source.CheckType(s); err != nil {
		f.errorf(n, "", "%v", err)
		return ""
	}
	return s
}

// addSource adds an entry, unless its type was set already for the same actors.
func (f *file) addSource(at ast.Node, e source.Entry, where string, line int) {
	if e.Type == "" {
		return
	}
	key := e.Type + " " + fmt.Sprint(e.Actors)
	if earlier, taken := f.types[key]; taken {
		f.errorf(at, "keep one of them", "source type %q is set twice, first in %s on line %s", e.Type, earlier[0], earlier[1])
		return
	}
	f.types[key] = [2]string{where, strconv.Itoa(line)}
	f.own = append(f.own, ownSource{e, line})
}

// The short form of the source table: what a type is trusted to be.
var trustWords = map[string]hearsay.Class{
	"trusted":   {Origin: hearsay.User, Reach: hearsay.ReachNone},
	"untrusted": {Origin: hearsay.External, Reach: hearsay.ReachSession},
	"inherit":   {Origin: hearsay.Agent, Reach: hearsay.ReachNone},
}

// readTrust reads the short form.
func (f *file) readTrust(n ast.Node) {
	for _, p := range f.pairs(n, "trust") {
		if err := source.CheckType(p.key); err != nil {
			f.errorf(p.at, "", "%v", err)
			continue
		}
		word := f.text(p.value, "trust of "+p.key, maxName)
		class, ok := trustWords[word]
		if !ok {
			if word != "" {
				f.errorf(p.value, nearest(word, []string{"trusted", "untrusted", "inherit"}), "trust of %s is %q", p.key, word)
			}
			continue
		}
		line, _ := position(p.at)
		f.addSource(p.at, source.Entry{Type: p.key, Class: class}, "trust", line)
	}
}
