package attrib

import "slices"

import "strings"

// A form is one thing that a clause says, as bytes that are equal for equal things:
// a kind, and tokens. A turn's clause implies some forms; a text's clause claims some,
// and is the user's where one of them is implied.
type form = string

// The kinds of forms.
const (
	plainForm    = "v"
	askedForm    = "q" // a question
	governedForm = "g" // what hangs on a lead, with the lead
	preferForm   = "p" // the user prefers …
	wantForm     = "w" // the user wants …
	placeForm    = "l"
	zoneForm     = "z"
	nameForm     = "n"
	roleForm     = "r"
	labelForm    = "k" // what of the user's, or of the project's, is …
)

// mostForms bounds the forms of one clause.
const mostForms = 16

func formOf(kind string, tokens ...[]string) form {
	var b strings.Builder
	b.WriteString(kind)
	for _, part := range tokens {
		b.WriteByte(0)
		for i, t := range part {
			if t == colon && i == len(part)-1 {
				continue // it only announces
			}
			b.WriteByte(3)
			b.WriteString(t)
		}
	}
	return b.String()
}

// forms collects what a clause says.
type forms struct {
	set []form
}

func (f *forms) add(kind string, tokens ...[]string) {
	if len(f.set) < mostForms && len(tokens[len(tokens)-1]) > 0 {
		f.set = append(f.set, formOf(kind, tokens...))
	}
}

// implied returns the forms that a clause of the user's turn implies.
func implied(c *clause) []form {
	var f forms
	tokens := fold(c.tokens, spoken)
	if done := f.bound(c, tokens, spoken); done {
		return f.set
	}
	f.implies(tokens)
	for _, p := range standingPhrases() {
		if hasPrefix(tokens, p) && hasContent(tokens[len(p):]) {
			rest := tokens[len(p):]
			if rest[0] == comma || rest[0] == colon {
				rest = rest[1:]
			}
			f.implies(rest)
			break
		}
	}
	return f.set
}

// bound adds the one form of a question or of a clause with a lead.
func (f *forms) bound(c *clause, tokens []string, v view) bool {
	kind := governedForm
	if c.question {
		kind = askedForm
	}
	if c.question || len(c.lead) > 0 {
		f.add(kind, fold(c.lead, v), tokens)
		return true
	}
	return false
}

func (f *forms) implies(t []string) {
	f.add(plainForm, t)
	f.prefers(t, firstOf(preferring, t))
	f.slots(t)
	switch {
	case len(t) < 2: // one word orders nothing
	case firstOf(orders, t) > 0:
		rest := t[firstOf(orders, t):]
		f.add(wantForm, rest)
		f.add(plainForm, rest)
	case t[0] != person && t[0] != persons && t[0] != agent && t[0] != agents && !declarative.has(t[0]):
		f.add(wantForm, t) // an order: what the user tells to do is wanted and preferred
		f.add(preferForm, t)
		if t[0] == "use" {
			f.add(preferForm, t[1:])
		}
	}
	if n := firstOf(places, t); n > 0 {
		f.add(placeForm, t[n:])
		f.add(zoneForm, t[n:])
	}
	if n := firstOf(names, t); n > 0 {
		f.add(nameForm, t[n:])
	}
	if len(t) > 2 && t[0] == person && t[1] == "be" {
		f.add(roleForm, t[2:])
	}
}

// prefers adds the forms of a preference that begins at token n.
func (f *forms) prefers(t []string, n int) {
	if n == 0 {
		return
	}
	rest := afterLabel(t[n:])
	f.add(preferForm, rest)
	if len(rest) > 1 && (rest[0] == "using" || rest[0] == "use") {
		f.add(preferForm, rest[1:])
		f.add(preferForm, append([]string{"use"}, rest[1:]...))
	}
}

// slots adds the forms that a turn and a text express alike: a labelled preference, or
// what something is.
func (f *forms) slots(t []string) {
	if n := firstOf(preferenceLabels, t); n > 0 && n < len(t) && (t[n] == colon || t[n] == "be") {
		f.prefers(t, n)
	}
	subject, rest := labelled(t)
	if len(rest) == 0 {
		return
	}
	f.add(labelForm, subject, rest)
	if kind, ok := labelKinds[strings.Join(subject, " ")]; ok {
		f.add(kind, rest)
	}
}

// afterLabel drops what joins a label to what it labels.
func afterLabel(t []string) []string {
	for len(t) > 1 && (t[0] == colon || t[0] == "be" || t[0] == "to" || t[0] == "that") {
		t = t[1:]
	}
	return t
}

// labelled splits "my editor is vim" and "editor: vim": what, of at most three words,
// and what it is.
func labelled(t []string) (subject, rest []string) {
	if len(t) > 0 && (t[0] == persons || t[0] == person) {
		t = t[1:]
	}
	for i := 1; i < len(t) && i <= 3; i++ {
		if t[i] == colon || t[i] == "be" {
			return t[:i], afterLabel(t[i:])
		}
		if negation.has(t[i-1]) || t[i] == person || t[i] == agent {
			return nil, nil
		}
	}
	return nil, nil
}

// kinds adds the form of a label that nothing sets apart, as notes have it: "timezone
// UTC+2".
func (f *forms) kinds(t []string) {
	if len(t) > 0 && (t[0] == persons || t[0] == person) {
		t = t[1:]
	}
	for i := min(2, len(t)-1); i > 0; i-- {
		if kind, ok := labelKinds[strings.Join(t[:i], " ")]; ok {
			f.add(kind, t[i:])
			return
		}
	}
}

// claimed returns the forms of a clause of a text; any of them makes it the user's.
func claimed(c *clause) []form {
	var f forms
	f.claimedAs(c, spoken)
	if speaksOfUser(c.tokens) || speaksOfUser(c.lead) {
		f.claimedAs(c, told)
	}
	return f.set
}

func (f *forms) claimedAs(c *clause, v view) {
	tokens := fold(c.tokens, v)
	if f.bound(c, tokens, v) {
		return
	}
	f.claims(tokens, 3)
	if c.labelled {
		f.add(preferForm, tokens)
	}
}

func (f *forms) claims(t []string, depth int) {
	if depth == 0 || len(t) == 0 {
		return
	}
	if base, ok := bareVerb(t[0]); ok {
		t = append([]string{person, base}, t[1:]...) // "Prefers tabs" leaves out who
	}
	f.add(plainForm, t)
	f.prefers(t, max(firstOf(preferring, t), firstOf(preferringTold, t)))
	f.slots(t)
	f.kinds(t)
	if n := firstOf(wishes, t); n > 0 {
		f.add(wantForm, t[n:])
	}
	if n := firstOf(rules, t); n > 0 && n < len(t) {
		f.claims(afterColon(t[n:]), depth-1)
	}
}

func afterColon(t []string) []string {
	if len(t) > 0 && t[0] == colon {
		return t[1:]
	}
	return t
}

// bareVerb returns the base of a verb in the third person that begins a note without
// naming the user.
func bareVerb(t string) (string, bool) {
	if !bareVerbs.has(t) {
		return "", false
	}
	return infinitive(t), true
}

// firstOf returns the length of the longest of phrases that t begins with.
func firstOf(phrases phraseList, t []string) int {
	best := 0
	for _, p := range phrases() {
		if len(p) > best && hasPrefix(t, p) {
			best = len(p)
		}
	}
	return best
}

// labelsPreference reports whether tokens, which announce, announce preferences.
func labelsPreference(tokens []string) bool {
	return slices.ContainsFunc(tokens, preferenceNouns.has)
}
