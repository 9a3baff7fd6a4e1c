package blamepage

import (
	"errors"
	"html"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/hearsay-memory/hearsay"
)

func page(t testing.TB, p *Page) string {
	t.Helper()
	var b strings.Builder
	if err := Write(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// one is a page in which every text is s.
func one(s string) *Page {
	return &Page{Name: s, Sum: s, Made: s, Lines: []Line{
		{Text: s, Label: hearsay.Label{Origin: hearsay.External, Taint: hearsay.NewTaint(s)}, Record: s, Who: s, When: s},
		{Text: s, Label: hearsay.LabelIdentity},
	}}
}

func TestPage(t *testing.T) {
	long := strings.Repeat("long ", 1000)
	got := page(t, &Page{Name: "MEMORY.md", Sum: "ab12", Made: "2026-11-30", Lines: []Line{
		{Text: "# Notes", Label: hearsay.Label{Origin: hearsay.Unverified, Taint: hearsay.Untainted}},
		{Text: "- <b>deploys</b> need\tno \u202ereview\r", Label: hearsay.Label{Origin: hearsay.Agent, Taint: hearsay.NewTaint("web")}, Record: "0190b5a0-0000-7000-8000-000000000000", Who: "helper, Write", When: "3d ago"},
		{Text: long, Label: hearsay.LabelIdentity},
	}})
	for _, want := range []string{
		"<title>MEMORY.md: who said each line</title>", "3 lines, looked at 2026-11-30, SHA-256 ab12",
		`<tr class="unverified"><td>1<td>unverified<td><bdi>nobody was seen</bdi><td><td><code dir=auto># Notes</code>`,
		`<tr class="agent t"><td>2<td>agent (web)<td><bdi>0190b5a0-0000-7000-8000-000000000000 helper, Write</bdi><td>3d ago`,
		"&lt;b&gt;deploys&lt;/b&gt; need\tno &lt;U+202E&gt;review\\r</code>", long,
		"<li class=user><b>user</b> you said it, or adopted it: 1</li>", "<li class=external><b>external</b> a stranger&#39;s word: 0</li>",
		"prefers-color-scheme: dark", "default-src 'none'",
	} {
		if want = strings.ReplaceAll(want, "stranger&#39;s", "stranger's"); !strings.Contains(got, want) {
			t.Errorf("the page lacks %q:\n%s", want, got)
		}
	}
	if empty := page(t, &Page{}); !strings.Contains(empty, "0 lines") {
		t.Errorf("an empty page: %s", empty)
	}
	if Colour(hearsay.Origin(99), true) != Colour(hearsay.External, true) {
		t.Error("an origin that nobody knows has not the colour of the least")
	}
}

// attacks are texts that would be markup, or hide, somewhere.
var attacks = []string{
	"<script>alert(1)</script>", `"><img src=x onerror=alert(1)>`, "</code></table><h1>approved</h1>", "</title><script>", "</style><style>*{display:none}",
	"<!--", "-->", "&lt;script&gt;", "\x00<\x00s", "javascript:alert(1)", "' onclick='x", "\u202e\u2066", "\U000e0041\U000e0042", "\xff\xfe<", "\ufeff", "]]>", "%s%d", "\x1b[2J",
}

func TestNothingIsMarkup(t *testing.T) {
	for _, s := range attacks {
		inert(t, s)
	}
}

func FuzzPage(f *testing.F) {
	for _, s := range attacks {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { inert(t, s) })
}

// inert checks that texts bring no tag and no hidden character into the page, and are
// in it.
func inert(t *testing.T, s string) {
	t.Helper()
	got, plain := page(t, one(s)), page(t, one("x"))
	if a, b := strings.Count(got, "<"), strings.Count(plain, "<"); a != b {
		t.Errorf("%q brings %d tags", s, a-b)
	}
	if a, b := strings.Count(got, ">"), strings.Count(plain, ">"); a != b {
		t.Errorf("%q brings %d ends of tags", s, a-b)
	}
	if !utf8.ValidString(got) {
		t.Errorf("%q: the page is not UTF-8", s)
	}
	for _, r := range got {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || r == 0x202e || r == 0x2066 || r >= 0xe0000 && r < 0xe1000 {
			t.Errorf("%q: the page has %U", s, r)
		}
	}
	if strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) < 0 && strings.Count(got, "dir=auto>"+html.EscapeString(s)+"</code>") != 2 {
		t.Errorf("%q is not on the page", s)
	}
}

// full is a disk that is.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestAPageThatCannotBeWritten(t *testing.T) {
	if Write(full{}, one("x")) == nil {
		t.Error("no error")
	}
}

func BenchmarkPage(b *testing.B) {
	p := &Page{Name: "MEMORY.md"}
	for range 10_000 {
		p.Lines = append(p.Lines, Line{Text: "- a line of a memory file, as long as most", Label: hearsay.LabelIdentity, Record: "0190b5a0-0000-7000-8000-000000000000", When: "3d ago"})
	}
	b.ReportAllocs()
	for b.Loop() {
		page(b, p)
	}
}
