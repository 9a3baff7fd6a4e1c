package hearsay_test

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hearsay-memory/hearsay"
)

// malformed are names that cannot be tags.
var malformed = []string{
	"", " ", "a b", "web,user", "say\"", `back\slash`, "tab\t", "nul\x00", "del\x7f", "netz\u00e4", "\xff",
	strings.Repeat("w", 97),
}

// randTags returns tags in any order, with repetitions, some of them malformed.
func randTags(r *rand.Rand) []string {
	pool := []string{"web", "web_search", "document", "mcp:github", "mcp:git", "tool:browser", hearsay.UnknownTag}
	tags := make([]string, r.IntN(6))
	for i := range tags {
		if r.IntN(12) == 0 {
			tags[i] = malformed[r.IntN(len(malformed))]
		} else {
			tags[i] = pool[r.IntN(len(pool))]
		}
	}
	return tags
}

func randTaint(r *rand.Rand) hearsay.Taint {
	if r.IntN(10) == 0 {
		return hearsay.Taint{}
	}
	return hearsay.NewTaint(randTags(r)...)
}

func TestTaintJoin(t *testing.T) {
	r := newRand()
	for range rounds {
		a, b, c := randTaint(r), randTaint(r), randTaint(r)
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
		if x, y := a.Join(hearsay.Untainted), hearsay.Untainted.Join(a); x != a || y != a {
			t.Fatalf("the empty set changes %v to %v and %v", a, x, y)
		}
		if !ab.Covers(a) || !ab.Covers(b) {
			t.Fatalf("%v joined with %v lost a tag: %v", a, b, ab)
		}
		if ab.Empty() != (a.Empty() && b.Empty()) {
			t.Fatalf("%v joined with %v: empty %v", a, b, ab.Empty())
		}
	}
}

// A taint is a set: what a map of its tags says, it says too.
func TestTaintAgainstSet(t *testing.T) {
	r := newRand()
	for range rounds {
		tags, more := randTags(r), randTags(r)
		set := map[string]bool{}
		for _, tag := range slices.Concat(tags, more) {
			if !hearsay.ValidTag(tag) {
				tag = hearsay.UnknownTag
			}
			set[tag] = true
		}
		got := hearsay.NewTaint(tags...).Join(hearsay.NewTaint(more...))
		want := slices.AppendSeq([]string{}, maps.Keys(set))
		slices.Sort(want)
		if diff := cmp.Diff(want, got.Tags()); diff != "" {
			t.Fatalf("%q and %q (-want +got):\n%s", tags, more, diff)
		}
		if same := hearsay.NewTaint(want...); got != same {
			t.Fatalf("%v and %v are equal sets and differ", got, same)
		}
		for tag := range set {
			if !got.Has(tag) {
				t.Fatalf("%v does not have %q", got, tag)
			}
		}
		if got.Has("web_") || got.Has("") || got.Has("document,web") {
			t.Fatalf("%v has what nobody put in", got)
		}
	}
}

func TestTaintZero(t *testing.T) {
	var zero hearsay.Taint
	if zero.Empty() || !zero.Has(hearsay.UnknownTag) || zero.String() != "unknown" {
		t.Errorf("the zero taint is %v", zero)
	}
	if zero != hearsay.NewTaint(hearsay.UnknownTag) {
		t.Error("{unknown} has two forms")
	}
	if diff := cmp.Diff([]string{"unknown"}, zero.Tags()); diff != "" {
		t.Errorf("tags (-want +got):\n%s", diff)
	}
	if !hearsay.Untainted.Empty() || hearsay.Untainted != hearsay.NewTaint() || hearsay.Untainted.String() != "-" {
		t.Errorf("the empty set is %v", hearsay.Untainted)
	}
	if tags := hearsay.Untainted.Tags(); tags == nil || len(tags) != 0 {
		t.Errorf("tags of the empty set: %#v", tags)
	}
	if hearsay.Untainted.Covers(zero) || !zero.Covers(hearsay.Untainted) {
		t.Error("the empty set covers the unknown")
	}
}

// A strange name taints; it never vanishes and never passes for two others.
func TestTaintMalformed(t *testing.T) {
	for _, tag := range malformed {
		if hearsay.ValidTag(tag) {
			t.Errorf("%q is a tag", tag)
		}
		if got := hearsay.NewTaint(tag); got != (hearsay.Taint{}) {
			t.Errorf("%q taints as %v", tag, got)
		}
		if got, want := hearsay.NewTaint("web", tag), hearsay.NewTaint("unknown", "web"); got != want {
			t.Errorf("%q beside web taints as %v", tag, got)
		}
	}
	for _, tag := range []string{"a", "mcp:github", "tool:browser/2.0", "!", "~", strings.Repeat("w", 96)} {
		if !hearsay.ValidTag(tag) {
			t.Errorf("%q is not a tag", tag)
		}
	}
}

func TestTaintAllStops(t *testing.T) {
	var seen []string
	for tag := range hearsay.NewTaint("c", "a", "b").All() {
		if seen = append(seen, tag); len(seen) == 2 {
			break
		}
	}
	if diff := cmp.Diff([]string{"a", "b"}, seen); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTaintJSON(t *testing.T) {
	for want, taint := range map[string]hearsay.Taint{
		`[]`:                         hearsay.Untainted,
		`["unknown"]`:                {},
		`["document","mcp:x","web"]`: hearsay.NewTaint("web", "mcp:x", "document", "web"),
	} {
		if b, err := json.Marshal(taint); err != nil || string(b) != want {
			t.Errorf("%v: got %s, %v; want %s", taint, b, err, want)
		}
	}
	r := newRand()
	for range rounds / 10 {
		want := randTaint(r)
		b, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		got := hearsay.Untainted
		if err := json.Unmarshal(b, &got); err != nil || got != want {
			t.Fatalf("%s: got %v, %v; want %v", b, got, err, want)
		}
	}
}

// What is refused leaves the unknown, even where the empty set stood before.
func TestTaintJSONRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"null":               `null`,
		"null name":          `["a",null]`,
		"null alone":         `[null]`,
		"unsorted":           `["web","document"]`,
		"repeated":           `["web","web"]`,
		"repeated unknown":   `["unknown","unknown"]`,
		"empty name":         `[""]`,
		"two in one":         `["document,web"]`,
		"space":              `["a b"]`,
		"escaped space":      `["a\u0020b"]`,
		"not ASCII":          `["é"]`,
		"too long":           `["` + strings.Repeat("w", 97) + `"]`,
		"a string":           `"web"`,
		"an object":          `{"web":true}`,
		"a number":           `[1]`,
		"a list in the list": `[["web"]]`,
	} {
		t.Run(name, func(t *testing.T) {
			got := hearsay.Untainted
			if err := json.Unmarshal([]byte(text), &got); err == nil {
				t.Fatalf("%s is read as %v", text, got)
			}
			if got != (hearsay.Taint{}) {
				t.Errorf("%s is refused and leaves %v", text, got)
			}
		})
	}
}
