package recall

import (
	"math/rand/v2"
	"time"

	"github.com/hearsay-memory/hearsay"
)

// rounds is how many random cases a property is tried on.
const rounds = 2000

// newRand returns the generator of a property test. Its seed is fixed: a failure
// comes back on the next run.
func newRand() *rand.Rand { return rand.New(rand.NewPCG(0x72656361, 0x6c6c)) }

var (
	day0     = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	table    = hearsay.DefaultCeilings()
	user     = hearsay.LabelIdentity
	agent    = label(hearsay.Agent)
	external = label(hearsay.External, "web")
)

func label(o hearsay.Origin, tags ...string) hearsay.Label {
	return hearsay.Label{Origin: o, Taint: hearsay.NewTaint(tags...).Join(hearsay.Untainted)}
}

func day(n float64) time.Time { return day0.Add(time.Duration(n * 24 * float64(time.Hour))) }

func id(n int) hearsay.RecordID {
	return hearsay.NewRecordID(day0.UnixMilli(), [10]byte{6: byte(n >> 24), 7: byte(n >> 16), 8: byte(n >> 8), 9: byte(n)})
}

// fresh returns a new memory of ana's.
func fresh(n int, l hearsay.Label, k Kind) Memory {
	return Memory{
		ID: id(n), Label: l, Standing: hearsay.Allowed, Principal: "ana", Kind: k,
		Strength: k.Curve(Semantic).Strength, Weight: 1, Written: day0,
	}
}

// asked returns a query for everything of ana's.
func asked(k, untrusted int) Query {
	return Query{At: day0, Principal: "ana", Ceilings: table, K: k, MaxUntrusted: untrusted}
}

func randLabel(r *rand.Rand) hearsay.Label {
	l := label(hearsay.Origin(r.IntN(int(hearsay.User) + 1)))
	if r.IntN(4) == 0 {
		l.Taint = hearsay.NewTaint("web")
	}
	return l
}

// trustedLabel returns one of the labels that count as trusted.
func trustedLabel(r *rand.Rand) hearsay.Label {
	return label(hearsay.Agent + hearsay.Origin(r.IntN(3)))
}

// untrustedLabel returns one of the others.
func untrustedLabel(r *rand.Rand) hearsay.Label {
	for {
		if l := randLabel(r); !l.Trusted() {
			return l
		}
	}
}

func randIDs(r *rand.Rand, n, among int, not hearsay.RecordID) []hearsay.RecordID {
	var ids []hearsay.RecordID
	for range n {
		if x := id(r.IntN(among)); x != not {
			ids = append(ids, x)
		}
	}
	return ids
}

// randMemory returns a memory with number n whose links go to numbers below among.
func randMemory(r *rand.Rand, n, among int, l hearsay.Label) Memory {
	m := Memory{
		ID: id(n), Label: l, Standing: hearsay.Allowed, Principal: "ana",
		Kind: Kind(r.IntN(len(kindNames))), Form: Form(r.IntN(len(formNames))),
		Strength: r.Float64(), Salience: r.Float64(), Confidence: r.Float64(), Weight: 1 - r.Float64(),
		Written: day(-r.Float64() * 100), Pinned: r.IntN(5) == 0, Stable: r.IntN(5) == 0,
	}
	if r.IntN(2) == 0 {
		m.Used = day(-r.Float64() * 50)
	}
	for range r.IntN(5) {
		m.Tags = append(m.Tags, string(rune('a'+r.IntN(6))))
	}
	m.Links = randIDs(r, r.IntN(3), among, m.ID)
	if r.IntN(4) == 0 {
		m.Supersedes = randIDs(r, 1, among, m.ID)
	}
	if r.IntN(3) == 0 {
		m.Project = "shop"
		m.Namespace = hearsay.Namespace{"facts", string(rune('a' + r.IntN(2)))}
	}
	return m
}

func candidates(r *rand.Rand, memories []Memory) []Candidate {
	out := make([]Candidate, 0, len(memories))
	for _, m := range memories {
		if r.IntN(5) > 0 {
			// Few values, so that there are ties.
			out = append(out, Candidate{m, float64(r.IntN(9)) / 8})
		}
	}
	return out
}

func hits(from []Candidate) []hit {
	out := make([]hit, len(from))
	for i := range from {
		out[i] = hit{&from[i].Memory, from[i].Relevance}
	}
	return out
}
