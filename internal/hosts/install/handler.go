package install

import (
	"fmt"
	"slices"

	"github.com/tailscale/hujson"
)

// fields are the fields of our handler. The order of the first event's remembers
// whether the variable or the version is ours: hosts that rewrite their file keep the order of keys.
func (h Host) fields(o Options, e event, own bool) []field {
	fields := h.handler(o, e)
	if own {
		slices.SortStableFunc(fields, func(a, b field) int {
			first := func(f field) int {
				if isTimeout(f.name) {
					return 0
				}
				return 1
			}
			return first(a) - first(b)
		})
	}
	return fields
}

// variableIsOurs reads that mark; of a host with a version it tells of that.
func variableIsOurs(lists []eventList) bool {
	for _, l := range lists {
		for _, p := range l.ours {
			obj := l.at(p).Value.(*hujson.Object)
			if isTimeout(text(obj.Members[0].Name.Value)) {
				return true
			}
		}
	}
	return false
}

// isTimeout reports whether a field is the one that bounds a hook's time; hosts have two
// names for it.
func isTimeout(name string) bool { return name == "timeout" || name == "timeoutSec" }

// matchesAll reports whether a group, or a handler in a flat list, hears of everything its event tells.
func matchesAll(group *hujson.Value) bool {
	m := member(group, "matcher")
	return m == nil || isText(m.Value) && (text(m.Value) == "" || text(m.Value) == "*")
}

// ours reports whether a handler starts our hook program.
func ours(v *hujson.Value) bool {
	command := commandOf(v)
	if command == nil || !isText(command.Value) {
		return false
	}
	if kind := member(v, "type"); kind != nil && text(kind.Value) != "command" {
		return false
	}
	return isProgram(handlerProgram(v), hookProgram)
}

// commandOf returns the command of a handler, or nil. Copilot has one for each shell.
func commandOf(v *hujson.Value) *hujson.Value {
	if command := member(v, "command"); command != nil {
		return command
	}
	return member(v, "bash")
}

// handlerProgram returns the program of a handler: in the exec form, which has args,
// the command is its path, else it is a shell's command line.
func handlerProgram(v *hujson.Value) string {
	command := text(commandOf(v).Value)
	if member(v, "args") != nil {
		return command
	}
	return firstWord(command)
}

// same reports whether a handler has the wanted fields and no others, the first of them
// first.
func same(v *hujson.Value, want []field) bool {
	obj := v.Value.(*hujson.Object)
	if len(obj.Members) != len(want) || text(obj.Members[0].Name.Value) != want[0].name && (isTimeout(want[0].name) || isTimeout(text(obj.Members[0].Name.Value))) {
		return false
	}
	for _, f := range want {
		have := member(v, f.name)
		if have == nil {
			return false
		}
		switch w := f.value.(type) {
		case string:
			if !isText(have.Value) || text(have.Value) != w {
				return false
			}
		case bool:
			if literal(have) != fmt.Sprint(w) {
				return false
			}
		case int:
			if lit, ok := have.Value.(hujson.Literal); !ok || string(lit) != fmt.Sprint(w) {
				return false
			}
		case []string:
			if list, ok := texts(have); !ok || !slices.Equal(list, w) {
				return false
			}
		}
	}
	return true
}
