package lint

import (
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/textfold"
)

var hiddenRules = [...]string{
	textfold.HiddenTags:       "hidden.tags",
	textfold.HiddenBidi:       "hidden.bidi",
	textfold.HiddenZeroWidth:  "hidden.zero-width",
	textfold.HiddenSelectors:  "hidden.selectors",
	textfold.HiddenSoftHyphen: "hidden.soft-hyphens",
}

// hidden reports characters that hide something, one match a kind. All that tag
// characters spell in the whole text is in one Decoded, its runs on lines of
// their own, and is then scanned like any text.
func (m *matcher) hidden(s string) {
	var seen [len(hiddenRules)]bool
	var spelt strings.Builder
	tags := -1
	for at := 0; ; {
		h, ok := textfold.NextHidden(s, at)
		if !ok {
			break
		}
		at = h.End
		if h.Kind == textfold.HiddenTags {
			if spelt.Len() > 0 {
				spelt.WriteByte('\n')
			}
			spelt.WriteString(textfold.Tags(s[h.Start:h.End]))
		}
		if seen[h.Kind] {
			continue
		}
		seen[h.Kind] = true
		if h.Kind == textfold.HiddenTags {
			tags = len(m.evidence.Matches)
		}
		m.add(hearsay.EvidenceMatch{Kind: hearsay.EvidenceHidden, Rule: hiddenRules[h.Kind], Offset: h.Start})
	}
	if tags < 0 {
		return
	}
	m.evidence.Matches[tags].Decoded = spelt.String()
	m.pass("+tags", spelt.String())
	clear(m.done)
}
