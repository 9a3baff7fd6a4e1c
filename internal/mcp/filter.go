package mcp

import (
	"slices"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/strictjson"
	"github.com/hearsay-memory/hearsay/mark"
)

// textItem is the kind of a text that is no thing of a known kind.
const textItem = "text"

// filter takes out of a value what may not be shown and marks the rest, from one
// decision about all of it.
func (r *reading) filter(v strictjson.Value) (strictjson.Value, error) {
	places := slices.Collect(find(v, r.Profile.Results))
	places = append(places, r.rest(v, places)...)
	asked := make([]guard.Item, len(places))
	proses, nested := make(map[int]prose), make(map[int]strictjson.Value)
	for i, pl := range places {
		asked[i] = pl.item
		if text := pl.item.Parts[0]; pl.expr == nil && !pl.key && !isToken(text) {
			if inner, ok := container(text); ok && r.depth < maxInner {
				nested[i] = inner
			} else if pr, ok := r.prose(text); ok {
				pr.from = len(asked)
				asked = append(asked, pr.items...)
				proses[i] = pr
			}
		}
	}
	got, err := r.Guard.Recall(r.ctx, r.caller, r.Store, asked)
	if err != nil {
		return v, err
	}
	plan := plan{drop: make(map[string]bool), cut: make(map[string]bool), hide: make(map[string]bool), show: make(map[string]showing),
		texts: make(map[string]string)}
	withheld := 0
	named := vouched(places, got.Items)
	for i, pl := range places {
		it := got.Items[i]
		if o, ok := named[nameKey(pl.item)]; ok && it.Show != guard.Pass {
			it.Show, it.Label.Origin = guard.Pass, o
		}
		if inner, ok := nested[i]; ok && !explained(it) {
			r.depth++
			inner, err = r.filter(inner)
			r.depth--
			if err != nil {
				return v, err
			}
			plan.texts[pl.path] = string(strictjson.AppendValue(nil, inner))
			continue
		}
		if pr, ok := proses[i]; ok && !explained(it) {
			text, n, err := r.tell(pr, got.Items[pr.from:])
			if err != nil {
				return v, err
			}
			plan.texts[pl.path] = text
			withheld += n
			continue
		}
		if pl.expr == nil && it.Show == guard.Pass {
			if it, err = r.unseen(it, pl.item.Parts[0]); err != nil {
				return v, err
			}
		}
		plan.add(pl, it)
	}
	got.Hidden = plan.hidden() + withheld
	r.left.add(got)
	return plan.carryOut(r.Nonce, v), nil
}

// rest finds the texts that no expression names: of each of them nothing is known but
// what it says.
func (r *reading) rest(v strictjson.Value, places []place) []place {
	seen := make(map[string]bool, len(places))
	for _, pl := range places {
		seen[pl.path] = true
		for _, name := range pl.expr.Inline {
			seen[joinPath(pl.path, name)] = true
		}
	}
	var out []place
	strictjson.Rewrite(v, func(path strictjson.Path, v strictjson.Value) (strictjson.Value, bool) {
		at := pathString(path)
		if len(path) > 0 {
			if key := path[len(path)-1].Key; key.Kind() == strictjson.KindString && !r.Profile.keys[key.String()] {
				out = append(out, place{item: guard.Item{Kind: textItem, Parts: []string{key.String()}}, path: at, key: true})
			}
		}
		if v.Kind() == strictjson.KindString && !seen[at] {
			out = append(out, place{item: guard.Item{Kind: textItem, Parts: []string{v.String()}}, path: at})
		}
		return v, true
	})
	return out
}

// vouched gives the names that a thing which may be shown says itself, with the origin
// of that thing: a withheld record that names what somebody else's memory is about does
// not hide that memory.
func vouched(places []place, items []guard.RecalledItem) map[string]hearsay.Origin {
	names := make(map[string]hearsay.Origin)
	for i, pl := range places {
		if pl.expr == nil || pl.expr.Names == "" || items[i].Show != guard.Pass || items[i].Record.IsZero() {
			continue
		}
		key := nameKey(guard.Item{Kind: pl.expr.Names, Parts: pl.item.Parts[:1]})
		names[key] = max(names[key], items[i].Label.Origin)
	}
	return names
}

// nameKey is the key of a thing that is a name and nothing else.
func nameKey(it guard.Item) string {
	if len(it.Parts) != 1 {
		return ""
	}
	return it.Kind + "\x00" + it.Parts[0]
}

// showing is how a text is shown.
type showing struct {
	origin hearsay.Origin
	style  style
}

// style is how a text is marked.
type style uint8

const (
	framed style = iota // by a notice or a frame around it
	short               // by a short mark before it, where it is external: it serves as an id
	token               // as short; a word that nobody was seen writing stands unmarked
)

// plan is what becomes of the places of a value.
type plan struct {
	drop map[string]bool
	cut  map[string]bool // members that go with their keys
	hide map[string]bool // those of both that are withheld, and not only over the cap
	show map[string]showing

	texts map[string]string // how texts are shown that were judged in pieces
}

// add plans for one place.
func (pl *plan) add(at place, it guard.RecalledItem) {
	where := at.path
	holds := at.expr != nil && at.expr.Holds
	if it.Show != guard.Pass {
		if holds {
			where = at.over
		}
		if at.key {
			pl.cut[where] = true
		} else {
			pl.drop[where] = true
		}
		if it.Show == guard.Hide {
			pl.hide[where] = true
		}
		return
	}
	switch {
	case at.key:
		if it.Label.Origin == hearsay.External && !isToken(at.item.Parts[0]) {
			pl.cut[where] = true // a key cannot be marked and stay a key
		}
	case at.expr == nil && isToken(at.item.Parts[0]):
		pl.put(where, it.Label.Origin, token)
	case at.expr == nil:
		pl.put(where, it.Label.Origin, framed)
	case at.expr.Short || holds:
		pl.put(where, it.Label.Origin, short)
	default:
		pl.put(where, it.Label.Origin, framed)
		for _, name := range at.expr.Inline {
			pl.put(joinPath(where, name), it.Label.Origin, short)
		}
	}
}

// put plans a showing; of two for one place the lower origin stands.
func (pl *plan) put(where string, o hearsay.Origin, s style) {
	if old, ok := pl.show[where]; ok {
		o = min(o, old.origin)
	}
	pl.show[where] = showing{o, s}
}

// hidden counts what is withheld. What stands inside something that goes is not
// counted apart.
func (pl *plan) hidden() int {
	n := 0
	for where := range pl.hide {
		inside := false
		for at := strings.LastIndexByte(where, 0); at > 0 && !inside; at = strings.LastIndexByte(where[:at], 0) {
			inside = pl.drop[where[:at]] || pl.cut[where[:at]]
		}
		if !inside {
			n++
		}
	}
	return n
}

// carryOut returns the value as it is shown.
func (pl *plan) carryOut(nonce string, v strictjson.Value) strictjson.Value {
	out, keep := strictjson.Rewrite(v, func(path strictjson.Path, v strictjson.Value) (strictjson.Value, bool) {
		at := pathString(path)
		if pl.cut[at] {
			return v, false
		}
		if pl.drop[at] {
			// A text that is a member cannot go without breaking the shape that
			// the tool promises.
			if v.Kind() == strictjson.KindString && len(path) > 0 && path[len(path)-1].Key.Kind() == strictjson.KindString {
				return strictjson.String(""), true
			}
			return v, false
		}
		if text, ok := pl.texts[at]; ok {
			return strictjson.String(text), true
		}
		s, ok := pl.show[at]
		if !ok || v.Kind() != strictjson.KindString {
			return v, true
		}
		return strictjson.String(s.of(nonce, v.String())), true
	})
	if !keep {
		return strictjson.Null()
	}
	return out
}

// of is the text as it is shown.
func (s showing) of(nonce, text string) string {
	switch {
	case s.style == framed:
		return mark.Text(nonce, s.origin, text)
	case s.origin == hearsay.External:
		return mark.Inline(nonce, mark.Defang(text))
	case s.style == token:
		return text
	}
	return mark.Defang(text)
}

// maxToken bounds a token, in bytes.
const maxToken = 128

// isToken reports whether a text is one word of plain characters: an id, a date, a
// URL without words in it. A notice before it would make it useless as what it is.
func isToken(s string) bool {
	if s == "" || len(s) > maxToken {
		return false
	}
	for _, c := range []byte(s) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		case c == '-', c == '_', c == '.', c == ':', c == '/', c == '+', c == '=':
		default:
			return false
		}
	}
	return true
}
