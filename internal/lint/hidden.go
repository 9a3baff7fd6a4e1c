package lint

import (
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

// mostDecoded is how many bytes of what tag characters spell are shown to people.
const mostDecoded = 512

// hidden reports characters that hide something, one match a kind. What tag
// characters spell in the whole text, with a space between its runs, is scanned
// like any text; its beginning is in Decoded, and never empty.
func (m *matcher) hidden(s string) {
	var seen [len(hiddenRules)]bool
	m.decoded = m.decoded[:0]
	tags := -1
	for at := 0; ; {
		h, ok := textfold.NextHidden(s, at)
		if !ok {
			break
		}
		at = h.End
		if h.Kind == textfold.HiddenTags {
			m.decoded = appendTags(m.decoded, s[h.Start:h.End])
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
	if len(m.decoded) == 0 {
		m.decoded = append(m.decoded, '?') // tag characters were there, which is what counts
	}
	m.evidence.Matches[tags].Decoded = string(m.decoded[:min(len(m.decoded), mostDecoded)])
	m.pass("+tags", textfold.View(m.decoded))
	clear(m.done)
}

// appendTags appends the printable ASCII that a run of tag characters spells,
// and before it a space if dst has something.
func appendTags(dst []byte, run string) []byte {
	if len(dst) > 0 {
		dst = append(dst, ' ')
	}
	for _, r := range run {
		if r >= 0xE0020 && r <= 0xE007E {
			dst = append(dst, byte(r-0xE0000))
		}
	}
	return dst
}
