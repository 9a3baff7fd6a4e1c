package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// Undo says how what a call of a tool put into the memory is taken out again, where the
// server names it by an id of its own. The id is not kept when it is written: what stands
// there is looked for by its words, so that a server, or a text in it, cannot have another
// memory deleted in its place.
type Undo struct {
	Find      Call           `yaml:"find"`      // a call that lists what is there; Where are members and, at $NAME, arguments of the call that is undone
	At        string         `yaml:"at"`        // where the objects stand in its answer, which is JSON in a text; empty: it is the object
	Pages     string         `yaml:"pages"`     // the argument of Find that counts pages, from 1; empty: there are none
	Same      []string       `yaml:"same"`      // arguments of the call that both calls get too
	Tool      string         `yaml:"tool"`      // the tool that deletes
	Arguments map[string]any `yaml:"arguments"` // of it; $NAME is a member of the object that was found
}

// Bounds of an undo.
const (
	maxUndoPages = 100 // that are looked at, each time
	maxTakenOut  = 16  // objects with the same words
)

func (u *Undo) check(p *Profile) error {
	switch {
	case p.Tools[u.Find.Tool].Op != opRead:
		return fmt.Errorf("undo finds with %q: want one of its tools that reads", u.Find.Tool)
	case p.Tools[u.Tool].Op != opDelete:
		return fmt.Errorf("undo calls %q: want one of its tools that deletes", u.Tool)
	case u.Find.Unless != nil:
		return errors.New("undo: unless is not for what is looked for by its words")
	case len(u.Find.Where) == 0 || !allNamed(u.Find.Where):
		return errors.New("undo: where says by which arguments of the call it is found, each as $NAME")
	case len(u.Arguments) == 0 || !allNamed(u.Arguments):
		return errors.New("undo: arguments say by which members of what was found it is deleted, each as $NAME")
	}
	return nil
}

// allNamed reports whether every value of a template stands for another one.
func allNamed(t map[string]any) bool {
	for _, v := range t {
		if text, ok := v.(string); !ok || len(text) < 2 || text[0] != '$' {
			return false
		}
	}
	return true
}

// errStays is wrapped by the error for a withdrawn record whose text is left in the store.
var errStays = errors.New("what it put there stays hidden as long as reads pass here; take it out of the store by hand")

func stays(why string) error { return fmt.Errorf("%s: %w", why, errStays) }

// takeBack takes out what a call put there, by what its tool's profile says. It returns the
// items that are gone. Words that a record which stands has put there as well are left, and
// so are words that are there more often than records were seen to put them there.
func (p *proxy) takeBack(ctx context.Context, id hearsay.RecordID, c toolCall, mine []guard.Item) ([]guard.Item, error) {
	u := c.tool.Undo
	where := fill(u.Find.Where, c.args)
	if where.Len() < len(u.Find.Where) {
		return nil, stays("the call that wrote it does not say by what it can be found")
	}
	var gone []guard.Item
	most := 0 // objects that can be of records that were taken back
	for _, it := range mine {
		n, stands, err := p.putBy(ctx, id, it)
		if err != nil {
			return nil, err
		}
		if stands {
			continue
		}
		gone = append(gone, it)
		for _, v := range where.Members() {
			if v.String() == it.Parts[0] && (most == 0 || n < most) {
				most = min(n, maxTakenOut)
			}
		}
	}
	if most == 0 {
		return nil, stays("another record has put the same words there, or they say too little to be found by")
	}
	taken := make(map[string]bool)
	for {
		found, err := p.findAgain(ctx, c, where)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			break
		}
		if len(taken) == 0 && len(found) > most {
			return nil, stays("its words are there more often than they were seen to be put there")
		}
		for _, object := range found {
			args := fill(u.Arguments, object)
			if !names(args, len(u.Arguments)) {
				return nil, stays("the memory server does not name what it shows")
			}
			key := string(strictjson.AppendCanonical(nil, args))
			if taken[key] {
				return nil, stays("the memory server shows it after its deletion")
			}
			taken[key] = true
			result, err := p.ownCall(ctx, u.Tool, u.same(args, c.args))
			if err != nil {
				return nil, err
			}
			if isError(result) {
				return nil, stays("the memory server refused to take it out")
			}
		}
	}
	if len(taken) == 0 {
		return nil, stays("the memory server does not show it in these words")
	}
	return gone, nil
}

// names reports whether arguments name what they are for, all of them: a deletion that names
// less can be one of everything.
func names(args strictjson.Value, all int) bool {
	for _, v := range args.Members() {
		if v.Kind() != strictjson.KindString || strings.TrimSpace(v.String()) == "" {
			return false
		}
	}
	return args.Len() == all
}

// putBy counts the records that were seen to put an item there, and says whether one of
// them, other than id, stands.
func (p *proxy) putBy(ctx context.Context, id hearsay.RecordID, it guard.Item) (n int, stands bool, err error) {
	key := p.Guard.ItemKey(p.Store, it)
	known, err := p.Guard.Store().Items(ctx, [][32]byte{key})
	if err != nil {
		return 0, false, err
	}
	for _, s := range known[key] {
		if s.State != guard.ItemLanded {
			continue
		}
		n++
		if s.Record == id || stands {
			continue
		}
		shown, err := p.Guard.Show(ctx, s.Record)
		if err != nil {
			return 0, false, err
		}
		stands = shown.Record.Standing.Visible()
	}
	return n, stands, nil
}

// findAgain gives the objects that have the words of a call, from the first page that has any.
func (p *proxy) findAgain(ctx context.Context, c toolCall, where strictjson.Value) (found []strictjson.Value, err error) {
	u := c.tool.Undo
	for page := range maxUndoPages {
		args := u.same(fill(u.Find.Arguments, c.args), c.args)
		if u.Pages != "" {
			args = args.With(u.Pages, strictjson.Int(int64(page+1)))
		}
		result, err := p.ownCall(ctx, u.Find.Tool, args)
		if err != nil {
			return nil, err
		}
		if isError(result) {
			return nil, stays("the memory server does not show what it has")
		}
		all := objectsAt(result, u.At)
		for _, object := range all {
			if hasWords(object, where) {
				found = append(found, object)
			}
		}
		if len(found) > 0 || len(all) == 0 || u.Pages == "" {
			break
		}
	}
	return found, nil
}

// ownCall makes a call of ours and gives its result.
func (p *proxy) ownCall(ctx context.Context, tool string, args strictjson.Value) (strictjson.Value, error) {
	wait, cancel := context.WithTimeout(ctx, p.Wait)
	defer cancel()
	f, err := p.call(wait, "tools/call", strictjson.Object(
		strictjson.Member{Key: "name", Value: strictjson.String(tool)}, strictjson.Member{Key: "arguments", Value: args}))
	if err != nil {
		return strictjson.Value{}, err
	}
	if f.Error != nil {
		return strictjson.Value{}, stays("the memory server does not take the call of " + tool)
	}
	result, err := limits.Parse(f.Result)
	if err != nil {
		return strictjson.Value{}, stays("the memory server's answer cannot be read")
	}
	return result, nil
}

// same adds the arguments of the call that are repeated.
func (u *Undo) same(args, call strictjson.Value) strictjson.Value {
	for _, name := range u.Same {
		if v, ok := call.Get(name); ok {
			args = args.With(name, v)
		}
	}
	return args
}

// objectsAt gives the objects at a path in the texts of an answer that are JSON. Nothing
// else is opened: a memory can itself be JSON, or have members of anybody's choice.
func objectsAt(result strictjson.Value, at string) (out []strictjson.Value) {
	blocks, _ := result.Get("content")
	for _, b := range blocks.Elements() {
		text, _ := b.Get("text")
		if v, ok := container(text.String()); ok {
			out = append(out, v)
		}
	}
	for step := range strings.SplitSeq(at, ".") {
		if step == "" {
			break
		}
		name, each := strings.CutSuffix(step, "[]")
		var next []strictjson.Value
		for _, v := range out {
			v, ok := v.Get(name)
			switch {
			case ok && each && v.Kind() == strictjson.KindArray:
				for _, el := range v.Elements() {
					next = append(next, el)
				}
			case ok && !each:
				next = append(next, v)
			}
		}
		out = next
	}
	return slices.DeleteFunc(out, func(v strictjson.Value) bool { return v.Kind() != strictjson.KindObject })
}

// hasWords reports whether an object has members with these words, whatever white space
// the server put around them.
func hasWords(object, words strictjson.Value) bool {
	for k, w := range words.Members() {
		have, ok := object.Get(k)
		if !ok || have.Kind() != strictjson.KindString || w.Kind() != strictjson.KindString || strings.TrimSpace(have.String()) != strings.TrimSpace(w.String()) {
			return false
		}
	}
	return true
}
