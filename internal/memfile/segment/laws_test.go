package segment

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hearsay-memory/hearsay"
)

// said is a word and who said it; truth is a file of such words, line by line.
type said struct {
	word string
	by   Owner
}

type truth [][]said

func (t truth) String() string {
	var s strings.Builder
	for _, l := range t {
		for i, w := range l {
			if i > 0 {
				s.WriteByte(' ')
			}
			s.WriteString(w.word)
		}
		s.WriteByte('\n')
	}
	return s.String()
}

// label is the join of the owners of a line's words.
func label(line []said) hearsay.Label {
	l := hearsay.LabelIdentity
	for _, w := range line {
		l = l.Join(w.by.Label)
	}
	return l
}

// editor makes random versions and keeps who said which word.
type editor struct {
	r      *rand.Rand
	next   int
	unique bool // it copies no line: every line tells by its words who said it
}

func (e *editor) sentence(by Owner, n int) []said {
	var out []said
	for range n {
		e.next++
		// Words of the language and words that occur once.
		w := fmt.Sprintf("%c%c%c%c", 'a'+e.next%26, 'a'+e.next/26%26, 'a'+e.next/676%26, 'x')
		out = append(out, said{w, by})
	}
	return out
}

// write changes a file a few times, as by. Each line is touched once at most, as a person
// or an agent does it in one save.
func (e *editor) write(t truth, by Owner) truth {
	out := slices.Clone(t)
	touched := map[string]bool{}
	key := func(l []said) string { return fmt.Sprint(l) }
	for range 1 + e.r.IntN(4) {
		if len(out) == 0 {
			out = append(out, e.sentence(by, 1+e.r.IntN(9)))
			continue
		}
		i := e.r.IntN(len(out))
		l := out[i]
		if touched[key(l)] {
			continue
		}
		switch e.r.IntN(9) {
		case 0, 1: // insert
			n := e.sentence(by, 1+e.r.IntN(9))
			touched[key(n)] = true
			out = slices.Insert(out, i, n)
		case 2: // delete
			out = slices.Delete(out, i, i+1)
		case 3: // change one word of at least four
			if len(l) >= 4 {
				n := slices.Clone(l)
				n[e.r.IntN(len(n))] = e.sentence(by, 1)[0]
				touched[key(n)] = true
				out[i] = n
			}
		case 4: // split
			if len(l) >= 2 {
				at := 1 + e.r.IntN(len(l)-1)
				touched[key(l[:at])], touched[key(l[at:])] = true, true
				out = slices.Replace(out, i, i+1, l[:at:at], l[at:])
			}
		case 5: // merge
			if i+1 < len(out) && !touched[key(out[i+1])] {
				n := slices.Concat(l, out[i+1])
				touched[key(n)] = true
				out = slices.Replace(out, i, i+2, n)
			}
		case 6: // wrap anew
			if i+1 < len(out) && !touched[key(out[i+1])] && len(l)+len(out[i+1]) >= 2 {
				n := slices.Concat(l, out[i+1])
				at := 1 + e.r.IntN(len(n)-1)
				touched[key(n[:at])], touched[key(n[at:])] = true, true
				out = slices.Replace(out, i, i+2, n[:at:at], n[at:])
			}
		case 7: // move
			out = slices.Delete(out, i, i+1)
			out = slices.Insert(out, e.r.IntN(len(out)+1), l)
		case 8: // copy: the copy is said by whoever copies
			if e.unique {
				continue
			}
			n := slices.Clone(l)
			for w := range n {
				n[w].by = by
			}
			touched[key(n)] = true
			out = slices.Insert(out, e.r.IntN(len(out)+1), n)
		}
	}
	return out
}

// supply counts, by text, the lines that are at least as trusted as a label.
func supply(f File, text string, least hearsay.Label) map[string]int {
	out := map[string]int{}
	lines := strings.SplitAfter(strings.TrimPrefix(text, bom), "\n")
	for r, o := range f.All() {
		for i := r.From; i < r.To; i++ {
			if least.Below(o.Label) {
				l := strings.TrimSuffix(lines[i], "\n")
				if l != lines[i] {
					l = strings.TrimSuffix(l, "\r")
				}
				out[l]++
			}
		}
	}
	return out
}

// No line is ever above the join of those whose words it has, after any writes by anyone.
func TestLawLabelNeverRises(t *testing.T) {
	for seed := range uint64(3000) {
		e := &editor{r: rand.New(rand.NewPCG(seed, 7)), unique: true}
		f, have := New(nil, Owner{}), truth{}
		for step := range 12 {
			by := writers[e.r.IntN(len(writers))]
			want := e.write(have, by)
			write := File.Apply
			if e.r.IntN(4) == 0 {
				write = File.Drift
			}
			g, changes, err := write(f, []byte(have.String()), []byte(want.String()), by)
			if err != nil || g.Fits([]byte(want.String())) != nil {
				t.Fatalf("seed %d, step %d: %v", seed, step, err)
			}
			for i, l := range want {
				if got := g.At(i).Label; !got.Below(label(l)) {
					t.Fatalf("seed %d, step %d by %s: line %d %v is %s, not %s\n%s---\n%s---\n%s%s",
						seed, step, by.Label, i, truth{l}, got, label(l), have, want, show(g), brief(changes))
				}
			}
			f, have = g, want
		}
	}
}

// Whoever writes, no more lines of one text are as trusted as a label than were before,
// unless the writer is that trusted.
func TestLawNothingMultiplies(t *testing.T) {
	words := strings.Fields("use port 8443 for staging always never the a and\nnot\n\n--- Use PORT")
	random := func(r *rand.Rand) string {
		var s strings.Builder
		for range r.IntN(14) {
			for range r.IntN(4) {
				s.WriteString(words[r.IntN(len(words))] + []string{" ", "", ", "}[r.IntN(3)])
			}
			s.WriteString([]string{"\n", "\r\n", "\n\n"}[r.IntN(3)])
		}
		return s.String()
	}
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 8))
		f, text := New(nil, Owner{}), ""
		for range 8 {
			by, next := writers[r.IntN(len(writers))], random(r)
			g, _, err := f.Apply([]byte(text), []byte(next), by)
			if err != nil || g.Fits([]byte(next)) != nil {
				t.Fatal(seed, err)
			}
			for _, o := range writers {
				if o.Label.Below(by.Label) {
					continue
				}
				before := supply(f, text, o.Label)
				for line, n := range supply(g, next, o.Label) {
					if n > before[line] {
						t.Fatalf("seed %d: %q by %s: %d lines are at least %s, of %d\n%q\n%s%q\n%s", seed, line, by.Label, n, o.Label, before[line], text, show(f), next, show(g))
					}
				}
			}
			f, text = g, next
		}
	}
}

// Going from A to B and back raises no line of words above what it was, unless the user
// said the same in between.
func TestLawBackAndForth(t *testing.T) {
	for seed := range uint64(3000) {
		e := &editor{r: rand.New(rand.NewPCG(seed, 9))}
		f, have := New(nil, Owner{}), truth{}
		for range 6 {
			by := writers[e.r.IntN(len(writers))]
			want := e.write(have, by)
			f, _, _ = f.Apply([]byte(have.String()), []byte(want.String()), by)
			have = want
		}
		one, two := writers[e.r.IntN(len(writers))], writers[e.r.IntN(len(writers))]
		e.unique = one == ana // what the user says again is the user's
		other := e.write(e.write(have, web), ana)
		g, _, _ := f.Apply([]byte(have.String()), []byte(other.String()), one)
		h, _, err := g.Apply([]byte(other.String()), []byte(have.String()), two)
		if err != nil {
			t.Fatal(err)
		}
		lines, times := strings.SplitAfter(have.String(), "\n"), map[string]int{}
		for _, l := range lines {
			times[l]++
		}
		for i := range have {
			if h.At(i).Label.Below(f.At(i).Label) {
				continue
			}
			// Lines that read the same may have changed places.
			if times[lines[i]] > 1 {
				continue
			}
			t.Fatalf("seed %d: line %d was %s and is %s\n%s---\n%s", seed, i, f.At(i).Label, h.At(i).Label, have, other)
		}
	}
}

// What a write does not touch keeps its record, its label and its mark.
func TestLawUntouchedLinesKeepTheirRecord(t *testing.T) {
	for seed := range uint64(2000) {
		e := &editor{r: rand.New(rand.NewPCG(seed, 10))}
		var have truth
		f := New(nil, Owner{})
		for range 5 {
			by := writers[e.r.IntN(len(writers))]
			want := append(slices.Clone(have), e.sentence(by, 6))
			f, _, _ = f.Apply([]byte(have.String()), []byte(want.String()), by)
			have = want
		}
		at := e.r.IntN(len(have) + 1)
		want := slices.Insert(slices.Clone(have), at, e.sentence(web, 5), e.sentence(web, 5))
		g, _, _ := f.Apply([]byte(have.String()), []byte(want.String()), web)
		for i := range have {
			j := i
			if i >= at {
				j += 2
			}
			if g.At(j) != f.At(i) {
				t.Fatalf("seed %d: line %d\n%s%s", seed, i, show(f), show(g))
			}
		}
		same, changes, err := g.Apply([]byte(want.String()), []byte(want.String()), ana)
		if err != nil || changes != nil || cmp.Diff(g, same, cmp.AllowUnexported(File{}, run{}, ghosts{}, ghost{}, hearsay.Taint{})) != "" {
			t.Fatal("identical bytes change something")
		}
	}
}

// Keeping all gives what is there, keeping none what was, and every line after is in what
// was restored or in what was removed.
func TestLawInverse(t *testing.T) {
	for seed := range uint64(3000) {
		e := &editor{r: rand.New(rand.NewPCG(seed, 11))}
		a := e.write(e.write(e.write(truth{}, ana), agent), web)
		b := e.write(e.write(a, ana), web)
		before, after := []byte(a.String()), []byte(b.String())
		if e.r.IntN(4) == 0 {
			after = []byte(strings.ReplaceAll(string(after), "\n", "\r\n"))
		}
		if e.r.IntN(4) == 0 {
			before = []byte(bom + strings.TrimSuffix(string(before), "\n"))
		}
		if r, h := Inverse(before, after, func(Change) bool { return true }); string(r) != string(after) || h != nil {
			t.Fatalf("seed %d: keeping all:\n%q\n%q", seed, after, r)
		}
		if r, _ := Inverse(before, after, func(Change) bool { return false }); string(r) != string(before) {
			t.Fatalf("seed %d: keeping none:\n%q\n%q\n%q", seed, before, after, r)
		}
		restored, removed := Inverse(before, after, func(Change) bool { return e.r.IntN(2) == 0 })
		left := map[string]int{}
		for l := range strings.SplitSeq(strings.ReplaceAll(string(restored), bom, ""), "\n") {
			left[strings.TrimSuffix(l, "\r")]++
		}
		lines, at := strings.SplitAfter(string(after), "\n"), 0
		for _, h := range removed {
			if h.At.From < at || h.At.Len() > 0 && strings.Join(lines[h.At.From:h.At.To], "") != string(h.Removed) {
				t.Fatalf("seed %d: hunk %v is not what it names:\n%q", seed, h, after)
			}
			for i := at; i < h.At.From; i++ {
				left[strings.TrimRight(lines[i], "\r\n")]--
			}
			at = h.At.To
		}
		for l, n := range left {
			if n < 0 {
				t.Fatalf("seed %d: %q is lost", seed, l)
			}
		}
	}
}
