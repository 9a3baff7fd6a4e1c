package shell

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// listed reports whether an expansion stands for all arguments: $@ and $*.
func listed(part syntax.WordPart) bool {
	p, ok := part.(*syntax.ParamExp)
	return ok && p.Param != nil && (p.Param.Value == "@" || p.Param.Value == "*")
}

// param returns what a parameter may be.
func (w *walker) param(p *syntax.ParamExp) []value {
	if p.Param == nil || p.Excl || p.Length || p.Width || p.Index != nil || p.Slice != nil || p.Repl != nil || p.Names != 0 || len(p.Modifiers) > 0 {
		w.nestedParts(p)
		return []value{unknownValue}
	}
	values, set := w.parameter(p.Param.Value)
	if p.Exp == nil {
		return values
	}
	alternatives := w.text(p.Exp.Word)
	switch p.Exp.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull:
		return choices(values, set, alternatives)
	case syntax.AssignUnset, syntax.AssignUnsetOrNull:
		out := choices(values, set, alternatives)
		w.set(p.Param.Value, plainTexts(out))
		return out
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		return append([]value{{}}, alternatives...)
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		return values
	}
	return []value{unknownValue}
}

// choices are the values of a variable and its defaults. A variable that the
// command does not set may be anything beside its default.
func choices(values []value, set bool, defaults []value) []value {
	if set && len(values) == 1 && values[0].s != "" {
		return values
	}
	return append(append([]value{}, values...), defaults...)
}

// nestedParts runs the commands within the parts of an expansion.
func (w *walker) nestedParts(p *syntax.ParamExp) {
	if p.Index != nil {
		w.nested(p.Index)
	}
	if p.Slice != nil {
		if p.Slice.Offset != nil {
			w.nested(p.Slice.Offset)
		}
		if p.Slice.Length != nil {
			w.nested(p.Slice.Length)
		}
	}
	if p.Repl != nil {
		if p.Repl.Orig != nil {
			w.nested(p.Repl.Orig)
		}
		if p.Repl.With != nil {
			w.nested(p.Repl.With)
		}
	}
	if p.Exp != nil && p.Exp.Word != nil {
		w.nested(p.Exp.Word)
	}
}

// parameter returns the values of a parameter and whether the command sets it.
func (w *walker) parameter(name string) ([]value, bool) {
	switch name {
	case "@", "*":
		if !w.env.known {
			return []value{unknownValue}, false
		}
		if len(w.env.args) == 0 {
			return []value{{}}, true
		}
		return []value{{s: strings.ReplaceAll(join(w.env.args), " ", splitText)}}, true
	case "#", "?", "$", "!", "-", "0", "_", "RANDOM", "SECONDS", "LINENO":
		return []value{unknownValue}, false
	}
	if n, err := strconv.Atoi(name); err == nil {
		if !w.env.known {
			return []value{unknownValue}, false
		}
		if n < 1 || n > len(w.env.args) {
			return []value{{}}, true
		}
		return []value{w.env.args[n-1]}, true
	}
	if values, ok := w.env.lookup(name); ok {
		return literals(values...), true
	}
	if name == "PWD" {
		var out []value
		for _, dir := range w.env.dirs {
			if absolute(dir) {
				out = append(out, literal(dir))
			} else {
				out = append(out, unknownValue)
			}
		}
		return out, false
	}
	return []value{literal(w.fromOutside(name))}, false
}

// plainTexts returns the texts of values; a pattern, which a variable keeps as it
// is, is marked as unknown from there on.
func plainTexts(values []value) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = v.s
	}
	return out
}
