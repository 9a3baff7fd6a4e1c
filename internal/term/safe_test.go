package term

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSafe(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"plain", "harmless text, 100 %", "harmless text, 100 %"},
		{"other scripts", "naïve Übung 日本語 Привет", "naïve Übung 日本語 Привет"},
		{"escape sequences", "harmless\x1b[2K\x1b[1A\u202e rest", `harmless\x1b[2K\x1b[1A<U+202E> rest`},
		{"link", "\x1b]8;;https://evil.example\x1b\\click\x1b]8;;\x07", `\x1b]8;;https://evil.example\x1b\click\x1b]8;;\x07`},
		{"C1 sequence introducer", "a\u009b2Kb", `a\x9b2Kb`},
		{"C1 as a raw byte", "a\x9b2Kb", `a\x9b2Kb`},
		{"line ends and tab", "a\r\nb\tc", `a\r\nb\tc`},
		{"NUL, BEL, backspace, DEL", "\x00\x07\b\x7f", `\x00\x07\x08\x7f`},
		{"broken UTF-8", "a\xff\xc3(", `a\xff\xc3(`},
		{"direction", "\u202aa\u2066b\u2069\u061c\u200f", "<U+202A>a<U+2066>b<U+2069><U+061C><U+200F>"},
		{"tags", "x\U000E0053\U000E0054", "x<U+E0053><U+E0054>"},
		{"zero width", "pass\u200bword\u2060\ufeff", "pass<U+200B>word<U+2060><U+FEFF>"},
		{"joiner between Latin letters", "a\u200db", "a<U+200D>b"},
		{"run of joiners", "👩\u200d\u200d👩", "👩<U+200D><U+200D>👩"},
		{"soft hyphen", "Style\u00ad guide", "Style<U+00AD> guide"},
		{"line separators", "a\u2028b\u2029c", "a<U+2028>b<U+2029>c"},
		{"fillers", "a\u3164b\u2800c\u115fd\uffa0", "a<U+3164>b<U+2800>c<U+115F>d<U+FFA0>"},
		{"variation selector smuggling", "a\ufe01\U000E0101", "a<U+FE01><U+E0101>"},
		{"selector after a letter", "a\ufe0f", "a<U+FE0F>"},
		{"two selectors", "♂\ufe0f\ufe0f", "♂\ufe0f<U+FE0F>"},
		{"stacked marks", "a\u0301\u0301\u0301\u0301\u0301\u0301", "a\u0301\u0301\u0301\u0301<U+0301><U+0301>"},
		{"mark on nothing", "\u0301a", "<U+0301>a"},
		{"private use and unassigned", "\ue000\U000F0000\u0378\ufffe", "<U+E000><U+F0000><U+0378><U+FFFE>"},
		{"replacement rune", "a\ufffdb", "a<U+FFFD>b"},
		{"annotation", "\ufff9a\ufffab\ufffb", "<U+FFF9>a<U+FFFA>b<U+FFFB>"},

		{"emoji with joiner and selector", "\U0001F3C4\u200D\u2642\uFE0F", "\U0001F3C4\u200D\u2642\uFE0F"},
		{"emoji with skin tone", "👩🏽\u200d💻", "👩🏽\u200d💻"},
		{"emoji with selector and joiner", "🏳\ufe0f\u200d🌈", "🏳\ufe0f\u200d🌈"},
		{"keycap", "1\ufe0f\u20e3", "1\ufe0f\u20e3"},
		{"Persian joiner", "می\u200cخواهم", "می\u200cخواهم"},
		{"Devanagari joiner", "क्\u200dष", "क्\u200dष"},
		{"accents", "e\u0301te\u0302", "e\u0301te\u0302"},
		{"no-break space", "10\u00a0km", "10\u00a0km"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Safe(tt.in); got != tt.want {
				t.Errorf("Safe(%+q)\n got %+q\nwant %+q", tt.in, got, tt.want)
			}
			if twice := Safe(tt.want); twice != tt.want {
				t.Errorf("a second time it becomes %+q", twice)
			}
		})
	}
}

func TestSafeTextKeepsLines(t *testing.T) {
	if got, want := SafeText("a\n\tb\r\nc\x1b[A\n"), "a\n\tb\\r\nc\\x1b[A\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func FuzzSafe(f *testing.F) {
	f.Add("harmless\x1b[2K\u202e\U000E0053\xff")
	f.Add("👩🏽\u200d💻 می\u200cخواهم")
	f.Fuzz(func(t *testing.T, s string) {
		checkSafe(t, Safe(s), "")
		checkSafe(t, SafeText(s), "\n\t")
		if again := Safe(Safe(s)); again != Safe(s) {
			t.Errorf("not the same a second time: %+q, %+q", Safe(s), again)
		}
	})
}

// checkSafe fails if s holds something that a terminal obeys or does not show.
func checkSafe(t *testing.T, s, allowed string) {
	t.Helper()
	if !utf8.ValidString(s) {
		t.Errorf("not UTF-8: %+q", s)
	}
	for _, r := range s {
		if strings.ContainsRune(allowed, r) {
			continue
		}
		switch {
		case r < 0x20, r >= 0x7f && r < 0xa0, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x206f, r >= 0xe0000 && r <= 0xe0fff,
			r == 0x200b, r == 0x200e, r == 0x200f, r == 0xfeff, r == 0x2028, r == 0x2029, r == 0xad, r == 0x61c:
			t.Errorf("%U got through in %+q", r, s)
		}
	}
}

func BenchmarkSafe(b *testing.B) {
	text := strings.Repeat("The deploy command is make ship, run from the root. ", 20)
	b.Run("floor=copy", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			strings.Clone(text)
		}
	})
	b.Run("plain", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			Safe(text)
		}
	})
	mixed := text + "ü\x1b"
	b.Run("mixed", func(b *testing.B) {
		b.SetBytes(int64(len(mixed)))
		for b.Loop() {
			Safe(mixed)
		}
	})
}
