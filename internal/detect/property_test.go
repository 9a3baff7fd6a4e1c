package detect

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hearsay-memory/hearsay"
)

// world makes memories as they come: some alike, some of one session or tag, of each voice.
func world(r *rand.Rand, n int) []Memory {
	var a author
	labels := []hearsay.Label{web, tool, agent, user, {}, {Origin: hearsay.Agent, Taint: hearsay.NewTaint("mcp:x")}, {Origin: hearsay.Channel, Taint: hearsay.Untainted}}
	shared := []string{poison, filler(r, 20), filler(r, 30)}
	var ms []Memory
	for range n {
		m := a.write(labels[r.IntN(len(labels))], start+r.Int64N(60)*Day+r.Int64N(Day))
		if r.IntN(3) == 0 {
			m.Text = shared[r.IntN(len(shared))] + " " + m.Text
		}
		for range r.IntN(4) {
			m.Tags = append(m.Tags, fmt.Sprint("tag", r.IntN(12)))
		}
		if r.IntN(4) == 0 {
			m.Session = "long"
		}
		if len(ms) > 0 && r.IntN(5) == 0 {
			m.Parents = append(m.Parents, ms[r.IntN(len(ms))].ID)
		}
		m.Recalls, m.Held, m.Vetted = r.IntN(8), r.IntN(6) == 0, r.IntN(6) == 0
		m.Pinned, m.Higher = m.Label == user && r.IntN(2) == 0, r.IntN(9) == 0
		ms = append(ms, m)
	}
	return ms
}

func eachWorld(t *testing.T, f func(t *testing.T, r *rand.Rand, ms []Memory)) {
	for i := range 60 {
		r := rand.New(rand.NewPCG(uint64(i), 3))
		f(t, r, world(r, r.IntN(160)))
		if t.Failed() {
			t.Fatalf("in world %d", i)
		}
	}
}

func TestOrderMakesNoDifference(t *testing.T) {
	eachWorld(t, func(t *testing.T, r *rand.Rand, ms []Memory) {
		want := find(ms...)
		mixed := slices.Clone(ms)
		r.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
		mixed = append(mixed, mixed[:len(mixed)/3]...) // and twice is as good as once
		if diff := cmp.Diff(want, find(mixed...)); diff != "" {
			t.Errorf("shuffled (-want +got):\n%s", diff)
		}
	})
}

func TestUserAloneIsNeverFound(t *testing.T) {
	eachWorld(t, func(t *testing.T, r *rand.Rand, ms []Memory) {
		for i := range ms {
			ms[i].Label, ms[i].Held = user, false
		}
		if found := find(ms...); len(found) != 0 {
			t.Errorf("found %v", rulesOf(found))
		}
	})
}

// What is found of records of low trust is the same, but for counts of what is held, with
// any trusted memories beside them.
func TestTrustedHideNothing(t *testing.T) {
	eachWorld(t, func(t *testing.T, r *rand.Rand, ms []Memory) {
		low := slices.DeleteFunc(slices.Clone(ms), func(m Memory) bool { return !m.low() })
		with := make(map[string]Finding)
		for _, f := range find(ms...) {
			with[f.Key] = f
		}
		for _, f := range find(low...) {
			if f.Rule == RuleReview || f.Rule == RuleActor {
				continue // they are of trusted records too, and begin where those do
			}
			if diff := cmp.Diff(f, with[f.Key]); diff != "" {
				t.Errorf("beside trusted memories (-without +with):\n%s", diff)
			}
		}
	})
}

// More of low trust hides nobody who was found.
func TestMoreHidesNobody(t *testing.T) {
	eachWorld(t, func(t *testing.T, r *rand.Rand, ms []Memory) {
		if len(ms) < 2 {
			return
		}
		// What is later cannot be in the way; what is earlier can become the first of a group.
		half := ms[:len(ms)/2]
		before, after := find(half...), find(ms...)
		for i := range half {
			if m := &half[i]; covers(before, m) && !covers(after, m) {
				t.Errorf("record %s was found by %v and is not by %v", m.ID, rulesOf(before), rulesOf(after))
			}
		}
	})
}

func TestNothingTrustedIsQuarantined(t *testing.T) {
	eachWorld(t, func(t *testing.T, r *rand.Rand, ms []Memory) {
		take, left := Plan(find(ms...), ms)
		if len(take) > MaxApplied {
			t.Errorf("takes %d", len(take))
		}
		if left[LeftMost] > 0 && len(take) < MaxApplied {
			t.Errorf("takes %d and leaves %d for their number", len(take), left[LeftMost])
		}
		for _, q := range take {
			m := ms[slices.IndexFunc(ms, func(m Memory) bool { return m.ID == q.Record })]
			if m.Label.Trusted() || m.Vetted || m.Pinned || m.Held {
				t.Errorf("takes %+v", m)
			}
		}
	})
}

// Findings have no word of a memory: not of its text, its tags, its source or its session.
func TestFindingsHaveNoWords(t *testing.T) {
	eachWorld(t, func(t *testing.T, r *rand.Rand, ms []Memory) {
		for i := range ms {
			ms[i].Session = "secretsession"
			ms[i].Tags = append(ms[i].Tags, "secrettag", "secretother")
			ms[i].Source = hearsay.Source{Type: "web", Ref: "https://secret.invalid", Actor: "secretactor"}
		}
		for _, f := range find(ms...) {
			if s := fmt.Sprintf("%+v", f); strings.Contains(s, "secret") || strings.Contains(s, "EvilPool") {
				t.Errorf("finding says %s", s)
			}
		}
	})
}

// An attacker who knows the lines and varies what he can.
func TestAttackerWhoVaries(t *testing.T) {
	homoglyphs := strings.NewReplacer("a", "а", "e", "е", "o", "о", "s", "ѕ", "i", "\u200bі")
	for _, c := range []struct {
		name  string
		n     int
		every int64
		say   func(r *rand.Rand, i int) string
		tag   func(r *rand.Rand, i int) []string
	}{
		{name: "pads each copy with words of its own, one a month", n: 3, every: 31 * Day,
			say: func(r *rand.Rand, i int) string { return filler(r, 400) + poison + " " + filler(r, 300) }},
		{name: "pads with a few fillers in turn", n: 12, every: 31 * Day,
			say: func(r *rand.Rand, i int) string {
				s := rand.New(rand.NewPCG(1, uint64(i%4)))
				return filler(s, 60) + poison + " " + filler(r, 60)
			}},
		{name: "writes it in look-alikes", n: 3, every: 31 * Day,
			say: func(r *rand.Rand, i int) string {
				if i%2 == 0 {
					return poison
				}
				return homoglyphs.Replace(poison)
			}},
		{name: "puts marks between letters", n: 3, every: 31 * Day,
			say: func(r *rand.Rand, i int) string {
				return strings.Join(strings.Split(poison, ""), []string{"", ".", " \u00ad"}[i])
			}},
		{name: "hides the tags among others", n: 4, every: 31 * Day,
			say: func(r *rand.Rand, i int) string { return filler(r, 30) },
			tag: func(r *rand.Rand, i int) []string {
				out := []string{"db", "pool"}
				for k := range 30 {
					out = append(out, fmt.Sprint("noise", i, k))
				}
				r.Shuffle(len(out), func(a, b int) { out[a], out[b] = out[b], out[a] })
				return out
			}},
		{name: "shares each pair of tags with one other only, but one tag with all", n: 5, every: 7 * Day,
			say: func(r *rand.Rand, i int) string { return filler(r, 30) },
			tag: func(r *rand.Rand, i int) []string { return []string{"pool", fmt.Sprint("t", i/2)} }},
		{name: "varies everything, at a rate", n: 15, every: 2 * Day,
			say: func(r *rand.Rand, i int) string { return filler(r, 30) }},
		{name: "four a day, for a week", n: 28, every: Day / 4,
			say: func(r *rand.Rand, i int) string { return filler(r, 30) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			var a author
			r := rand.New(rand.NewPCG(5, 5))
			var ms []Memory
			for i := range c.n {
				m := a.write(web, start+int64(i)*c.every)
				m.Text = c.say(r, i)
				if c.tag != nil {
					m.Tags = c.tag(r, i)
				}
				ms = append(ms, m)
			}
			// Honest memories stand around them, trusted and not.
			for i := range 200 {
				ms = append(ms, a.write([]hearsay.Label{user, agent}[i%2], start+int64(i)*Day/2, tags("db", "pool", "go")))
			}
			found := find(ms...)
			for i := range c.n {
				if !covers(found, &ms[i]) {
					t.Errorf("memory %d of %d is in no finding of %v", i, c.n, rulesOf(found))
				}
			}
		})
	}
}

// Copies meet although decoys, each with a part of the text, come before each of them.
func TestDecoysBetweenCopies(t *testing.T) {
	var a author
	r := rand.New(rand.NewPCG(8, 8))
	lie := filler(r, 12)
	var ms []Memory
	var copies []int
	for i := range 6 {
		for k := range leaders {
			part := lie[k*len(lie)/leaders : (k+1)*len(lie)/leaders]
			ms = append(ms, a.write(web, start+int64(len(ms))*60*Day, text(filler(r, 20)+part+filler(r, 20))))
		}
		copies = append(copies, len(ms))
		ms = append(ms, a.write(web, start+int64(len(ms))*60*Day, text(filler(r, 30)+lie+filler(r, 30)+fmt.Sprint(i))))
	}
	found := find(ms...)
	for _, i := range copies {
		if !covers(found, &ms[i]) {
			t.Errorf("copy %d is in no finding of %v", i, rulesOf(found))
		}
	}
}

// Beyond the bound of pairs one shared tag counts for two.
func TestManyTagsAreFoundSooner(t *testing.T) {
	var a author
	var ms []Memory
	for i := range 10_000 {
		m := a.write(web, start+int64(i)*60*Day)
		m.Text = ""
		for k := range 32 {
			m.Tags = append(m.Tags, fmt.Sprint("tag", (i/8+k*7)%2000))
		}
		ms = append(ms, m)
	}
	found := find(ms...)
	if len(found) == 0 {
		t.Fatal("nothing is found")
	}
	for i := range ms {
		if !covers(found, &ms[i]) {
			t.Fatalf("memory %d is in no finding", i)
		}
	}
}

func TestClusters(t *testing.T) {
	label := func(l hearsay.Label, s string) Text { return Text{l, s} }
	long := filler(rand.New(rand.NewPCG(3, 3)), 60)
	got := Clusters([]Text{
		label(agent, "Backups run at 02:00 on host b, and the report goes to the team"), // 0
		label(agent, "backups run at 02:00 on host b — and the report goes to the team!"),
		label(user, "Backups run at 02:00 on host b, and the report goes to the team"),
		label(agent, "Backups run at 03:00 on host b, and the report goes to the team"), // 3: another number
		label(agent, "Use port 8443"), label(agent, "Use port 8444"), label(agent, "use port 8443."),
		label(web, long), label(web, long+"x"), label(tool, long), // 7
		label(web, ""), label(web, ""), label(web, "…"),
		label(agent, "Backups run at ٠٢:٠٠ on host b, and the report goes to the team"),
	}, .8, 1)
	if diff := cmp.Diff([][]int{{0, 1}, {4, 6}, {7, 8}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := Clusters(nil, .9, 1); len(got) != 0 {
		t.Errorf("of nothing: %v", got)
	}
}

// Clusters never mix labels, and every member is alike the first.
func TestClustersNeverMix(t *testing.T) {
	eachWorld(t, func(t *testing.T, r *rand.Rand, ms []Memory) {
		var texts []Text
		for _, m := range ms {
			texts = append(texts, Text{m.Label, strings.TrimPrefix(m.Text, poison)[:20]}, Text{m.Label, m.Text})
		}
		alike := []float64{0, .5, .9, 1, 2, -1}[r.IntN(6)]
		seen := make(map[int]bool)
		for _, c := range Clusters(texts, alike, r.Uint64()) {
			if len(c) < 2 || !slices.IsSorted(c) {
				t.Errorf("cluster %v", c)
			}
			for _, i := range c {
				if texts[i].Label != texts[c[0]].Label || seen[i] {
					t.Errorf("cluster %v mixes %v and %v, or has one twice", c, texts[i].Label, texts[c[0]].Label)
				}
				seen[i] = true
			}
		}
	})
}

func FuzzFind(f *testing.F) {
	f.Add("a lie", "another", "tag", int64(5), uint64(1), uint8(0))
	f.Add("所有数据库连接", "\xff\xfe", "", int64(-1), uint64(0), uint8(255))
	f.Add(poison, poison+"\x00", "\u202e", int64(1<<62), ^uint64(0), uint8(3))
	f.Fuzz(func(t *testing.T, one, two, tag string, at int64, seed uint64, origin uint8) {
		var ms []Memory
		for i := range 8 {
			ms = append(ms, Memory{
				ID: id(i), Label: hearsay.Label{Origin: hearsay.Origin(origin)}, Created: at - int64(i)*at/3, Own: true,
				Tags: []string{tag, one}, Text: []string{one, two}[i%2], Session: two, Source: hearsay.Source{Type: tag, Ref: one, Actor: two},
				Parents: []hearsay.RecordID{id(i), id(i + 1)}, Recalls: i,
			})
		}
		in := Input{Now: at, Memories: ms, Seed: seed}
		found := Find(in)
		if diff := cmp.Diff(found, Find(in)); diff != "" {
			t.Errorf("found again (-first +second):\n%s", diff)
		}
		Plan(found, ms)
		if len(one) > 0 && one == two {
			Clusters([]Text{{user, one}, {user, two}, {web, one}}, .9, seed)
		}
	})
}

// benchMemories are n memories of about 40 words.
func benchMemories(n int, low, alike bool) []Memory {
	r := rand.New(rand.NewPCG(1, 1))
	words := strings.Fields(filler(r, 20_000))
	var a author
	ms := make([]Memory, n)
	for i := range ms {
		var b strings.Builder
		for range 40 {
			b.WriteString(words[int(float64(len(words))*r.Float64()*r.Float64())])
			b.WriteByte(' ')
		}
		l := []hearsay.Label{user, agent, agent, agent, agent, tool, tool, web, web, web}[i%10]
		if low {
			l = []hearsay.Label{tool, web}[i%2]
		}
		ms[i] = a.write(l, start+int64(i)*Day/50, text(b.String()), tags(fmt.Sprint("t", r.IntN(500)), fmt.Sprint("t", r.IntN(500)), fmt.Sprint("t", r.IntN(20))))
		if alike {
			ms[i].Text = poison + " " + ms[i].Text
			ms[i].Tags = []string{"a", "b", "c"}
		}
	}
	return ms
}

func BenchmarkFind(b *testing.B) {
	for _, c := range []struct {
		name       string
		low, alike bool
	}{{"mixed", false, false}, {"all-low", true, false}, {"all-alike", true, true}} {
		ms := benchMemories(100_000, c.low, c.alike)
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				find(ms...)
			}
		})
	}
}

func BenchmarkClusters(b *testing.B) {
	ms := benchMemories(100_000, false, false)
	texts := make([]Text, len(ms))
	for i, m := range ms {
		texts[i] = Text{m.Label, m.Text}
	}
	b.ReportAllocs()
	for b.Loop() {
		Clusters(texts, .9, 1)
	}
}
