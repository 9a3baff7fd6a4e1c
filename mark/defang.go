package mark

import (
	"strings"
	"unicode/utf8"

	"github.com/hearsay-memory/hearsay/internal/textfold"
)

// brackets are what opens a marker, in the forms that a reader could take for ours.
const brackets = "⟦〚⟬⦗[<〈⟨【〔"

// Defang neutralises what looks like our own markers, notices and receipts, in any
// case, spacing, look-alike letters or entity form: the opening bracket becomes "(",
// the bullet "o". A text without look-alikes comes back as it is.
func Defang(text string) string {
	if !suspicious(text) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		entity := entityAt(text[i:])
		switch {
		case entity > 0 && mimics(text[i+entity:]):
			b.WriteByte('(')
			n = entity
		case strings.ContainsRune(brackets, r) && mimics(text[i+n:]):
			b.WriteByte('(')
		case r == '◉':
			b.WriteByte('o')
		default:
			b.WriteString(text[i : i+n])
		}
		i += n
	}
	return b.String()
}

// suspicious is the quick look: most texts have no bracket of ours and no bullet.
func suspicious(text string) bool {
	return strings.ContainsAny(text, brackets+"◉&")
}

// entityAt returns the length of an entity for an opening bracket at the start.
func entityAt(s string) int {
	for _, e := range [...]string{"&lt;", "&#60;", "&#x3c;", "&#x27e6;", "&#10214;", "&lobrk;"} {
		if len(s) >= len(e) && strings.EqualFold(s[:len(e)], e) {
			return len(e)
		}
	}
	return 0
}

// window is how far after a bracket our word is looked for, in bytes.
const window = 64

// mimics reports whether what follows a bracket reads as our word once spaces,
// slashes and invisible characters are gone.
func mimics(after string) bool {
	if len(after) > window {
		n := window
		for n > 0 && !utf8.RuneStart(after[n]) {
			n--
		}
		after = after[:n]
	}
	folded := textfold.Fold(nil, after)
	kept := folded[:0]
	for _, c := range folded {
		if c != ' ' && c != '\t' && c != '\n' && c != '\r' && c != '/' && c != '\\' && c != '[' && c != '<' {
			kept = append(kept, c)
		}
	}
	return strings.HasPrefix(string(kept), word)
}

// foreign are openings that agent hosts and models give meaning to: text that bears
// one claims to be more than data.
var foreign = [...]string{
	"<<<external_untrusted_content", "<<<end_external_untrusted_content", "<<<end_tool_call_result", "<<<start_user_message",
	"<<<end_user_message", "<|im_start|", "<|im_end|", "<|system|", "<|user|", "<|assistant|", "<|endoftext|", "[/inst]", "[inst]", "<<sys>>",
	"<system-reminder>", "<recalled>", "</recalled>",
}

// HasMarkers reports whether a text bears look-alikes of markers for external
// content, ours or other products': it then counts as external, whatever its source.
func HasMarkers(text string) bool {
	for i := 0; i < len(text); {
		at := strings.IndexAny(text[i:], "<[⟦")
		if at < 0 {
			return false
		}
		i += at
		rest := text[i:]
		for _, f := range foreign {
			if len(rest) >= len(f) && strings.EqualFold(rest[:len(f)], f) {
				return true
			}
		}
		_, n := utf8.DecodeRuneInString(rest)
		if (strings.HasPrefix(rest, "⟦") || strings.HasPrefix(rest, "[")) && mimics(rest[n:]) {
			return true
		}
		i += n
	}
	return false
}
