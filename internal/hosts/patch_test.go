package hosts

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func body(lines ...string) string {
	return strings.Join(slices.Concat([]string{beginPatch}, lines, []string{endPatch}), "\n")
}

func TestParsePatch(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []Edit
		paths    []string
	}{
		{"add", body("*** Add File: a b/é.md", "+one", "+", "++two"), []Edit{{Path: "a b/é.md", New: "one\n\n+two\n", Whole: true}}, []string{"a b/é.md"}},
		{"add empty", body("*** Add File: a"), []Edit{{Path: "a", Whole: true}}, []string{"a"}},
		{"delete", body("*** Delete File: /etc/x"), []Edit{{Path: "/etc/x", Delete: true}}, []string{"/etc/x"}},
		{"update without a place", body("*** Update File: a", "-x", "+y"), []Edit{{Path: "a", Old: "x\n", New: "y\n"}}, []string{"a"}},
		{"nested places", body("*** Update File: a", "@@ class A", "@@ def f", "+y"), []Edit{{Path: "a", New: "y\n"}}, []string{"a"}},
		{"empty line is context", body("*** Update File: a", "@@", "-x", "", "+y"), []Edit{{Path: "a", Old: "x\n\n", New: "\ny\n"}}, []string{"a"}},
		{"end of file", body("*** Update File: a", "@@", "+y", "*** End of File", "@@", "+z"), []Edit{{Path: "a", New: "y\n"}, {Path: "a", New: "z\n"}}, []string{"a"}},
		{"move", body("*** Update File: a", "*** Move to: MEMORY.md", "@@", "-x"), []Edit{{Path: "a", MoveTo: "MEMORY.md", Old: "x\n"}}, []string{"a", "MEMORY.md"}},
		{"twice", body("*** Delete File: a", "*** Add File: a", "+x"), []Edit{{Path: "a", Delete: true}, {Path: "a", New: "x\n", Whole: true}}, []string{"a"}},
		{"crlf", strings.ReplaceAll(body("*** Add File: a", "+x"), "\n", "\r\n") + "\r\n", []Edit{{Path: "a", New: "x\n", Whole: true}}, []string{"a"}},
		{"environment", body("*** Environment ID: local", "*** Delete File: a"), []Edit{{Path: "a", Delete: true}}, []string{"a"}},
		{"marks as new text", body("*** Add File: a", "+*** End Patch", "+*** Delete File: b"), []Edit{{Path: "a", New: "*** End Patch\n*** Delete File: b\n", Whole: true}}, []string{"a"}},
		{"rules of asterisks", body("*** Update File: a", "@@", " ***", " *** note ***", "+x"), []Edit{{Path: "a", Old: "***\n*** note ***\n", New: "***\n*** note ***\nx\n"}}, []string{"a"}},
		{"blanks around", "\n\n  " + body("*** Delete File: a") + "\n\n", []Edit{{Path: "a", Delete: true}}, []string{"a"}},
	} {
		edits, paths, fault := parsePatch(c.in)
		if fault != "" {
			t.Errorf("%s: %s", c.name, fault)
		}
		if diff := cmp.Diff(c.want, edits); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		if diff := cmp.Diff(c.paths, paths); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestPatchesOfTwoReadings: what some version of Codex would apply otherwise, or not
// at all, is refused.
func TestPatchesOfTwoReadings(t *testing.T) {
	for _, in := range []string{
		"", "x", beginPatch, endPatch, beginPatch + "\n" + endPatch, beginPatch + endPatch,
		"*** begin patch\n*** Delete File: a\n*** End Patch",
		body("*** Delete File: "), body("*** Delete File:  a"), body("*** Delete File: a "), body("*** Delete File:a"),
		body("*** Delete File: a\x00b"), body("*** Delete File: a\tb"), body("*** Delete File: a\u0085"), body("*** Delete File: " + strings.Repeat("a", mostPath+1)),
		body(" *** Delete File: a"), body("*** delete file: a"), body("*** Rename File: a"), body("*** Move to: b"),
		body("*** Delete File: a", "+x"), body("*** Delete File: a", ""), body("*** Add File: a", " x"), body("*** Add File: a", ""),
		body("*** Update File: a"), body("*** Update File: a", "@@"), body("*** Update File: a", "@@", "x"), body("*** Update File: a", "@@", "+x", "y"),
		body("*** Update File: a", "*** End of File"), body("*** Update File: a", "@@", "*** End of File"),
		body("*** Update File: a", "@@", "+x", "*** End of File", "+y"),
		body("*** Update File: a", "*** Move to: b", "*** Move to: c", "@@", "+x"),
		body("*** Update File: a", "@@", " *** Delete File: b", "+x"), body("*** Update File: a", "@@", "+x", "   *** Move to: b"),
		body("*** Update File: a", "@@", "+x", "\u00a0*** Add File: b", "+y"), body("*** Update File: a", "@@", " \u2003*** Add File: b", "+y"),
		body("*** Update File: a", "@@", "+x", " *** End Patch", "+y"), body("*** Update File: a", "@@", "+x", "*** End Patch", "*** Delete File: b"),
		body("*** Begin Patch", "*** Delete File: a"), body("*** Delete File: a", "*** Environment ID: x"), body("*** Environment ID: ", "*** Delete File: a"),
		body("*** Add File: a", "+x\r\r"),
		"<<'EOF'\n" + body("*** Delete File: a") + "\nEOF",
		body("*** Add File: a", "+"+strings.Repeat("x", mostPatch)),
		body(slices.Repeat([]string{"*** Delete File: a"}, mostEdits+1)...),
	} {
		if edits, _, fault := parsePatch(in); fault == "" || edits != nil {
			t.Errorf("%.200q is read as %v", in, edits)
		}
	}
}

// FuzzPatch: no patch names a path that is not a line of it, none touches a path that
// is not listed, and all the text that is added is found in the edits.
func FuzzPatch(f *testing.F) {
	f.Add(body("*** Add File: a", "+x", "*** Update File: b", "*** Move to: c", "@@ f", " k", "-o", "+n", "*** End of File", "*** Delete File: d"))
	f.Add(body("*** Update File: a", "@@", " *** Delete File: b", "+x"))
	f.Add("*** Begin Patch\r\n*** Delete File: a\r\n*** End Patch\r\n")
	f.Fuzz(func(t *testing.T, in string) {
		edits, paths, fault := parsePatch(in)
		if fault != "" {
			if edits != nil || paths != nil {
				t.Fatal("a refused patch has edits")
			}
			return
		}
		added := 0
		for _, e := range edits {
			for _, p := range []string{e.Path, e.MoveTo} {
				if p != "" && !slices.Contains(paths, p) {
					t.Fatalf("%q is not among %q", p, paths)
				}
			}
			for l := range strings.Lines(e.New) {
				if strings.Contains(in, "+"+strings.TrimSuffix(l, "\n")) {
					added++
				}
			}
		}
		for _, p := range paths {
			if !strings.Contains(in, "File: "+p) && !strings.Contains(in, "Move to: "+p) || strings.ContainsAny(p, "\x00\r\n") {
				t.Fatalf("path %q", p)
			}
		}
		lines := 0
		for l := range strings.Lines(in) {
			if strings.HasPrefix(l, "+") {
				lines++
			}
		}
		if added < lines {
			t.Fatalf("%d lines are added, %d are seen", lines, added)
		}
	})
}
