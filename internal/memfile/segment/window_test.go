package segment

import (
	"bytes"
	"crypto/sha256"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// everything is the window of two versions that leaves out nothing.
func everything(before, after []byte) window {
	b, a := newSide(before), newSide(after)
	return window{b: b.cut(0), a: a.cut(0)}
}

// sameAsWhole compares a change found in its window with the one that a comparison of all
// lines finds: who owns what, what is said to have happened, and what taking back a part of
// it leaves.
func sameAsWhole(t testing.TB, f File, before, after []byte, by Owner) {
	t.Helper()
	if bytes.Equal(before, after) {
		return
	}
	sum := sha256.Sum256(after)
	fast, slow := f.compare(before, after, by), f.compareIn(everything(before, after), before, by)
	g, h := fast.file(sum), slow.file(sum)
	if show(g) != show(h) || g.front != h.front || g.ghosts.bits != h.ghosts.bits || !slices.Equal(g.ghosts.list, h.ghosts.list) {
		t.Fatalf("%q to %q: in the window\n%s, and over all\n%s", before, after, show(g), show(h))
	}
	if c, d := fast.changes(g), slow.changes(h); !slices.Equal(c, d) {
		t.Fatalf("%q to %q: in the window\n%s, and over all\n%s", before, after, brief(c), brief(d))
	}
	for i := range 4 {
		keep := func(c Change) bool { return (c.Before.From+int(c.Kind))%4 < i }
		fast, slow := f.compare(before, after, Owner{}), f.compareIn(everything(before, after), before, Owner{})
		got, hunks := fast.inverse(keep)
		want, wanted := slow.inverse(keep)
		same := func(a, b Hunk) bool {
			return a.At == b.At && bytes.Equal(a.Removed, b.Removed) && bytes.Equal(a.Put, b.Put)
		}
		if !bytes.Equal(got, want) || !slices.EqualFunc(hunks, wanted, same) {
			t.Fatalf("%q to %q: the window leaves %q, and all %q\n%+v\n%+v", before, after, got, want, hunks, wanted)
		}
	}
}

// touch changes a text that has few different lines, so that what is the same above and
// below can be told in more ways than one.
func touch(r *rand.Rand, text string) string {
	lines := strings.SplitAfter(text, "\n")
	ends := []string{"\n", "\n", "\n", "\r\n", ""}
	some := []string{"a", "b", "use port 8443 for staging", "never push to main", "---", "", "modified: 2026-11-30", "modified: 2026-11-29T00:00:00Z", bom, "\r"}
	for range 1 + r.IntN(3) {
		i := r.IntN(len(lines))
		switch r.IntN(7) {
		case 0, 1:
			lines = slices.Insert(lines, i, some[r.IntN(len(some))]+ends[r.IntN(len(ends))])
		case 2:
			if len(lines) > 1 {
				lines = slices.Delete(lines, i, i+1)
			}
		case 3:
			lines[i] = some[r.IntN(len(some))] + ends[r.IntN(len(ends))]
		case 4:
			lines[i] = strings.TrimRight(lines[i], "\r\n") + ends[r.IntN(len(ends))]
		case 5:
			l := lines[i]
			lines = slices.Delete(lines, i, i+1)
			lines = slices.Insert(lines, r.IntN(len(lines)+1), l)
		case 6:
			switch r.IntN(6) {
			case 0:
				return strings.ReplaceAll(strings.Join(lines, ""), "\r\n", "\n")
			case 1:
				return bom + strings.Join(lines, "")
			case 2:
				return strings.TrimPrefix(strings.Join(lines, ""), bom)
			case 3:
				return "---\nmodified: 2026-11-28\nname: x\n---\n" + strings.Join(lines, "")
			}
		}
	}
	return strings.Join(lines, "")
}

func TestWindowFindsWhatAllFinds(t *testing.T) {
	for seed := range uint64(800) {
		r := rand.New(rand.NewPCG(seed, 14))
		text := ""
		if seed%3 == 0 {
			text = "---\nname: x\nmodified: 2026-11-30\n---\na\nb\na\nb\n"
		}
		f := New([]byte(text), ana)
		for range 12 {
			by, next := writers[r.IntN(len(writers))], touch(r, text)
			sameAsWhole(t, f, []byte(text), []byte(next), by)
			g, _, err := f.Apply([]byte(text), []byte(next), by)
			if err != nil || g.Fits([]byte(next)) != nil {
				t.Fatal(seed, err)
			}
			f, text = g, next
		}
	}
	for seed := range uint64(300) {
		e := &editor{r: rand.New(rand.NewPCG(seed, 15))}
		f, have := New(nil, Owner{}), truth{}
		for range 12 {
			by := writers[e.r.IntN(len(writers))]
			want := e.write(have, by)
			sameAsWhole(t, f, []byte(have.String()), []byte(want.String()), by)
			g, _, err := f.Apply([]byte(have.String()), []byte(want.String()), by)
			if err != nil {
				t.Fatal(seed, err)
			}
			f, have = g, want
		}
	}
}

// One edit in a long file compares its line alone, whatever the host stamps.
func TestWindowIsSmall(t *testing.T) {
	long := strings.Repeat("use port 8443 for staging\n", 1000) + "here\n" + strings.Repeat("never push to main\n", 1000)
	edited := strings.Replace(long, "here\n", "there\n", 1)
	stamped := "---\nname: x\nmodified: 2026-11-30\n---\n"
	later := strings.Replace(stamped, "30", "29", 1)
	for name, c := range map[string]struct {
		before, after string
		top, b, a     int
	}{
		"an edit":                  {long, edited, 1000, 1, 1},
		"with a mark":              {bom + long, bom + edited, 1000, 1, 1},
		"with front matter":        {stamped + long, stamped + edited, 1004, 1, 1},
		"with CRLF":                {strings.ReplaceAll(long, "\n", "\r\n"), strings.ReplaceAll(edited, "\n", "\r\n"), 1000, 1, 1},
		"with a newer stamp":       {stamped + long, later + edited, 1004, 1, 1},
		"a newer stamp alone":      {stamped + long, later + long, 2005, 0, 0},
		"an edit of front matter":  {stamped + long, strings.Replace(stamped, "x", "y", 1) + long, 1, 4, 4},
		"an insertion":             {long, strings.Replace(long, "here\n", "here\nthere\n", 1), 1001, 1, 2},
		"a deletion":               {long, strings.Replace(long, "here\n", "", 1), 1000, 2, 1},
		"an appended line":         {long, long + "more\n", 2001, 0, 1},
		"without a final line end": {long, strings.TrimSuffix(long, "\n"), 2000, 1, 1},
	} {
		w := differing([]byte(c.before), []byte(c.after))
		if w.top != c.top || len(w.b.lines) != c.b || len(w.a.lines) != c.a {
			t.Errorf("%s: %d lines above %d and %d, want %d, %d and %d", name, w.top, len(w.b.lines), len(w.a.lines), c.top, c.b, c.a)
		}
	}
}

func TestCommonEnds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 16))
	for range 2000 {
		same := bytes.Repeat([]byte{'x'}, r.IntN(9000))
		b, a := bytes.Clone(same), bytes.Clone(same)
		b, a = append(b, 'b'), append(a, 'a')
		if n := commonPrefix(b, a); n != len(same) {
			t.Fatal(n, len(same))
		}
		slices.Reverse(b)
		slices.Reverse(a)
		if n := commonSuffix(b, a); n != len(same) {
			t.Fatal(n, len(same))
		}
		if n, m := commonPrefix(same, same), commonSuffix(same, append(same, same...)); n != len(same) || m != len(same) {
			t.Fatal(n, m, len(same))
		}
	}
}
