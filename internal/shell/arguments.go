package shell

import (
	"slices"
	"strings"
)

// quoteAll quotes words so that a shell reads them as they are.
func quoteAll(words []value) string {
	var b strings.Builder
	for _, v := range words {
		b.WriteString(" '")
		b.WriteString(strings.ReplaceAll(v.s, "'", `'\''`))
		b.WriteString("'")
	}
	return b.String()
}

// parsed are the arguments of a program, told apart.
type parsed struct {
	opts []option
	args []value
}

type option struct {
	name string
	val  value
	has  bool
}

// parse tells options from operands. takes holds, each between spaces, the options
// that take a value. With long, an option is one word also behind a single "-".
func parse(list []value, takes string, long bool) parsed {
	out := parsed{opts: make([]option, 0, len(list)), args: make([]value, 0, len(list))}
	for i := 0; i < len(list); i++ {
		v := list[i]
		switch {
		case v.s == "--":
			out.args = append(out.args, list[i+1:]...)
			return out
		case !v.option():
			out.args = append(out.args, v)
		case v.s[1] == '-' || long:
			name, after, ok := strings.Cut(v.s, "=")
			o := option{name: name, val: literal(after), has: ok}
			if !ok && valued(takes, name) && i+1 < len(list) {
				i++
				o.val, o.has = list[i], true
			}
			out.opts = append(out.opts, o)
		default:
			for j := 1; j < len(v.s); j++ {
				o := option{name: "-" + v.s[j:j+1]}
				if valued(takes, o.name) {
					if j+1 < len(v.s) {
						o.val, o.has = value{s: v.s[j+1:], glob: max(0, v.glob-j-1)}, true
					} else if i+1 < len(list) {
						i++
						o.val, o.has = list[i], true
					}
					j = len(v.s)
				}
				out.opts = append(out.opts, o)
			}
		}
	}
	return out
}

func valued(takes, name string) bool {
	for {
		i := strings.Index(takes, name)
		if i < 0 {
			return false
		}
		end := i + len(name)
		if (i == 0 || takes[i-1] == ' ') && (end == len(takes) || takes[end] == ' ') {
			return true
		}
		takes = takes[end:]
	}
}

// has reports whether one of the options was given.
func (p *parsed) has(names ...string) bool {
	return slices.ContainsFunc(p.opts, func(o option) bool { return slices.Contains(names, o.name) })
}

// values returns the values of the options of these names.
func (p *parsed) values(names ...string) []value {
	var out []value
	for _, o := range p.opts {
		if o.has && slices.Contains(names, o.name) {
			out = append(out, o.val)
		}
	}
	return out
}
