package install

import (
	"slices"

	"github.com/tailscale/hujson"
)

// place is where one of our handlers stands: an element of hooks in a group of an
// event, or, in a flat list, the group itself.
type place struct {
	group, handler int
}

// eventList is the list of groups of one event.
type eventList struct {
	name   string
	flat   bool // the groups are handlers
	groups *hujson.Array
	ours   []place // in the order of the file
}

// at returns the handler at a place.
func (l eventList) at(p place) *hujson.Value {
	group := &l.groups.Elements[p.group]
	if l.flat {
		return group
	}
	return &groupHandlers(group).Elements[p.handler]
}

// groupHandlers returns the handlers of a group, or nil.
func groupHandlers(group *hujson.Value) *hujson.Array {
	if v := member(group, "hooks"); v != nil {
		arr, _ := v.Value.(*hujson.Array)
		return arr
	}
	return nil
}

// eventLists finds our handlers. Events that do not hold a list are left out.
func (h Host) eventLists(d *document) []eventList {
	hooks := member(&d.root, "hooks")
	if hooks == nil {
		return nil
	}
	obj, ok := hooks.Value.(*hujson.Object)
	if !ok {
		return nil
	}
	var out []eventList
	for i := range obj.Members {
		groups, ok := obj.Members[i].Value.Value.(*hujson.Array)
		if !ok {
			continue
		}
		l := eventList{name: text(obj.Members[i].Name.Value), flat: h.flat, groups: groups}
		for g := range groups.Elements {
			if h.flat {
				if ours(&groups.Elements[g]) {
					l.ours = append(l.ours, place{group: g})
				}
				continue
			}
			handlers := groupHandlers(&groups.Elements[g])
			if handlers == nil {
				continue
			}
			for n := range handlers.Elements {
				if ours(&handlers.Elements[n]) {
					l.ours = append(l.ours, place{g, n})
				}
			}
		}
		out = append(out, l)
	}
	return out
}

// installHooks puts our handler into each event, once.
func (h Host) installHooks(d *document, o Options) error {
	if err := h.checkHooks(d); err != nil {
		return err
	}
	lists := h.eventLists(d)
	own := h.installVariable(d, variableIsOurs(lists))
	there := make(map[string]bool)
	idle := make(map[string]bool) // lists of events that we no longer need
	for _, l := range lists {
		i := slices.IndexFunc(h.events, func(e event) bool { return e.name == l.name })
		keep := -1
		if i >= 0 {
			keep = slices.IndexFunc(l.ours, func(p place) bool { return matchesAll(&l.groups.Elements[p.group]) })
		}
		if keep >= 0 {
			p := l.ours[keep]
			h.upgrade(d, l, p, o, h.events[i], own)
			l.ours = slices.Delete(slices.Clone(l.ours), keep, keep+1)
			there[l.name] = true
		}
		if d.dropHandlers(l) {
			d.made[l.groups] = true
			idle[l.name] = i < 0
		}
	}
	if hooks := member(&d.root, "hooks"); hooks != nil {
		obj := hooks.Value.(*hujson.Object)
		if d.dropMembers(obj, func(i int) bool { return idle[text(obj.Members[i].Name.Value)] }) {
			d.made[obj] = true
		}
	}
	for i, e := range h.events {
		if !there[e.name] {
			h.addHook(d, o, e, own && i == 0)
		}
	}
	if d.blank && d.exists {
		d.object().AfterExtra = append(hujson.Extra(markBlank), d.object().AfterExtra...)
	}
	return nil
}

// checkHooks refuses a file in which there is no place for our entries.
func (h Host) checkHooks(d *document) error {
	if env := member(&d.root, "env"); h.variable != "" && env != nil {
		if _, ok := env.Value.(*hujson.Object); !ok {
			return d.wrongType(env, `"env"`, "an object")
		}
	}
	if v := member(&d.root, "version"); h.version && v != nil && v.Value.Kind() != '0' {
		return d.wrongType(v, `"version"`, "a number")
	}
	hooks := member(&d.root, "hooks")
	if hooks == nil {
		return nil
	}
	if _, ok := hooks.Value.(*hujson.Object); !ok {
		return d.wrongType(hooks, `"hooks"`, "an object")
	}
	for _, e := range h.events {
		v := member(hooks, e.name)
		if v == nil {
			continue
		}
		arr, ok := v.Value.(*hujson.Array)
		if !ok {
			return d.wrongType(v, quote(e.name)+` in "hooks"`, "a list")
		}
		for i := range arr.Elements {
			if _, ok := arr.Elements[i].Value.(*hujson.Object); !ok {
				return d.wrongType(&arr.Elements[i], "an entry of "+quote(e.name)+` in "hooks"`, "an object")
			}
		}
	}
	return nil
}

// upgrade replaces a handler of ours that is not as it should be, where it stands.
func (h Host) upgrade(d *document, l eventList, p place, o Options, e event, own bool) {
	v := l.at(p)
	want := h.fields(o, e, own && e.name == h.events[0].name)
	if same(v, want) {
		return
	}
	style := d.layout
	indent, ok := indentOf(v.BeforeExtra)
	if !ok {
		style = style.flat()
	}
	v.Value = style.value(want, indent)
}

// dropHandlers takes our handlers out of an event, and the groups that held nothing
// else. It says whether the event's list was made for them.
func (d *document) dropHandlers(l eventList) (made bool) {
	if len(l.ours) == 0 {
		return false
	}
	empty := make(map[int]bool)
	if l.flat {
		for _, p := range l.ours {
			empty[p.group] = true
		}
		return d.dropElements(l.groups, func(i int) bool { return empty[i] })
	}
	for rest := l.ours; len(rest) > 0; {
		g := rest[0].group
		n := 0
		gone := make(map[int]bool)
		for n < len(rest) && rest[n].group == g {
			gone[rest[n].handler] = true
			n++
		}
		rest = rest[n:]
		handlers := groupHandlers(&l.groups.Elements[g])
		d.dropElements(handlers, func(i int) bool { return gone[i] })
		empty[g] = len(handlers.Elements) == 0
	}
	return d.dropElements(l.groups, func(i int) bool { return empty[i] })
}

// addHook adds a group of ours at the end of an event.
func (h Host) addHook(d *document, o Options, e event, own bool) {
	hooks, style, indent := d.objectAt("hooks")
	v := member(&hujson.Value{Value: hooks}, e.name)
	var groups *hujson.Array
	listIndent, listStyle := "", style
	if v == nil {
		groups = &hujson.Array{}
		d.made[groups] = true
		d.addMember(style, hooks, indent, e.name, func(l layout, i string) hujson.ValueTrimmed {
			listStyle, listIndent = l, i
			return groups
		})
	} else {
		groups = v.Value.(*hujson.Array)
		var ok bool
		if listIndent, ok = indentOf(hooks.Members[index(hooks, e.name)].Name.BeforeExtra); !ok {
			listStyle = style.flat()
		}
	}
	before, after, itemIndent, inner := listStyle.room(d.list(groups), listIndent)
	group := h.fields(o, e, own)
	if !h.flat {
		group = []field{{"hooks", [][]field{group}}}
		if e.matcher != "" {
			group = slices.Insert(group, 0, field{"matcher", e.matcher})
		}
	}
	groups.Elements = append(groups.Elements, hujson.Value{BeforeExtra: before, Value: inner.value(group, itemIndent), AfterExtra: after})
}

// objectAt returns the object under a key of the root, and makes it if it is not there.
// The rest is how its items are written. The caller has checked the type.
func (d *document) objectAt(key string) (*hujson.Object, layout, string) {
	root, l, closing := d.object(), d.layout, ""
	if i := index(root, key); i >= 0 {
		obj := root.Members[i].Value.Value.(*hujson.Object)
		indent, ok := indentOf(root.Members[i].Name.BeforeExtra)
		if !ok {
			l = l.flat()
		}
		return obj, l, indent
	}
	obj := &hujson.Object{}
	d.made[obj] = true
	d.addMember(l, root, closing, key, func(inner layout, indent string) hujson.ValueTrimmed {
		l, closing = inner, indent
		return obj
	})
	return obj, l, closing
}

// installVariable sets the host's variable, or the version of its file, where the
// person has not, and says whether it is ours.
func (h Host) installVariable(d *document, own bool) bool {
	if h.version {
		if v := member(&d.root, "version"); v != nil {
			return own && literal(v) == "1"
		}
		d.addMember(d.layout, d.object(), "", "version", func(layout, string) hujson.ValueTrimmed { return hujson.Int(1) })
		return true
	}
	if h.variable == "" {
		return false
	}
	if env := member(&d.root, "env"); env != nil {
		if v := member(env, h.variable); v != nil {
			return own && text(v.Value) == "1"
		}
	}
	env, style, indent := d.objectAt("env")
	d.addMember(style, env, indent, h.variable, func(layout, string) hujson.ValueTrimmed { return hujson.String("1") })
	return true
}

// removeHooks takes out what installHooks put in.
func (h Host) removeHooks(d *document) {
	lists := h.eventLists(d)
	own := variableIsOurs(lists)
	gone := make(map[string]bool)
	for _, l := range lists {
		if d.dropHandlers(l) {
			gone[l.name] = true
		}
	}
	root := d.object()
	out := make(map[string]bool)
	if hooks := member(&d.root, "hooks"); hooks != nil && len(gone) > 0 {
		obj := hooks.Value.(*hujson.Object)
		out["hooks"] = d.dropMembers(obj, func(i int) bool { return gone[text(obj.Members[i].Name.Value)] })
	}
	if env := member(&d.root, "env"); env != nil && own && h.variable != "" {
		if v := member(env, h.variable); v != nil && text(v.Value) == "1" {
			obj := env.Value.(*hujson.Object)
			out["env"] = d.dropMembers(obj, func(i int) bool { return text(obj.Members[i].Name.Value) == h.variable })
		}
	}
	if v := member(&d.root, "version"); v != nil && own && h.version && literal(v) == "1" {
		out["version"] = true
	}
	if !out["hooks"] && !out["env"] && !out["version"] {
		return
	}
	made := d.dropMembers(root, func(i int) bool { return out[text(root.Members[i].Name.Value)] })
	d.gone = made && len(root.Members) == 0
}
