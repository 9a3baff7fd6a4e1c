package strictjson

// A Step leads from a container to one of its values.
type Step struct {
	Key   Value // the key of an object's member, a string; else the zero Value
	Index int   // the place of an array's element; else 0
}

// A Path leads from the root of a tree to one of its values. It is valid only
// during the call that receives it.
type Path []Step

// Matches reports whether the path has exactly these steps: a string stands for
// the object member of that key, and "*" for any array element.
func (p Path) Matches(steps ...string) bool {
	if len(p) != len(steps) {
		return false
	}
	for i, s := range p {
		if s.Key.Kind() == KindString {
			if !s.Key.isText(steps[i]) {
				return false
			}
		} else if steps[i] != "*" {
			return false
		}
	}
	return true
}

// Rewrite calls edit for every value of the tree, children before their parent
// and in document order, and returns the tree with each value replaced by what
// edit returned for it. A parent is shown with its children already replaced.
// If keep is false, the element or member is dropped; for the root Rewrite then
// returns false.
//
// To keep a value, return the one received: whatever was not changed is shared
// with v, costs no memory and is later written by copying its bytes.
func Rewrite(v Value, edit func(Path, Value) (_ Value, keep bool)) (Value, bool) {
	w := rewriter{edit: edit, path: make(Path, 0, 16)}
	return w.walk(v)
}

type rewriter struct {
	edit func(Path, Value) (Value, bool)
	path Path
}

func (w *rewriter) walk(v Value) (Value, bool) {
	switch v.Kind() {
	case KindArray:
		v = w.array(v)
	case KindObject:
		v = w.object(v)
	}
	return w.edit(w.path, v)
}

// child walks one value of a container.
func (w *rewriter) child(s Step, v Value) (Value, bool) {
	w.path = append(w.path, s)
	v, keep := w.walk(v)
	w.path = w.path[:len(w.path)-1]
	return v, keep
}

func (w *rewriter) array(v Value) Value {
	var vals []Value
	changed := false
	for i, old := range v.Elements() {
		e, keep := w.child(Step{Index: i}, old)
		if !changed && (!keep || e != old) {
			changed = true
			vals = make([]Value, 0, v.Len())
			for j, before := range v.Elements() {
				if j == i {
					break
				}
				vals = append(vals, before)
			}
		}
		if changed && keep {
			vals = append(vals, e)
		}
	}
	if !changed {
		return v
	}
	return madeArray(vals)
}

func (w *rewriter) object(v Value) Value {
	var keys, vals []Value
	changed, n := false, 0
	for k, old := range v.members() {
		e, keep := w.child(Step{Key: k}, old)
		if !changed && (!keep || e != old) {
			changed = true
			keys, vals = make([]Value, 0, v.Len()), make([]Value, 0, v.Len())
			for key, before := range v.members() {
				if len(keys) == n {
					break
				}
				keys, vals = append(keys, key), append(vals, before)
			}
		}
		if changed && keep {
			keys, vals = append(keys, k), append(vals, e)
		}
		n++
	}
	if !changed {
		return v
	}
	return madeObject(keys, vals)
}
