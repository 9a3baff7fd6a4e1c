package sleep

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// What is said again, as people and agents do, is found to be said again.
func TestPlainFindsWhatIsSaidAgain(t *testing.T) {
	for _, same := range [][]string{
		{"Backups run at 02:00", "backups run at  02:00.", "Backups run at 02:00 \n", "\n\nBackups\trun at 02:00.\n"},
		{"Use tabs", "use tabs", "Use tabs.", "Use\u00a0tabs"},
		{"Deploys:\n- stop\n- migrate\n", "Deploys:\r\n- stop\r\n\r\n- migrate", "deploys:\n\n-  stop \n- migrate."},
		{"备份在两点运行。", "备份在两点运行", "备份在两点运行．"},
		{"バックアップは二時に走る。", "バックアップは二時に走る"},
		{"백업은 두 시에 실행된다.", "백업은  두 시에 실행된다"},
		{"النسخ الاحتياطي يعمل في الثانية.", "النسخ الاحتياطي يعمل في الثانية"},
		{"بیک اپ دو بجے چلتا ہے۔", "بیک اپ دو بجے چلتا ہے"},
		{"बैकअप दो बजे चलता है।", "बैकअप दो बजे चलता है"},
		{"Ärger mit dem Drucker.", "ärger mit dem Drucker"},
		{"Заказы идут через Осло.", "заказы идут через Осло"},
		{"Is it five?", "is  it five?"},
	} {
		for _, s := range same[1:] {
			if plain(s) != plain(same[0]) {
				t.Errorf("%q is not found to say what %q says: %q, %q", s, same[0], plain(s), plain(same[0]))
			}
		}
	}
}

// What says something else, or more, or with another weight, is another text.
func TestPlainKeepsApart(t *testing.T) {
	const long = "the nightly backup of the orders database runs at two and copies everything to the vault in Oslo"
	for _, pair := range [][2]string{
		{"always run the tests", "never run the tests"},
		{"the server listens on port 5432", "the server listens on port 5433"},
		{"deploy on Monday", "deploy on Friday"},
		{"run " + long, "do not run " + long},
		{long, long + " every single day"},
		{long, long + ". That is no longer true"},
		{long, "No longer: " + long},
		{long, strings.Replace(long, "runs", "never runs", 1)},
		{long, strings.Replace(long, "orders", "orders and users", 1)},
		{"stop, migrate, start", "migrate, stop, start"},
		{"stop\nmigrate\nstart", "migrate\nstop\nstart"},
		{"No. Postgres is fine", "No Postgres is fine"},
		{"Eat, Bo", "Eat Bo"},
		{"Use C++", "Use C"},
		{"Use C#", "Use C"},
		{"Deploy on Fridays?", "Deploy on Fridays"},
		{"Call save!", "Call save"},
		{"git diff main..", "git diff main."},
		{"git diff main..", "git diff main"},
		{"cd ..", "cd ."},
		{"cd ..", "cd"},
		{"grep -v for noise", "grep -V for noise"},
		{"the type is Store", "the type is store"},
		{"the law of the US", "the law of the us"},
		{"it is 6' long", `it is 6" long`},
		{"use 'single'", `use "single"`},
		{"if x:\n    a\nb", "if x:\n    a\n    b"},
		{"tests: no\nlint: yes", "tests: no lint: yes"},
		{"the door is at 1 5", "the door is at 15"},
		{"端口是五四三二", "端口是五四三三"},
		{"总是运行测试", "从不运行测试"},
		{"测试要运行", "测试不要运行"},
		{"항상 테스트를 실행한다", "절대 테스트를 실행하지 않는다"},
		{"테스트를 안 한다", "테스트를 한다"},
		{"شغّل الاختبارات دائما", "لا تشغّل الاختبارات"},
		{"İstanbul is hot", "istanbul is hot"},
		{"\u212aelvin is a unit", "kelvin is a unit"},
		{"pay\u200bpal", "paypal"},
		{"раypal is safe", "paypal is safe"},
	} {
		if plain(pair[0]) == plain(pair[1]) {
			t.Errorf("%q and %q are found to say the same: %q", pair[0], pair[1], plain(pair[0]))
		}
	}
}

// told returns the words of a text with what may differ taken away: an oracle that knows
// nothing of lines.
func told(text string) []string {
	words := strings.Fields(text)
	if len(words) == 0 {
		return nil
	}
	r, n := utf8.DecodeRuneInString(words[0])
	if unicode.ToUpper(unicode.ToLower(r)) == r {
		words[0] = string(unicode.ToLower(r)) + words[0][n:]
	}
	last := &words[len(words)-1]
	_, n = utf8.DecodeLastRuneInString(*last)
	if rest := (*last)[:len(*last)-n]; strings.ContainsRune(".。．｡۔।", []rune(*last)[utf8.RuneCountInString(*last)-1]) && rest != "" {
		if r, _ := utf8.DecodeLastRuneInString(rest); unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r) {
			*last = rest
		}
	}
	return words
}

// Of two texts that are found to say the same neither has a word that the other has not, and
// they have them in one order.
func checkPlain(t *testing.T, a, b string) bool {
	t.Helper()
	if p := plain(a); plain(p) != p {
		t.Errorf("%q is plainer than %q, the plain form of %q", plain(p), p, a)
	}
	if plain(a) != plain(b) {
		return false
	}
	if !slices.Equal(told(a), told(b)) {
		t.Errorf("%q and %q are found to say the same", a, b)
	}
	return true
}

func TestPlainLosesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 8))
	pieces := []string{
		"a", "A", "b", "not", " ", " ", "  ", "\n", "\r\n", "\t", ".", "..", "!", "?", ",", "-", "5432", "5433", "é", "É", "e\u0301", "测", "试", "。", "테스트", "는",
		"لا", "۔", "है", "।", "\u200b", "\u00a0", "\u2028", "\xff", "İ", "'", `"`,
	}
	same := 0
	for range 60_000 {
		var a, b strings.Builder
		for range 1 + r.IntN(5) {
			p := pieces[r.IntN(len(pieces))]
			a.WriteString(p)
			switch r.IntN(6) {
			case 0:
				p = pieces[r.IntN(len(pieces))]
			case 1:
				p += pieces[r.IntN(len(pieces))]
			case 2:
				p = ""
			}
			b.WriteString(p)
		}
		if a.String() != b.String() && checkPlain(t, a.String(), b.String()) {
			same++
		}
	}
	if same < 1000 {
		t.Errorf("only %d pairs are found to say the same", same)
	}
}

func FuzzPlain(f *testing.F) {
	f.Add("Backups run at 02:00", "backups run at  02:00.")
	f.Add("if x:\n\ta\nb", "if x:\n\ta\n\tb")
	f.Add("备份。", "备份")
	f.Add("A..", "a.")
	f.Fuzz(func(t *testing.T, a, b string) {
		checkPlain(t, a, b)
		checkPlain(t, a, " "+a+".\n")
	})
}
