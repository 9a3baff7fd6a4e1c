package mcp

import (
	"slices"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/strictjson"
	"github.com/hearsay-memory/hearsay/mark"
)

// prose is a text that is judged in pieces where nobody was seen writing it as it stands:
// by lines, and in the lines that the server says itself by what stands in their gaps.
type prose struct {
	lines []line
	items []guard.Item // what is asked about it
	from  int          // where their answers begin
}

// line is one line of a prose.
type line struct {
	text string
	item int   // its own item; -1: it says nothing
	at   []int // items in the gaps of what the server says
	said bool  // the server says it by itself
}

// prose takes a text apart. It is false where that tells no more than the whole: then,
// as with too many lines, the text is judged as one.
func (r *reading) prose(text string) (prose, bool) {
	if !r.Profile.Lines && len(r.Profile.says) == 0 || strings.Count(text, "\n") >= maxLines {
		return prose{}, false
	}
	list := []string{text}
	if r.Profile.Lines {
		list = strings.Split(text, "\n")
	}
	var p prose
	ask := func(text string) int {
		p.items = append(p.items, guard.Item{Kind: textItem, Parts: []string{text}})
		return len(p.items) - 1
	}
	for _, s := range list {
		l := line{text: s, item: -1}
		if bare := strings.TrimSpace(s); speaks(bare) && !isID(bare) {
			l.item = ask(bare)
			var gaps []string
			if gaps, l.said = r.saying(bare); l.said {
				for _, gap := range gaps {
					l.at = append(l.at, ask(gap))
				}
			}
		}
		p.lines = append(p.lines, l)
	}
	return p, true
}

// saying reports whether the server says a line by itself, and what of it could be
// somebody's: texts of the request are the reader's own, and in ids are no words.
func (r *reading) saying(text string) ([]string, bool) {
	for _, ph := range r.Profile.says {
		gaps, ok := ph.match(text)
		if !ok {
			continue
		}
		return slices.DeleteFunc(gaps, func(s string) bool {
			return !speaks(s) || isID(s) || r.isOwn(s)
		}), true
	}
	return nil, false
}

// isOwn reports whether a text is one of the request.
func (r *reading) isOwn(s string) bool {
	if r.asked == nil {
		r.asked = make(map[string]bool)
		args, _ := r.params.Get("arguments")
		for _, text := range texts(args) {
			r.asked[text] = true
		}
	}
	return r.asked[s]
}

// tell gives a prose as it is shown, and how many of its lines are withheld. Lines of one
// origin stand in one frame.
func (r *reading) tell(p prose, got []guard.RecalledItem) (string, int, error) {
	var out []string
	var run []string
	origin, begun, withheld := hearsay.User, false, 0
	flush := func() {
		if len(run) > 0 {
			out = append(out, mark.Text(r.Nonce, origin, strings.Join(run, "\n")))
		}
		run = nil
	}
	for _, l := range p.lines {
		if l.item < 0 {
			run = append(run, l.text) // a rule or an empty line belongs where it stands
			continue
		}
		it := l.judge(got)
		if !l.said {
			var err error
			if it, err = r.unseen(it, strings.TrimSpace(l.text)); err != nil {
				return "", 0, err
			}
		}
		switch it.Show {
		case guard.Hide:
			withheld++
			continue
		case guard.Omit:
			continue
		}
		o := frame(it.Label.Origin)
		if begun && o != origin {
			flush()
		}
		origin, begun = o, true
		run = append(run, l.text)
	}
	flush()
	return strings.Join(out, "\n"), withheld, nil
}

// frame gives the origins that are shown alike one name.
func frame(o hearsay.Origin) hearsay.Origin {
	if o >= hearsay.Tool {
		return hearsay.User
	}
	return o
}

// judge tells what is known of a line: as it stands, or of what the server put into its own
// words. What is withheld takes its line along, and what nobody was seen writing makes the
// line such a one.
func (l *line) judge(got []guard.RecalledItem) guard.RecalledItem {
	whole := got[l.item]
	if !l.said || explained(whole) {
		l.said = false
		return whole
	}
	all := guard.RecalledItem{Show: guard.Pass, Label: hearsay.Label{Origin: hearsay.User, Taint: hearsay.Untainted}}
	for _, i := range l.at {
		it := got[i]
		all.Show = min(all.Show, it.Show)
		all.Label = all.Label.Join(it.Label)
		all.Record = it.Record
		if !explained(it) {
			l.said = false
			return whole
		}
	}
	return all
}

// explained reports whether anything is known of an item.
func explained(it guard.RecalledItem) bool { return it.Show != guard.Pass || !it.Record.IsZero() }

// copied finds the text of a block in the structured content: servers that wrap an answer
// of one value repeat that value alone as text.
func (r *reading) copied(text string) (string, bool) {
	if !r.wrapped() {
		return "", false
	}
	whole, _ := r.original.Get("result")
	left, _ := r.structured.Get("result")
	if whole.Kind() == strictjson.KindString {
		return left.String(), whole.String() == text
	}
	v, err := limits.Parse([]byte(text))
	if err != nil || string(strictjson.AppendCanonical(nil, v)) != string(strictjson.AppendCanonical(nil, whole)) {
		return "", false
	}
	return string(strictjson.AppendValue(nil, left)), true
}

// wrapped reports whether the structured content is such an answer.
func (r *reading) wrapped() bool {
	_, ok := r.original.Get("result")
	return ok && r.original.Len() == 1
}
