package recall

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay"
)

// rows returns the rows of the table in docs/memory.md whose head begins with head.
func rows(t *testing.T, head string) map[string][]string {
	t.Helper()
	page, err := os.ReadFile("../docs/memory.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(page), "\n| "+head+" |")
	if !ok {
		t.Fatalf("docs/memory.md has no table of %s", head)
	}
	table, _, _ = strings.Cut(table, "\n\n")
	out := make(map[string][]string)
	for _, line := range strings.Split(table, "\n")[2:] {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		out[strings.Trim(cells[0], "`")] = cells[1:]
	}
	return out
}

// number reads ".85", "+.10", "−.10" and "×.995".
func number(t *testing.T, s string) float64 {
	t.Helper()
	s = strings.TrimPrefix(strings.Replace(s, "−", "-", 1), "×")
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// The tables of docs/memory.md are those of the code.
func TestDocs(t *testing.T) {
	kinds := rows(t, "kind")
	for k := range Kind(len(kindNames)) {
		row := kinds[k.String()]
		if len(row) != 2 || number(t, row[0]) != curves[k].Strength || number(t, row[1]) != curves[k].Rate {
			t.Errorf("%v: the page has %v, the table %+v", k, row, curves[k])
		}
	}
	forms := rows(t, "form")
	for f := range Form(len(formNames)) {
		row, base, got := forms[f.String()], Learning.Curve(Semantic), Learning.Curve(f)
		if len(row) != 2 || math.Abs(base.Strength+number(t, row[0])-got.Strength) > 1e-12 || math.Abs(base.Rate*number(t, row[1])-got.Rate) > 1e-12 {
			t.Errorf("%v: the page has %v, the code %+v from %+v", f, row, got, base)
		}
	}
	origins := rows(t, "origin")
	for o, c := range hearsay.DefaultCeilings() {
		row := origins[hearsay.Origin(o).String()]
		got := make([]float64, 0, 4)
		for _, cell := range row[:4] {
			got = append(got, number(t, cell))
		}
		if fmt.Sprint(got) != fmt.Sprint([]float64{c.Salience, c.Confidence, c.Decay, c.Recall}) || (row[4] == "yes") != c.Entrench {
			t.Errorf("%v: the page has %v, the table %+v", hearsay.Origin(o), row, c)
		}
	}
	terms := rows(t, "term")
	for _, p := range (Terms{}).Parts() {
		if row := terms[p.Term]; len(row) != 2 || number(t, row[0]) != p.Weight {
			t.Errorf("%s: the page has %v, the table %v", p.Term, row, p.Weight)
		}
	}
	reasons := rows(t, "reason")
	for _, name := range reasonNames {
		if len(reasons[name]) != 1 {
			t.Errorf("the page does not say what %s is", name)
		}
	}
	if len(kinds) != len(kindNames) || len(forms) != len(formNames) || len(terms) != 6 || len(reasons) != len(reasonNames) {
		t.Error("a table of the page has a row too many")
	}
}
