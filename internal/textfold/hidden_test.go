package textfold

import "testing"

const tagged = "\U000E0073\U000E0074\U000E006F\U000E0072\U000E0065"

func TestNextHidden(t *testing.T) {
	for _, c := range []struct {
		name, in string
		kind     HiddenKind
		want     string // the hidden run; empty when nothing is hidden
	}{
		{name: "plain", in: "Formats JSON"},
		{name: "emoji joiner (MC-061)", in: "Signature: \U0001F3C4\u200D\u2642\uFE0F"},
		{name: "family with skin tone", in: "\U0001F469\U0001F3FD\u200D\U0001F4BB"},
		{name: "emoji selector", in: "❤\ufe0f 1\ufe0f\u20e3 ‼\ufe0f"},
		{name: "persian non-joiner", in: "می\u200cخواهم"},
		{name: "devanagari joiner", in: "क्\u200dष"},
		{name: "thai break", in: "ภาษา\u200bไทย"},
		{name: "hebrew mark", in: "שלום\u200f!"},
		{name: "ideographic variation", in: "葛\U000E0100城"},
		{name: "leading BOM (MC-065)", in: "\ufeff# Notes"},
		{name: "one soft hyphen (MC-064)", in: "## Style\u00ADguide"},
		{name: "hyphenated words", in: "Sil\u00ADben\u00ADtren\u00ADnung"},
		{name: "scotland (MC-063)", in: blackFlag + flagScotland},

		{"tag text (MC-063)", "Formats JSON" + tagged, HiddenTags, tagged},
		{"tags behind a flag", blackFlag + tagged + "\U000E007F", HiddenTags, tagged + "\U000E007F"},
		{"flag without cancel", blackFlag + flagWales[:len(flagWales)-4], HiddenTags, flagWales[:len(flagWales)-4]},
		{"override", "a\u202eb", HiddenBidi, "\u202e"},
		{"isolate in hebrew", "של\u2066ום", HiddenBidi, "\u2066"},
		{"mark in english", "pass\u200eword", HiddenBidi, "\u200e"},
		{"marks in a run", "של\u200f\u200fום", HiddenBidi, "\u200f\u200f"},
		{"zero-width space", "ig\u200bnore", HiddenZeroWidth, "\u200b"},
		{"joiner in english", "ig\u200dnore", HiddenZeroWidth, "\u200d"},
		{"run of joiners in persian", "می\u200c\u200dخواهم", HiddenZeroWidth, "\u200c\u200d"},
		{"joiner after an emoji only", "👍\u200dx", HiddenZeroWidth, "\u200d"},
		{"mid-text BOM (MC-065)", "ig\ufeffnore", HiddenZeroWidth, "\ufeff"},
		{"two leading BOMs", "\ufeff\ufeffx", HiddenZeroWidth, "\ufeff\ufeff"},
		{"hangul filler", "a\u3164b", HiddenZeroWidth, "\u3164"},
		{"selectors that carry bytes", "👍\ufe0f\U000E0121\U000E0122", HiddenSelectors, "\ufe0f\U000E0121\U000E0122"},
		{"selector on a letter", "a\ufe0f", HiddenSelectors, "\ufe0f"},
		{"soft hyphen between letters", "i\u00ADg\u00ADn", HiddenSoftHyphen, "\u00AD"},
	} {
		h, ok := NextHidden(c.in, 0)
		if ok != (c.want != "") || c.in[h.Start:h.End] != c.want || h.Kind != c.kind {
			t.Errorf("%s: found %v kind %d %+q, want kind %d %+q", c.name, ok, h.Kind, c.in[h.Start:h.End], c.kind, c.want)
		}
	}
}

func TestVisible(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "a\n\tb", "a\n\tb"},
		{"terminal (MC-049)", "harmless\u001b[2K\u001b[1A\u202e!", `harmless\x1b[2K\x1b[1AU+202E!`},
		{"link", "\x1b]8;;http://x.invalid\x07t", `\x1b]8;;http://x.invalid\x07t`},
		{"C1 and DEL", "\u009b2J\x7f\r", `\x9b2J\x7f\x0d`},
		{"not utf-8", "a\x9b\xff", `a\x9b\xff`},
		{"tags", "Formats JSON" + tagged, `Formats JSON<tags "store">`},
		{"language tag only", "a\U000E0001", "a<tags \"\uFFFD\">"},
		{"zero width", "ig\u200bnore", "igU+200Bnore"},
		{"wide code point", "a\U000E0121", "aU+E0121"},
		{"line separator", "a\u2028b", "aU+2028b"},
		{"emoji", "\U0001F3C4\u200D\u2642\uFE0F", "\U0001F3C4\u200D\u2642\uFE0F"},
		{"accents", "für 항상", "für 항상"},
	} {
		if got := Visible(c.in); got != c.want {
			t.Errorf("%s: Visible(%+q) = %+q, want %+q", c.name, c.in, got, c.want)
		}
	}
}
