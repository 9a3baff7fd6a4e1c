package attrib

import "strings"

// view is who the persons of a text are.
type view uint8

const (
	spoken view = iota // as the user speaks: I am the user, you are the agent
	told               // as an agent writes of its user: the user is the user, I and you are the agent
)

// fold returns tokens with articles dropped, persons and the forms of be folded, and
// verbs in the third person brought to the first where their subject is the user.
// Commas stay after a negation, where they tell "no, do" from "no do".
func fold(tokens []string, v view) []string {
	out := make([]string, 0, len(tokens))
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		switch {
		case articles.has(t) && i+1 < len(tokens):
			continue
		case separates(t):
			if n := len(out); n > 0 && (negation.has(out[n-1]) || i+1 < len(tokens) && numeric(out[n-1]) && numeric(tokens[i+1])) {
				out = append(out, t)
			}
			continue
		case t == "am" || t == "is" || t == "are":
			out = append(out, "be")
			continue
		}
		if v == told {
			if p, n := userWord(tokens[i:]); n > 0 {
				out = append(out, p)
				i += n - 1
				continue
			}
		}
		switch {
		case firstPerson.has(t):
			t = choose(v, person, agent)
		case firstPossessive.has(t):
			t = choose(v, persons, agents)
		case secondPerson.has(t):
			t = agent
		case secondPossessive.has(t):
			t = agents
		}
		out = append(out, t)
	}
	return verbs(out)
}

func choose(v view, inSpoken, inTold string) string {
	if v == told {
		return inTold
	}
	return inSpoken
}

func numeric(t string) bool { return t != "" && t[0] >= '0' && t[0] <= '9' }

// userWord returns the person that tokens begin with the name of: "the user", "用户".
func userWord(tokens []string) (p string, n int) {
	for _, u := range userWords() {
		if hasPrefix(tokens, u.tokens) {
			return u.person, len(u.tokens)
		}
	}
	return "", 0
}

// speaksOfUser reports whether the user is named, so that a text is told and not spoken.
func speaksOfUser(tokens []string) bool {
	for i := range tokens {
		if _, n := userWord(tokens[i:]); n > 0 {
			return true
		}
	}
	return false
}

// verbs folds the third person after the user, and after and, or, but in a clause that
// begins with the user: "the user prefers tabs and uses vim". It works in place.
func verbs(tokens []string) []string {
	subject := len(tokens) > 0 && tokens[0] == person
	out, due := tokens[:0], false
	for i, t := range tokens {
		switch {
		case t == person && subject && i > 0 && joining.has(tokens[i-1]):
			due = true // "I use vim and I hate popups" is "… and hate popups"
			continue
		case t == person, subject && joining.has(t):
			due = true
		case due && t == "does":
			t = "do"
		case due && adverb.has(t):
		case due:
			t = infinitive(t)
			due = false
		}
		out = append(out, t)
	}
	return out
}

// infinitive returns the base form of an English verb in the third person.
func infinitive(t string) string {
	switch t {
	case "has":
		return "have"
	case "does", "goes":
		return t[:2]
	case "preferred":
		return "prefer"
	case "asked", "wanted", "requested":
		return strings.TrimSuffix(t, "ed")
	case "always", "unless", "was", "this", "its", "yes", "us":
		return t
	}
	switch n := len(t); {
	case n < 4 || t[n-1] != 's' || t[n-2] == 's' || t[n-2] == 'u' || t[n-2] == 'i' || strings.ContainsAny(t, "0123456789./_\x01"):
		return t
	case strings.HasSuffix(t, "ies") && n > 4:
		return t[:n-3] + "y"
	case strings.HasSuffix(t, "sses"), strings.HasSuffix(t, "shes"), strings.HasSuffix(t, "ches"), strings.HasSuffix(t, "xes"), strings.HasSuffix(t, "zzes"):
		return t[:n-2]
	}
	return t[:len(t)-1]
}
