package policy

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/hearsay-memory/hearsay"
)

// readActions reads what an agent may do.
func (f *file) readActions(n ast.Node) {
	a := &f.policy.actions
	verdict := func(what string, into *hearsay.ActionVerdict) func(ast.Node) {
		return func(n ast.Node) {
			*into = named(&f.reader, n, what, actionNames, hearsay.ParseActionVerdict)
		}
	}
	f.object(n, "actions",
		field{"privileged", func(n ast.Node) { a.Privileged = f.actionPatterns(n, "actions.privileged") }},
		field{"forbidden", func(n ast.Node) { a.Forbidden = f.actionPatterns(n, "actions.forbidden") }},
		field{"tainted", verdict("actions.tainted", &a.Tainted)},
		field{"default", verdict("actions.default", &a.Default)},
	)
}

// actionPatterns reads dotted names in which a star stands for any one or more
// parts: at the beginning ("*.delete") or the end ("deploy.*"), or alone.
func (f *file) actionPatterns(n ast.Node, what string) []string {
	return f.texts(n, what, maxName, true, func(at ast.Node, p string) {
		name := strings.TrimPrefix(strings.TrimSuffix(p, ".*"), "*.")
		bad := !hearsay.ValidTag(name) || strings.ContainsAny(name, "*/") && name != "*"
		for part := range strings.SplitSeq(name, ".") {
			bad = bad || part == ""
		}
		if bad {
			f.errorf(at, `write a dotted name, with a star for the first or the last part: "deploy.*"`, "%s has the malformed pattern %q", what, p)
		}
	})
}

// readCeilings reads bounds on claims. They can be lowered and not raised.
func (f *file) readCeilings(n ast.Node) {
	for _, p := range f.pairs(n, "ceilings") {
		o, err := hearsay.ParseOrigin(p.key)
		if err != nil {
			f.errorf(p.at, nearest(p.key, originNames), "ceilings has the unknown origin %q", p.key)
			continue
		}
		c := &f.policy.ceilings[o]
		lower := func(name string, v *float64, least float64) field {
			return field{name, func(n ast.Node) {
				what := fmt.Sprintf("ceilings.%s.%s", o, name)
				got := f.number(n, what, least, 1)
				if got > *v {
					f.errorf(n, fmt.Sprintf("write at most %v", *v), "%s is %v: a policy can lower a ceiling and not raise it", what, got)
					return
				}
				*v = got
			}}
		}
		f.object(p.value, "ceilings."+p.key,
			lower("salience", &c.Salience, 0),
			lower("confidence", &c.Confidence, 0),
			lower("decay", &c.Decay, minFactor),
			lower("recall", &c.Recall, minFactor),
			field{"entrench", func(n ast.Node) {
				want := f.boolean(n, "entrench")
				if want && !c.Entrench {
					f.errorf(n, "remove it", "ceilings.%s.entrench is true: only the user's own word is pinned or stable", o)
				}
				c.Entrench = c.Entrench && want
			}},
		)
	}
}

// minFactor keeps a factor above zero, at which a memory would be hidden and not
// ranked: hiding is a verdict.
const minFactor = 0.01

// levelCeilings makes the table fall with the origin, so that a label that sinks
// never gains a claim: no origin has more than the next higher one.
func levelCeilings(t hearsay.Ceilings) hearsay.Ceilings {
	for o := hearsay.User; o > hearsay.External; o-- {
		high, low := &t[o], &t[o-1]
		low.Salience = min(low.Salience, high.Salience)
		low.Confidence = min(low.Confidence, high.Confidence)
		low.Decay = min(low.Decay, high.Decay)
		low.Recall = min(low.Recall, high.Recall)
		low.Entrench = low.Entrench && high.Entrench
	}
	return t
}

// readFiles reads which files are memory.
func (f *file) readFiles(n ast.Node) {
	l := &f.policy.files
	globs := func(name string, into *[]string, outside bool) field {
		return field{name, func(n ast.Node) { *into = f.globs(n, "files."+name, outside) }}
	}
	f.object(n, "files",
		globs("memory", &l.Memory, false),
		globs("protected", &l.Protected, false),
		globs("extra", &l.Extra, true),
		globs("untrusted", &l.Untrusted, false),
		field{"hold", func(n ast.Node) {
			l.Hold = nil
			for _, e := range f.list(n, "files.hold") {
				o := named(&f.reader, e, "files.hold", originNames, hearsay.ParseOrigin)
				if o == hearsay.User {
					f.errorf(e, "remove it", "files.hold names user: the user's own edits are not held")
				}
				l.Hold = append(l.Hold, o)
			}
			if len(l.Hold) == 0 {
				f.errorf(n, "write [external]", "files.hold is an empty list: writes of strangers are always held")
			}
		}},
	)
}

// globs reads file patterns. Only those of folders outside the workspace may
// begin with a slash or a tilde; none may climb.
func (f *file) globs(n ast.Node, what string, outside bool) []string {
	return f.texts(n, what, maxGlob, true, func(at ast.Node, p string) {
		if why := badGlob(p, outside); why != "" {
			f.errorf(at, "", "%s has the pattern %q: %s", what, p, why)
		}
	})
}

// badGlob says what is wrong with a pattern, or nothing.
func badGlob(p string, outside bool) string {
	rest := p
	if strings.HasPrefix(p, "/") || strings.HasPrefix(p, "~/") {
		if !outside {
			return "it leaves the workspace; name folders outside it under files.extra"
		}
		rest = strings.TrimPrefix(strings.TrimPrefix(p, "~"), "/")
	}
	for _, c := range rest {
		switch {
		case c < ' ' || c == 0x7f:
			return "it holds a control character"
		case c == '\\':
			return "write folders with slashes"
		case c == '[' || c == ']' || c == '{' || c == '}':
			return "only the wildcards *, ** and ? are read"
		}
	}
	for part := range strings.SplitSeq(rest, "/") {
		switch {
		case part == "":
			return "it has an empty part"
		case part == "." || part == "..":
			return "it may not hold . or .. parts"
		case strings.Contains(part, "**") && part != "**":
			return "** stands alone between slashes"
		}
	}
	return ""
}
