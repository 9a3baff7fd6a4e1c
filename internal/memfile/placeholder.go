package memfile

import (
	"strings"
	"sync"

	"github.com/hearsay-memory/hearsay/internal/textfold"
)

// maxPlaceholder bounds a line that can be a placeholder, in bytes.
const maxPlaceholder = 120

// Lines by which models stand for text that they leave out, folded, without what frames
// them and without [fillers]. The first ones are placeholders however they are written,
// the second ones only in a comment, in brackets or after dots: by themselves they can be
// somebody's note. They are folded when first asked: most runs of the hook never do.
var (
	plainPlaceholders = foldedSet(`
		rest unchanged|rest file unchanged|rest file remains unchanged|rest file stays unchanged|rest file same|rest file remains same|rest file stays same
		rest remains unchanged|rest stays unchanged|rest remains same|rest stays same|rest content unchanged|rest content remains unchanged|rest content same
		rest memory unchanged|rest memory file unchanged|rest notes unchanged|rest document unchanged|rest entries unchanged|rest lines unchanged
		rest sections unchanged|rest code unchanged|rest existing content|rest existing file|rest existing content unchanged|rest file content unchanged
		rest original content|rest original file|rest previous content|rest file continues|rest file omitted|rest omitted|rest omitted brevity
		remainder unchanged|remainder file|remainder file unchanged|remainder content unchanged|remainder omitted
		remaining content unchanged|remaining file unchanged|remaining lines unchanged|remaining entries unchanged|remaining notes unchanged
		remaining sections unchanged|remaining content remains unchanged|remaining content same|remaining memories unchanged
		other content unchanged|other lines unchanged|other entries unchanged|other sections unchanged|other sections remain unchanged|everything else unchanged
		everything else stays same|everything else remains same|everything else remains unchanged
		existing content unchanged|existing content remains unchanged|existing content remains|existing entries unchanged|existing notes unchanged|existing lines unchanged
		existing sections unchanged|existing memory unchanged|existing memories unchanged|keep existing content|keep existing entries|keep existing notes|keep rest
		keep rest file|keep rest unchanged|keep rest file unchanged|previous content unchanged|previous content remains unchanged|previous entries unchanged
		previous notes unchanged|original content unchanged|original content remains unchanged|content unchanged|content remains unchanged|file unchanged
		content omitted brevity|omitted brevity|truncated brevity|# lines omitted|# lines unchanged|# more lines omitted|# entries omitted|# entries unchanged
		rest der datei unveraendert|rest der datei unverandert|rest unverandert|reste du fichier inchange|le reste est inchange|le reste inchange|resto del archivo sin cambios
		el resto sin cambios|resto do arquivo sem alteracoes|其余内容不变|其余部分不变|其余不变|剩余内容不变|以下省略|остальное без изменений`)
	framedPlaceholders = foldedSet(`
		unchanged|no change|no changes|same|same before|rest|rest file|rest content|rest memory|rest notes|rest entries|rest document|rest code|rest lines
		remaining content|remaining file|remaining lines|remaining entries|remaining notes|remaining sections|remaining memories|remaining code
		existing content|existing file content|existing entries|existing notes|existing lines|existing sections|existing memory|existing memories|existing code
		existing file|existing text|previous content|previous entries|previous notes|previous lines|previous sections|earlier content|earlier entries
		original content|original file|original file content|original text|content|content continues|file continues|continued|continues|other content
		other entries|other notes|other sections|more entries|more lines|more content|unchanged content|unchanged lines|unchanged sections|unchanged entries
		omitted|content omitted|lines omitted|text omitted|truncated|content truncated|file truncated|snip|snipped|elided|etc|keep|keep existing|# lines|# more lines
		# more entries|省略|略|不变`)
)

// fillers are words that the phrases go without.
var fillers = foldedSet("the|of|this|is|are|as|in|for|here|your|my|its|it|all|to|be|above|below|from|was|were|and|with")

func foldedSet(list string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		set := make(map[string]bool)
		for phrase := range strings.FieldsFuncSeq(list, func(r rune) bool { return r == '|' || r == '\n' }) {
			set[string(textfold.Fold(nil, strings.TrimSpace(phrase)))] = true
		}
		return set
	})
}

// placeholder reports whether a line as a whole stands for text that was left out. It is
// no evidence by itself: only beside lines that are dropped.
func placeholder(line string) bool {
	if len(line) > maxPlaceholder {
		return false
	}
	text := strings.TrimSpace(string(textfold.Fold(nil, line)))
	core := strings.Trim(text, "[](){}<>!-*_#/\\.\"'`|~=:;, \t")
	if core == "" {
		return strings.Contains(text, "...")
	}
	lead, tail, _ := strings.Cut(text, core)
	framed := strings.ContainsAny(lead, "[({<") || strings.Contains(lead, "//") || strings.Contains(lead, "/*") || strings.Contains(lead+tail, "..")
	var words []string
	for word := range strings.FieldsFuncSeq(core, func(r rune) bool { return strings.ContainsRune(" \t.,;:()[]-'\"*_", r) }) {
		switch {
		case strings.Trim(word, "0123456789") == "":
			words = append(words, "#")
		case !fillers()[word]:
			words = append(words, word)
		}
	}
	phrase := strings.Join(words, " ")
	return plainPlaceholders()[phrase] || framed && framedPlaceholders()[phrase]
}
