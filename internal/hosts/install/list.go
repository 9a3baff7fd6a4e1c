package install

import (
	"slices"

	"github.com/tailscale/hujson"
)

// list is a JSON object or array seen as items between commas. What stands around an
// item is white space and comments. A comma after the last item shows as an after that
// is not nil.
type list struct {
	n             int
	before, after func(int) *hujson.Extra
	tail          *hujson.Extra // from the last item, or its comma, to the closing bracket
	made          bool          // made in this run
}

func (d *document) list(v hujson.ValueTrimmed) list {
	switch v := v.(type) {
	case *hujson.Object:
		return list{len(v.Members),
			func(i int) *hujson.Extra { return &v.Members[i].Name.BeforeExtra },
			func(i int) *hujson.Extra { return &v.Members[i].Value.AfterExtra },
			&v.AfterExtra, d.made[v]}
	case *hujson.Array:
		return list{len(v.Elements),
			func(i int) *hujson.Extra { return &v.Elements[i].BeforeExtra },
			func(i int) *hujson.Extra { return &v.Elements[i].AfterExtra },
			&v.AfterExtra, d.made[v]}
	}
	return list{}
}

// The end of a list that holds our items only tells where the list came from, so that
// drop can undo what room did. After the last item stands
//
//	the closing line          the list was made for our items
//	a space, the closing line the list was there, with nothing in it
//	two spaces                the list was there; what follows them was in it
//	a tab, the closing line   the file was there, without any list (markBlank)
const (
	markEmpty = " "
	markSpace = "  "
	markBlank = "\t"
)

// room makes room for one more item at the end of s, and returns what stands before and
// after it and how far it is indented. Closing is the indentation of the list itself. A
// comment stays with the item that it follows.
func (l layout) room(s list, closing string) (before, after hujson.Extra, indent string, inner layout) {
	comments, blank := splitBlank(*s.tail)
	indent, inner = closing+l.unit, l
	sep := l.line(indent)
	if s.n == 0 {
		switch {
		case s.made:
			*s.tail = hujson.Extra(l.line(closing))
		case len(*s.tail) == 0:
			*s.tail = hujson.Extra(markEmpty + l.line(closing))
		default:
			*s.tail = append(hujson.Extra(markSpace), blank...)
		}
	} else {
		if own, ok := indentOf(*s.before(s.n - 1)); ok {
			indent = own
			inner.oneLine = false
			sep = inner.line(indent)
		} else {
			inner.oneLine = true
			sep = l.space
		}
		last := s.after(s.n - 1)
		if *last != nil {
			after = hujson.Extra{}
		} else {
			*last = hujson.Extra{}
		}
		*s.tail = blank
	}
	if len(comments) > 0 && (sep == "" || sep[0] != '\n' && sep[0] != '\r') {
		sep = l.newline + indent
	}
	return append(slices.Clone(comments), sep...), after, indent, inner
}

// drop takes items out of s and undoes what room did for them. It returns the indexes
// of those that stay, in order, and whether the list was made for our items and can go
// as well. The caller removes the items themselves.
func (l layout) drop(s list, gone func(int) bool) (kept []int, made bool) {
	if s.n == 0 {
		return nil, false
	}
	trailing := *s.after(s.n - 1) != nil
	lastGone := gone(s.n - 1)
	var pending []hujson.Extra // comments that outlive their item, last one first
	next := s.tail
	flush := func() {
		if len(pending) > 0 {
			slices.Reverse(pending)
			*next = l.join(append(pending, *next)...)
			pending = nil
		}
	}
	for i := s.n - 1; i >= 0; i-- {
		if !gone(i) {
			flush()
			next = s.before(i)
			kept = append(kept, i)
			continue
		}
		if comments, _ := splitBlank(*s.after(i)); len(comments) > 0 {
			pending = append(pending, comments)
		}
		if comments, _ := splitBlank(*s.before(i)); len(comments) > 0 {
			pending = append(pending, comments)
		}
	}
	slices.Reverse(kept)
	switch {
	case len(kept) == 0:
		bare := len(pending) == 0
		*s.tail, made = former(*s.tail, bare)
		flush()
		return nil, made && bare
	case !lastGone:
		flush()
		return kept, false
	}
	// pending before the first kept item belongs to next; what followed the last kept
	// one is in the tail already.
	flush()
	last := s.after(kept[len(kept)-1])
	if trailing {
		if *last == nil {
			*last = hujson.Extra{}
		}
		return kept, false
	}
	if len(*last) > 0 {
		*s.tail = l.join(*last, *s.tail)
	}
	*last = nil
	return kept, false
}

// former reads the marks of room: what stood in the list, and whether it was made for
// our items. Bare says that there are no comments before tail.
func former(tail hujson.Extra, bare bool) (hujson.Extra, bool) {
	if len(tail) > 1 && tail[0] == ' ' && tail[1] == ' ' {
		return tail[2:], false
	}
	if bare && len(tail) > 0 && tail[0] == ' ' && (len(tail) == 1 || tail[1] == '\n' || tail[1] == '\r') {
		return nil, false
	}
	comments, _ := splitBlank(tail)
	return tail, len(comments) == 0
}

// join puts white space and comments together. Where a comment to the end of the line
// would swallow what follows, a line ends.
func (l layout) join(parts ...hujson.Extra) hujson.Extra {
	var out hujson.Extra
	for i, p := range parts {
		out = append(out, p...)
		if len(p) == 0 || p.IsValid() {
			continue
		}
		if i+1 < len(parts) && len(parts[i+1]) > 0 && (parts[i+1][0] == '\n' || parts[i+1][0] == '\r' || blankLine(parts[i+1])) {
			continue
		}
		out = append(out, l.newline...)
	}
	return out
}

// blankLine reports whether extra begins with white space that ends a line.
func blankLine(extra hujson.Extra) bool {
	for _, c := range extra {
		switch c {
		case '\n':
			return true
		case ' ', '\t', '\r':
		default:
			return false
		}
	}
	return false
}

// addMember puts a member at the end of obj and returns its value. Closing is the
// indentation of obj.
func (d *document) addMember(l layout, obj *hujson.Object, closing, key string, value func(l layout, indent string) hujson.ValueTrimmed) *hujson.Value {
	before, after, indent, inner := l.room(d.list(obj), closing)
	obj.Members = append(obj.Members, hujson.ObjectMember{
		Name:  hujson.Value{BeforeExtra: before, Value: hujson.String(key)},
		Value: hujson.Value{BeforeExtra: hujson.Extra(l.space), Value: value(inner, indent), AfterExtra: after},
	})
	return &obj.Members[len(obj.Members)-1].Value
}

// dropMembers takes members out of obj; made says that obj can go as well.
func (d *document) dropMembers(obj *hujson.Object, gone func(int) bool) (made bool) {
	kept, made := d.layout.drop(d.list(obj), gone)
	for i, k := range kept {
		obj.Members[i] = obj.Members[k]
	}
	if obj.Members != nil {
		obj.Members = obj.Members[:len(kept)]
	}
	return made
}

// dropElements takes elements out of arr; made says that arr can go as well.
func (d *document) dropElements(arr *hujson.Array, gone func(int) bool) (made bool) {
	kept, made := d.layout.drop(d.list(arr), gone)
	for i, k := range kept {
		arr.Elements[i] = arr.Elements[k]
	}
	if arr.Elements != nil {
		arr.Elements = arr.Elements[:len(kept)]
	}
	return made
}
