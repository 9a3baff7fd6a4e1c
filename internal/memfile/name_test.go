package memfile

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestFold(t *testing.T) {
	for a, b := range map[string]string{
		"/w/MEMORY.md":             "/W/memory.MD",
		"/w/caf\u00e9/m.md":        "/w/cafe\u0301/M.md",
		"/w/me\u200dmory.md":       "/w/memory.md", // HFS+ and case-folding ext4 skip it
		"/w/memory\ufeff.md":       "/w/memory.md",
		"/w/\u212aNOWLEDGE.md":     "/w/knowledge.md",  // the Kelvin sign
		"/w/\u017fettings.json":    "/w/settings.json", // the long s
		"/w/in\ufb06ructions":      "/w/instructions",
		"/w/STRASSE":               "/w/stra\u00dfe",
		"/w/memory.md.":            "/w/memory.md",
		"/w/memory.md. . ":         "/w/memory.md",
		"/w/memory. /x":            "/w/memory/x",
		"/w/memory.md:ads":         "/w/memory.md",
		"/w/memory.md::$DATA":      "/w/memory.md",
		"/w/memory.md.\u200d":      "/w/memory.md",
		"C:/W/Memory.md":           "c:/w/memory.md",
		"/w/\u0391\u0392\u03a3.md": "/w/\u03b1\u03b2\u03c2.md", // final sigma
	} {
		if Fold(a) != Fold(b) {
			t.Errorf("%q is %q, and %q is %q", a, Fold(a), b, Fold(b))
		}
	}
	for _, pair := range [][2]string{
		{"/w/MEMORY.md", "/w/M\u0415MORY.md"}, // a Cyrillic letter
		{"/w/MEMORY.md", "/w/\uff2dEMORY.md"}, // a wide one
		{"/w/memory.md", "/w/memory.md~"},
		{"/w/memory.md", "/w/.memory.md"},
		{"/w/...", "/w"},
	} {
		if Fold(pair[0]) == Fold(pair[1]) {
			t.Errorf("%q and %q are one name", pair[0], pair[1])
		}
	}
}

func FuzzFold(f *testing.F) {
	for _, s := range []string{"", "/w/MEMORY.md", "a. /b:c", "\u00e9\u0301\u200d", "\xff/\xfe", "ǰ/ŉ/ΐ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Fold(s)
		if again := Fold(got); again != got && utf8.ValidString(s) && !strings.Contains(s, ":") {
			t.Errorf("%q folds to %q and then to %q", s, got, again)
		}
		if strings.Count(got, "/") != strings.Count(s, "/") {
			t.Errorf("%q folds to %q: not as many parts", s, got)
		}
		if plain, _ := Plain(s); strings.Contains(plain, `\`) {
			t.Errorf("%q is plain %q", s, plain)
		}
	})
}

// The ways in which Windows names a file, read by a pure function on every system.
func TestMC086PlainNames(t *testing.T) {
	for name, want := range map[string][2]string{
		`C:\w\proj\MEMORY.md`:          {"C:/w/proj/MEMORY.md", "backslashes"},
		`\\?\C:\w\MEMORY.md`:           {"C:/w/MEMORY.md", "device"},
		`\\.\C:\w\MEMORY.md`:           {"C:/w/MEMORY.md", "device"},
		`\??\C:\w\MEMORY.md`:           {"C:/w/MEMORY.md", "device"},
		`\\?\UNC\host\share\MEMORY.md`: {"//host/share/MEMORY.md", "device"},
		`//?/C:/w/MEMORY.md`:           {"C:/w/MEMORY.md", "device"},
		`C:MEMORY.md`:                  {"C:/MEMORY.md", "drive"},
		`C:memory\f.md`:                {"C:/memory/f.md", "drive"},
		`/work/C:memory\f.md`:          {"/work/C:/memory/f.md", "drive"},
		`/work/C:\w\memory\f.md`:       {"/work/C:/w/memory/f.md", "drive"},
		`C:/w/f.md:ads`:                {"C:/w/f.md:ads", "stream"},
		`C:/w/f.md::$DATA`:             {"C:/w/f.md::$DATA", "stream"},
		`C:/w/f.md.`:                   {"C:/w/f.md.", "dot"},
		`C:/w/memory /f.md`:            {"C:/w/memory /f.md", "dot"},
		`C:/w/memory/nul.md`:           {"C:/w/memory/nul.md", "device"},
		`C:/w/memory/COM1`:             {"C:/w/memory/COM1", "device"},
		`C:/w/memory/f.md`:             {"C:/w/memory/f.md", ""},
		`/work/memory/f.md`:            {"/work/memory/f.md", ""},
		`/work/../memory/console.md`:   {"/memory/console.md", ""},
		`//host/share/MEMORY.md`:       {"//host/share/MEMORY.md", ""},
		`/`:                            {"/", ""},
	} {
		plain, odd := Plain(name)
		if plain != want[0] || want[1] == "" != (odd == "") || !strings.Contains(odd, want[1]) {
			t.Errorf("%s: %q, %q, want %q", name, plain, odd, want)
		}
	}
}

// What Windows calls a file whose name is longer than 8.3.
func TestShortNames(t *testing.T) {
	var s Set
	s.Add(Protected, "/w", "**/.claude/settings*.json", "CLAUDE.local.md", "AGENTS.override.md", ".hearsay/**", "AGENTS.md")
	s.Add(Memory, "/w", "**/.continue/rules/**", "memory_summary.md")
	for name, want := range map[string]Class{
		"/w/CLAUDE~1.MD": Protected, "/w/AGENTS~1.MD": Protected, "/w/AGENTS~12.MD": Ordinary, "/w/HEARSA~1/policy.yaml": Protected,
		"/w/CLAUDE~1/SETTIN~1.JSO": Protected, "/w/CLAUDE~2/settings.json": Protected, "/w/MEMORY~1.MD": Memory, "/w/ME1A2B~1.MD": Memory,
		"/w/CONTIN~1/rules/a.md": Memory, "/w/notes~1.md": Ordinary, "/w/CLAUDE~1.TXT": Ordinary, "/w/CLAUDE~x.MD": Ordinary, "/w/~1.md": Ordinary,
	} {
		if got := s.Class(name); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
}

func TestDriveRoots(t *testing.T) {
	var s Set
	s.Add(Memory, "C:/Users/Ana/proj", "MEMORY.md")
	s.Add(Protected, "", "C:/Users/Ana/.hearsay/**")
	for name, want := range map[string]Class{
		"c:/users/ana/PROJ/memory.md": Memory, "C:/Users/Ana/.hearsay/x/y": Protected, "D:/Users/Ana/.hearsay/x": Ordinary,
	} {
		if got := s.Class(name); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
}

func BenchmarkClass(b *testing.B) {
	var s Set
	s.Add(Memory, "/srv/app", "MEMORY.md", "memory/**/*.md", ".cursor/rules/**", "**/.roo/rules/**")
	s.Add(Protected, "/srv/app", "AGENTS.md", "CLAUDE.md", ".claude/settings*.json")
	for b.Loop() {
		s.Class("/srv/app/src/deep/down/in/the/tree/main.go")
	}
}
