package lint

import "strings"

// check decides whether the phrases of a sequence count. after is where the
// first phrase ends; the last one is text[start:end]. It looks at a bounded
// stretch of text, so that the scan stays linear.
type check func(text string, after, start, end int) bool

// checks are the names that phrases.txt may use after a question mark.
var checks = map[string]check{
	"destination": destination,
	"piped":       piped,
	"substituted": substituted,

	"aws":          keyShape{[]string{"AKIA", "ASIA"}, upperDigit, 16, 16, false}.check,
	"github":       keyShape{[]string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"}, alnum, 36, 255, false}.check,
	"github-fine":  keyShape{[]string{"github_pat_"}, alnumLine, 50, 255, true}.check,
	"sk":           keyShape{[]string{"sk-"}, alnumDash, 20, 255, true}.check,
	"stripe":       keyShape{[]string{"sk_live_", "rk_live_"}, alnum, 16, 255, false}.check,
	"slack":        keyShape{[]string{"xoxa-", "xoxb-", "xoxe-", "xoxp-", "xoxr-", "xoxs-"}, alnumDash, 20, 255, true}.check,
	"google":       keyShape{[]string{"AIza"}, alnumDash, 35, 35, true}.check,
	"gitlab":       keyShape{[]string{"glpat-"}, alnumDash, 20, 255, true}.check,
	"npm":          keyShape{[]string{"npm_"}, alnum, 36, 36, true}.check,
	"hugging-face": keyShape{[]string{"hf_"}, alnum, 30, 255, true}.check,
	"age":          keyShape{[]string{"AGE-SECRET-KEY-1"}, upperDigit, 58, 58, false}.check,
	"pem":          pemHeader,
}

// destination reports whether an address stands between the verb and a little
// after the noun.
func destination(text string, after, _, end int) bool {
	window := text[after:min(len(text), end+120)]
	return strings.Contains(window, "://") || strings.IndexByte(window, '@') >= 0
}

// piped reports whether the interpreter text[start:end] reads what a download
// before it wrote: "curl … | sudo /bin/sh".
func piped(text string, after, start, end int) bool {
	if start < after || brokenLine(text[after:start]) {
		return false
	}
	before := text[max(after, start-64):start]
	i := strings.LastIndexByte(before, '|')
	if i < 0 {
		return false
	}
	for word := range strings.FieldsSeq(strings.TrimPrefix(before[i+1:], "&")) {
		switch {
		case word == "sudo", word == "doas", word == "env", word == "exec", word == "nohup", word == "command", word == "\\":
		case word[0] == '-', strings.ContainsAny(word, "/="):
		default:
			return false
		}
	}
	return !ownProgram(text[start:end], text[end:])
}

// brokenLine reports whether s has a line end that a shell does not read past.
func brokenLine(s string) bool {
	for {
		line, rest, more := strings.Cut(s, "\n")
		if !more {
			return false
		}
		if line = strings.TrimRight(line, " \t\r"); !strings.HasSuffix(line, `\`) && !strings.HasSuffix(line, "|") {
			return strings.TrimLeft(rest, " \t") == "" || strings.TrimLeft(rest, " \t")[0] != '|'
		}
		s = rest
	}
}

// ownProgram reports whether an interpreter that is no shell is given its program
// as an argument, so that what it reads is data: python3 -m json.tool.
func ownProgram(interpreter, rest string) bool {
	switch name := strings.ToLower(strings.TrimRight(interpreter, "0123456789")); name {
	case "python", "perl", "ruby", "node", "php":
		rest = strings.TrimLeft(rest, " ")
		return len(rest) > 1 && rest[0] == '-' && strings.IndexByte("mcenpr", rest[1]) >= 0
	}
	return false
}

// substituted reports whether a download's output becomes part of a shell's
// command line: bash <(curl …), eval "$(curl …)", iex (iwr …).
func substituted(text string, after, start, _ int) bool {
	if start < after {
		return false
	}
	between := text[after:start]
	if strings.Contains(between, "$(") || strings.Contains(between, "<(") || strings.IndexByte(between, '`') >= 0 {
		return true
	}
	word := strings.ToLower(text[max(0, after-3):after])
	return (word == "iex" || word == "ion") && strings.IndexByte(between, '(') >= 0
}
