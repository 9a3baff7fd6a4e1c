package hearsay_test

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/hearsay-memory/hearsay"
)

// rounds is how many random cases a property is tried on.
const rounds = 5000

// newRand returns the generator of a property test. Its seed is fixed: a failure
// comes back on the next run.
func newRand() *rand.Rand { return rand.New(rand.NewPCG(0x68656172, 0x73617973)) }

func randLabel(r *rand.Rand) hearsay.Label {
	return hearsay.Label{Origin: hearsay.Origin(r.IntN(int(hearsay.User) + 1)), Taint: randTaint(r)}
}

func TestLabelJoin(t *testing.T) {
	r := newRand()
	for range rounds {
		a, b, c := randLabel(r), randLabel(r), randLabel(r)
		ab := a.Join(b)
		if ba := b.Join(a); ab != ba {
			t.Fatalf("not commutative: %v, %v: %v or %v", a, b, ab, ba)
		}
		if x, y := ab.Join(c), a.Join(b.Join(c)); x != y {
			t.Fatalf("not associative: %v, %v, %v: %v or %v", a, b, c, x, y)
		}
		if aa := a.Join(a); aa != a {
			t.Fatalf("not idempotent: %v becomes %v", a, aa)
		}
		if x := a.Join(hearsay.LabelIdentity); x != a {
			t.Fatalf("the identity changes %v to %v", a, x)
		}
	}
}

// A label never rises (rule 1).
func TestLabelNeverRises(t *testing.T) {
	r := newRand()
	for range rounds {
		a, b := randLabel(r), randLabel(r)
		ab := a.Join(b)
		if !ab.Below(a) || !ab.Below(b) {
			t.Fatalf("%v joined with %v rose to %v", a, b, ab)
		}
		if ab.Origin > a.Origin || ab.Origin > b.Origin {
			t.Fatalf("%v joined with %v has the origin %v", a, b, ab.Origin)
		}
		if !ab.Taint.Covers(a.Taint) || !ab.Taint.Covers(b.Taint) {
			t.Fatalf("%v joined with %v lost a tag: %v", a, b, ab)
		}
		if ab.Trusted() && !(a.Trusted() && b.Trusted()) {
			t.Fatalf("%v joined with %v became trusted", a, b)
		}
		if a.Below(b) && b.Below(a) && a != b {
			t.Fatalf("%v and %v are below each other and differ", a, b)
		}
	}
}

// An origin outside the range is a stranger, not more than the user.
func TestLabelOriginOutOfRange(t *testing.T) {
	for o := int(hearsay.User) + 1; o <= 255; o++ {
		l := hearsay.Label{Origin: hearsay.Origin(o), Taint: hearsay.Untainted}
		if l.Trusted() {
			t.Errorf("origin %d is trusted", o)
		}
		for _, got := range []hearsay.Label{l.Join(hearsay.LabelIdentity), hearsay.LabelIdentity.Join(l)} {
			if got.Origin != hearsay.External || !got.Below(l) {
				t.Errorf("origin %d joins to %v", o, got)
			}
		}
		class := hearsay.Class{Origin: hearsay.Origin(o), Reach: hearsay.ReachNone}
		if got := class.Label().Origin; got != hearsay.External {
			t.Errorf("a class of origin %d gives %v", o, got)
		}
	}
}

func TestLabelZero(t *testing.T) {
	var zero hearsay.Label
	if zero.Origin != hearsay.External || !zero.Tainted() || zero.Trusted() || !zero.Taint.Has(hearsay.UnknownTag) {
		t.Errorf("the zero label is %v", zero)
	}
	// Tags of its own only lower it further.
	for o := hearsay.External; o <= hearsay.User; o++ {
		if l := (hearsay.Label{Origin: o, Taint: hearsay.Untainted}); !zero.Below(l) {
			t.Errorf("the zero label is not below %v", l)
		}
	}
}

func TestLabelTrusted(t *testing.T) {
	for o := hearsay.External; o <= hearsay.User; o++ {
		clean := hearsay.Label{Origin: o, Taint: hearsay.Untainted}
		if got, want := clean.Trusted(), o >= hearsay.Agent; got != want {
			t.Errorf("%v: trusted %v, want %v", clean, got, want)
		}
		if l := (hearsay.Label{Origin: o, Taint: hearsay.NewTaint("web")}); l.Trusted() || !l.Tainted() {
			t.Errorf("%v: trusted %v, tainted %v", l, l.Trusted(), l.Tainted())
		}
	}
}

func TestLabelString(t *testing.T) {
	for want, l := range map[string]hearsay.Label{
		"user":                {Origin: hearsay.User, Taint: hearsay.Untainted},
		"external (unknown)":  {},
		"agent (mcp:git,web)": {Origin: hearsay.Agent, Taint: hearsay.NewTaint("web", "mcp:git")},
	} {
		if got := l.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestLabelJSON(t *testing.T) {
	b, err := json.Marshal(hearsay.Label{Origin: hearsay.Agent, Taint: hearsay.NewTaint("web", "document")})
	if want := `{"origin":"agent","taint":["document","web"]}`; err != nil || string(b) != want {
		t.Errorf("got %s, %v; want %s", b, err, want)
	}
	r := newRand()
	for range rounds / 10 {
		want := randLabel(r)
		b, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got hearsay.Label
		if err := json.Unmarshal(b, &got); err != nil || got != want {
			t.Fatalf("%s: got %v, %v; want %v", b, got, err, want)
		}
	}
	for _, bad := range []string{
		`{"origin":"root","taint":[]}`,
		`{"origin":5,"taint":[]}`,
		`{"origin":"user","taint":null}`,
		`{"origin":"user","taint":"web"}`,
		`{"origin":"user","taint":["web","document"]}`,
	} {
		var l hearsay.Label
		if err := json.Unmarshal([]byte(bad), &l); err == nil {
			t.Errorf("%s is read as %v", bad, l)
		} else if l.Trusted() {
			t.Errorf("%s is refused and leaves %v", bad, l)
		}
	}
	// What a text leaves out is not clean.
	var l hearsay.Label
	if err := json.Unmarshal([]byte(`{"origin":"user"}`), &l); err != nil || !l.Tainted() {
		t.Errorf("a label without a taint: %v, %v", l, err)
	}
}
