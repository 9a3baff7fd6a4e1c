package term

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// evil is a value whose text attacks the terminal.
type evil struct{ s string }

func (e evil) Error() string { return e.s }

func none(string) string { return "" }

// coloured is a printer as a terminal would have it.
func coloured(w *bytes.Buffer, width int) *Printer {
	p := New(w, none).WithWidth(width)
	p.colour = true
	return p
}

func TestPrintfMakesArgumentsSafe(t *testing.T) {
	const attack = "x\x1b[2K\u202e\n"
	const want = `x\x1b[2K<U+202E>\n`
	for _, arg := range []any{attack, []byte(attack), errors.New(attack), evil{attack}, &evil{attack}, struct{ S string }{attack}, []string{attack},
		map[string]string{attack: attack}, fmt.Errorf("wrapped: %w", evil{attack}), json.RawMessage(attack)} {
		for _, verb := range []string{"%s", "%v", "%+v", "%8s"} {
			var buf bytes.Buffer
			New(&buf, none).Printf("id "+verb+"\n", arg)
			if got := buf.String(); strings.ContainsAny(strings.TrimSuffix(got, "\n"), "\x1b\u202e\n") || !strings.HasSuffix(got, "\n") {
				t.Errorf("%s of %T: %q", verb, arg, got)
			}
			if _, isBytes := arg.(json.RawMessage); verb == "%s" && !isBytes && !strings.Contains(buf.String(), want) {
				t.Errorf("%s of %T: %q lacks %q", verb, arg, buf.String(), want)
			}
		}
	}
	var buf bytes.Buffer
	p := New(&buf, none)
	p.Printf("%d of %03d, %.1f %t %q %5s|%-5s| 100%%\n", 1, 2, 1.25, true, "q", "r", "l")
	if got, want := buf.String(), "1 of 002, 1.2 true \"q\"     r|l    | 100%\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	buf.Reset()
	p.Println(attack)
	if got := buf.String(); got != want+"\n" {
		t.Errorf("Println: %q", got)
	}
}

func TestColours(t *testing.T) {
	var buf bytes.Buffer
	p := coloured(&buf, 80)
	p.Printf("%s|%5s|%v\n", p.Bold("b\x1b[31m"), p.Red("r"), []any{"x\x1b"})
	if got, want := buf.String(), "\x1b[1mb\\x1b[31m\x1b[0m|\x1b[31m    r\x1b[0m|[x\\x1b]\n"; got != want {
		t.Errorf("on a terminal: %q, want %q", got, want)
	}
	buf.Reset()
	p = New(&buf, none)
	p.Printf("%s %s %s %s %s\n", p.Bold("a"), p.Dim("b"), p.Red("c"), p.Green("d"), p.Yellow("e"))
	if got := buf.String(); got != "a b c d e\n" {
		t.Errorf("not on a terminal: %q", got)
	}
	if s := p.Red("\x1b").String(); s != `\x1b` {
		t.Errorf("String() = %q", s)
	}
}

func TestAFileIsNoTerminal(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p := New(f, none)
	p.Printf("%s\n", p.Bold("x"))
	if got, _ := os.ReadFile(f.Name()); string(got) != "x\n" || p.Terminal() {
		t.Errorf("%q, terminal %v", got, p.Terminal())
	}
}

func TestWriteErrorsAreKept(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	w.Close()
	p := New(w, none)
	p.Println("a")
	first := p.Err()
	p.Println("b")
	if first == nil || p.Err() != first {
		t.Errorf("errors %v, %v", first, p.Err())
	}
}

func TestTextIsFramedAndWhole(t *testing.T) {
	var buf bytes.Buffer
	New(&buf, none).WithWidth(24).Text("| ", "first line\nAPPROVED by ana\r\n\x1b[A\n"+strings.Repeat("x", 50)+" tail\n")
	got := buf.String()
	for line := range strings.Lines(got) {
		if !strings.HasPrefix(line, "| ") || Width(strings.TrimSuffix(line, "\n")) > 24 {
			t.Errorf("line %q", line)
		}
	}
	joined := strings.NewReplacer("\n| ", "", "\n", "").Replace(got)
	for _, part := range []string{`APPROVED by ana\r`, `\x1b[A`, strings.Repeat("x", 50) + " tail"} {
		if !strings.Contains(joined, part) {
			t.Errorf("%q is missing in\n%s", part, got)
		}
	}
}

func TestTable(t *testing.T) {
	rows := [][]any{
		{"0198", "web", "short"},
		{1, "日本語", "evil\x1b[2K\nrow"},
		{"x"},
	}
	for width, want := range map[int]string{
		0: "" +
			"ID    SOURCE  TITLE\n" +
			"0198  web     short\n" +
			"1     日本語  evil\\x1b[2K\\nrow\n" +
			"x\n",
		28: "" +
			"ID    SOURCE  TITLE\n" +
			"0198  web     short\n" +
			"1     日本語  evil\\x1b[2K\\nr\n" +
			"              ow\n" +
			"x\n",
	} {
		var buf bytes.Buffer
		New(&buf, none).WithWidth(width).Table([]string{"ID", "SOURCE", "TITLE"}, rows)
		if diff := cmp.Diff(want, buf.String()); diff != "" {
			t.Errorf("width %d: %s", width, diff)
		}
	}
	var buf bytes.Buffer
	p := coloured(&buf, 80)
	p.Table(nil, [][]any{{p.Red("a"), "b"}, {"long", "b"}})
	if got, want := buf.String(), "\x1b[31ma\x1b[0m     b\nlong  b\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	buf.Reset()
	p.Table(nil, nil)
	if buf.Len() > 0 {
		t.Errorf("no rows: %q", buf.String())
	}
}

// The tail of a cell is where an attacker would put what should not be read: it must be on the screen at any width.
func TestTablesHideNothing(t *testing.T) {
	cell := "starts harmless " + strings.Repeat("and goes on ", 20) + "TAIL"
	for _, width := range []int{1, 20, 33, 60, 79, 80, 200, 1000} {
		var buf bytes.Buffer
		New(&buf, none).WithWidth(width).Table([]string{"A", "B"}, [][]any{{cell, cell}, {strings.Repeat("長", 40), "x"}})
		out := buf.String()
		if n := strings.Count(strings.Join(strings.Fields(out), " "), "TAIL"); n != 2 {
			t.Errorf("width %d: %d tails\n%s", width, n, out)
		}
		if n := strings.Count(out, "長"); n != 40 {
			t.Errorf("width %d: %d of 40 wide runes", width, n)
		}
		for line := range strings.Lines(out) {
			if w := Width(strings.TrimSuffix(line, "\n")); w > max(width, minWidth) {
				t.Errorf("width %d: a line of %d", width, w)
			}
		}
	}
}

// The parts of a wrapped line are the line again, with or without one space between any two. A space at a cut can be
// either part's own or the one that was cut at, so every reading is followed.
func FuzzWrap(f *testing.F) {
	f.Add("some words and 日本語 text", 7)
	f.Add("\u0301\u0301", 1)
	f.Add("    0", 1)
	f.Fuzz(func(t *testing.T, s string, columns int) {
		s = Safe(s)
		columns %= 200
		parts := wrap(s, columns)
		ends := map[int]bool{}
		for i, part := range parts {
			if i == 0 {
				ends[len(part)] = strings.HasPrefix(s, part)
				continue
			}
			next := map[int]bool{}
			for end, ok := range ends {
				for _, text := range []string{part, " " + part} {
					if ok && strings.HasPrefix(s[end:], text) {
						next[end+len(text)] = true
					}
				}
			}
			ends = next
		}
		if !ends[len(s)] && !(strings.HasSuffix(s, " ") && ends[len(s)-1]) {
			t.Fatalf("wrap(%q, %d) = %q is not the text", s, columns, parts)
		}
	})
}

func TestWidth(t *testing.T) {
	for s, want := range map[string]int{"": 0, "abc": 3, "é": 1, "e\u0301": 1, "日本": 4, "👍": 2, "می\u200cخ": 3, "ａ": 2} {
		if got := Width(s); got != want {
			t.Errorf("Width(%q) = %d, want %d", s, got, want)
		}
	}
}

func TestExpandTabs(t *testing.T) {
	for in, want := range map[string]string{"a\tb": "a       b", "\t": "        ", "日本語\tx": "日本語  x", "12345678\tx": "12345678        x"} {
		if got := expandTabs(in); got != want {
			t.Errorf("expandTabs(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestJSON(t *testing.T) {
	in := map[string]string{"k": "<b> & \x1b[2K \u009b \x7f \u202e \U000E0053 \u200b é 日本 \xff"}
	var buf bytes.Buffer
	if err := JSON(&buf, in); err != nil {
		t.Fatal(err)
	}
	want := `{"k":"<b> & \u001b[2K \u009b \u007f \u202e \udb40\udc53 \u200b é 日本 \ufffd"}` + "\n"
	if diff := cmp.Diff(want, buf.String()); diff != "" {
		t.Error(diff)
	}
	var back map[string]string
	if err := json.Unmarshal(buf.Bytes(), &back); err != nil || back["k"] != strings.ToValidUTF8(in["k"], "\ufffd") {
		t.Errorf("%+q, %v", back, err)
	}
	if err := JSON(&buf, func() {}); err == nil {
		t.Error("a function was written")
	}
}

func FuzzJSON(f *testing.F) {
	f.Add("a\u202e\U000E0053\x7f")
	f.Fuzz(func(t *testing.T, s string) {
		var buf bytes.Buffer
		if err := JSON(&buf, []string{s}); err != nil {
			t.Fatal(err)
		}
		checkSafe(t, strings.TrimSuffix(buf.String(), "\n"), "")
		var back []string
		if err := json.Unmarshal(buf.Bytes(), &back); err != nil || back[0] != strings.ToValidUTF8(s, "\ufffd") && !strings.Contains(s, "\xff") && back[0] != string([]rune(s)) {
			t.Errorf("%+q became %+q, %v", s, back, err)
		}
	})
}
