package memfile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/internal/memfile/segment"
)

func TestLoss(t *testing.T) {
	record := hearsay.RecordID{6: 0x70, 8: 0x80, 15: 1}
	agent := segment.Owner{Record: record, Label: hearsay.Label{Origin: hearsay.Agent, Taint: hearsay.Untainted}}
	hand := segment.Owner{Label: hearsay.Label{Origin: hearsay.Unverified, Taint: hearsay.Untainted}}
	user := segment.Owner{Record: record, Label: hearsay.LabelIdentity}
	lines := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "- fact %d concerns topic%d and person%d\n", i, i, i)
		}
		return b.String()
	}
	cut := func(text string, from, to int) string {
		all := strings.SplitAfter(text, "\n")
		return strings.Join(all[:from], "") + strings.Join(all[to:], "")
	}
	for name, tt := range map[string]struct {
		owners       []segment.Owner // of the first lines; the rest is by hand
		lines        int
		after        func(string) string
		whole, edits bool // held as such
	}{
		"nothing is dropped":        {nil, 30, func(s string) string { return s + "more of it\n" }, false, false},
		"nine of nine by hand":      {nil, 9, func(string) string { return "" }, false, false},
		"ten of ten by hand":        {nil, 10, func(string) string { return "" }, true, true},
		"ten of thirty":             {nil, 30, func(s string) string { return cut(s, 5, 15) }, false, false},
		"sixteen of thirty":         {nil, 30, func(s string) string { return cut(s, 5, 21) }, true, true},
		"an adopted one":            {[]segment.Owner{user}, 30, func(s string) string { return cut(s, 0, 1) }, true, false},
		"an agent's one":            {[]segment.Owner{agent}, 30, func(s string) string { return cut(s, 0, 1) }, false, false},
		"a placeholder":             {[]segment.Owner{agent, agent}, 2, func(s string) string { return cut(s, 0, 1) + "[rest unchanged]\n" }, true, true},
		"a placeholder, all kept":   {nil, 20, func(s string) string { return s + "[rest unchanged]\n" }, false, false},
		"one that stood, one drops": {nil, 2, func(s string) string { return cut(s, 0, 1) }, false, false},
	} {
		before := lines(tt.lines)
		owners := tt.owners
		for len(owners) < tt.lines {
			owners = append(owners, hand)
		}
		f := segment.New([]byte(before), hand).Whose(owners)
		loss := memfile.LossOf(f, []byte(before), []byte(tt.after(before)))
		if loss.Holds(true) != tt.whole || loss.Holds(false) != tt.edits {
			t.Errorf("%s: %+v is held %v and %v, want %v and %v", name, loss, loss.Holds(true), loss.Holds(false), tt.whole, tt.edits)
		}
	}
}

func TestReceipt(t *testing.T) {
	const was = "# Notes\n- one\n"
	at := func(text string) func(string) ([]byte, error) {
		return func(string) ([]byte, error) {
			if text == "(none)" {
				return nil, nil
			}
			return []byte(text), nil
		}
	}
	whole := memfile.Edit{Path: "/m", New: was + "- two\n", Whole: true}
	edit := memfile.Edit{Path: "/m", Old: "- one", New: "- one\n- two"}
	out := memfile.Edit{Path: "/m", Old: "- one\n"}
	gone := memfile.Edit{Path: "/m", Delete: true}
	for _, tt := range []struct {
		what        string
		edit        memfile.Edit
		before, now string
		want        hearsay.Delivery
	}{
		{"a whole file", whole, was, was + "- two\n", hearsay.Applied},
		{"and more", whole, was, was + "- two\n- three\n", hearsay.Applied},
		{"nothing", whole, was, was, hearsay.Failed},
		{"cut short", whole, was, "# Not", hearsay.UnknownDelivery},
		{"recorded by another", whole, was + "- two\n", was + "- two\n", hearsay.Applied},
		{"an edit", edit, was, was + "- two\n", hearsay.Applied},
		{"an edit, nothing", edit, was, was, hearsay.Failed},
		{"an edit, recorded by another", edit, was + "- two\n", was + "- two\n", hearsay.Applied},
		{"an edit of a file that is gone", edit, was, "(none)", hearsay.UnknownDelivery},
		{"taken out", out, was, "# Notes\n", hearsay.Applied},
		{"not taken out", out, was, was, hearsay.Failed},
		{"deleted", gone, was, "(none)", hearsay.Applied},
		{"not deleted", gone, was, was, hearsay.Failed},
		{"the same again", memfile.Edit{Path: "/m", New: was, Whole: true}, was, was, hearsay.Applied},
		{"a cell", memfile.Edit{Path: "/m", New: "x", Cell: "1"}, was, was + " ", hearsay.Applied},
		{"a cell, nothing", memfile.Edit{Path: "/m", New: "x", Cell: "1"}, was, was, hearsay.Failed},
	} {
		call := memfile.Call{Edits: []memfile.Edit{tt.edit}, Base: map[string]string{"/m": memfile.Sum([]byte(was))}}
		got, err := call.Receipt(at(tt.before), at(tt.now))
		if err != nil || got != tt.want {
			t.Errorf("%s: %s, %v, want %s", tt.what, got, err, tt.want)
		}
	}
}
