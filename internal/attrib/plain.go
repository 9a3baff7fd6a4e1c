package attrib

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hearsay-memory/hearsay/internal/textfold"
)

// plain returns text with the spaces and punctuation of all scripts as ASCII, where
// sentences that need no space after them get one; letters and symbols stay as they
// are. It reports false for a text that hides something or looks like a runtime's own
// words: nobody typed that.
func plain(text string) (string, bool) {
	if !utf8.ValidString(text) {
		return "", false
	}
	if _, hidden := textfold.NextHidden(text, 0); hidden {
		return "", false
	}
	text = strings.TrimPrefix(text, "\uFEFF")
	var b strings.Builder
	b.Grow(len(text))
	var fold [16]byte
	for _, r := range text {
		switch {
		case r < utf8.RuneSelf:
			if r < ' ' && !space[r] || r == 0x7f {
				return "", false
			}
			b.WriteRune(r)
		case unicode.IsControl(r) && r != 0x85:
			return "", false
		case r == '。', r == '｡', r == '।', r == '۔':
			b.WriteString(". ")
		case r == '¿', r == '¡':
		case r == '〝', r == '〞', r == '〟', r == '‹', r == '›':
			b.WriteByte('"')
		case r == '‣', r == '◦', r == '•', r == '●', r == '▪', r == '·':
			b.WriteRune('•')
		case r == '…':
			b.WriteString("... ")
		case unicode.IsSpace(r), unicode.IsPunct(r):
			f := textfold.FoldRune(fold[:0], r)
			b.Write(f)
			if r != '．' && r != '／' && len(f) == 1 && strings.IndexByte(".,:;!?", f[0]) >= 0 {
				b.WriteByte(' ')
			}
		default:
			b.WriteRune(r)
		}
	}
	s := b.String()
	return s, !forged(s)
}

// forged reports whether s holds what runtimes and frames are marked with.
func forged(s string) bool {
	f := textfold.View(textfold.Fold(nil, s))
	for _, t := range controlTokens {
		if strings.Contains(f, t) {
			return true
		}
	}
	if strings.Contains(f, "hearsay") && strings.ContainsAny(f, "[<") || strings.ContainsRune(s, '◉') {
		return true
	}
	for line := range strings.Lines(f) {
		name, _, ok := strings.Cut(strings.TrimLeft(line, " \t*#_"), ":")
		if ok && roleNames[strings.TrimRight(name, " \t*_")] {
			return true
		}
	}
	return false
}

var controlTokens = []string{
	"<|", "|>", "<<<", ">>>", "<<sys", "[inst]", "[/inst]", "<s>", "</s>",
	"<system", "</system", "<user>", "</user", "<user_", "<assistant", "</assistant", "<human", "</human",
	"<tool", "</tool", "<function", "</function", "<instructions", "</instructions",
	"external_untrusted", "untrusted_content", "[untrusted", "[begin ", "[end ",
}

var roleNames = map[string]bool{"system": true, "assistant": true, "human": true, "developer": true, "tool": true}
