package recall

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hearsay-memory/hearsay"
)

func TestCheck(t *testing.T) {
	good := fresh(1, user, Decision)
	for name, c := range map[string]struct {
		change func(*Memory)
		want   string // in the error; empty: none
	}{
		"as it is":             {func(m *Memory) {}, ""},
		"at the bounds":        {func(m *Memory) { m.Strength, m.Salience, m.Confidence = 1, 0, 1 }, ""},
		"no id":                {func(m *Memory) { m.ID = hearsay.RecordID{} }, "no id"},
		"no kind":              {func(m *Memory) { m.Kind = 9 }, "kind 9"},
		"no form":              {func(m *Memory) { m.Form = 3 }, "form 3"},
		"strength, NaN":        {func(m *Memory) { m.Strength = math.NaN() }, "strength is NaN"},
		"strength above 1":     {func(m *Memory) { m.Strength = 1.0000001 }, "strength"},
		"salience, infinite":   {func(m *Memory) { m.Salience = math.Inf(1) }, "salience is +Inf"},
		"confidence below 0":   {func(m *Memory) { m.Confidence = -1e-300 }, "confidence"},
		"weight 0":             {func(m *Memory) { m.Weight = 0 }, "weight is 0"},
		"weight above 1":       {func(m *Memory) { m.Weight = 2 }, "weight is 2"},
		"empty segment":        {func(m *Memory) { m.Namespace = hearsay.Namespace{""} }, "segment"},
		"many tags":            {func(m *Memory) { m.Tags = slices.Repeat([]string{"a"}, MaxTags+1) }, "13 tags"},
		"empty tag":            {func(m *Memory) { m.Tags = []string{"a", ""} }, "tag 1"},
		"long tag":             {func(m *Memory) { m.Tags = []string{strings.Repeat("a", MaxTagBytes+1)} }, "129 bytes"},
		"broken tag":           {func(m *Memory) { m.Tags = []string{"\xff"} }, "UTF-8"},
		"many links":           {func(m *Memory) { m.Links = slices.Repeat([]hearsay.RecordID{id(2)}, MaxLinks+1) }, "65 links"},
		"link to itself":       {func(m *Memory) { m.Links = []hearsay.RecordID{m.ID} }, "its own"},
		"supersedes itself":    {func(m *Memory) { m.Supersedes = []hearsay.RecordID{id(2), m.ID} }, "its own"},
		"link to nothing":      {func(m *Memory) { m.Links = make([]hearsay.RecordID, 1) }, "empty id"},
		"supersedes very much": {func(m *Memory) { m.Supersedes = slices.Repeat([]hearsay.RecordID{id(2)}, MaxLinks+1) }, "65 superseded"},
	} {
		m := good
		c.change(&m)
		err := m.Check()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestBounded(t *testing.T) {
	full := Memory{Kind: Learning, Strength: 1, Salience: 1, Confidence: 1, Pinned: true, Stable: true}
	for name, c := range map[string]struct {
		label                          hearsay.Label
		strength, salience, confidence float64
		entrench                       bool
	}{
		"user":            {user, 1, 1, 1, true},
		"channel":         {label(hearsay.Channel), .7, .6, .8, false},
		"agent":           {agent, .7, .6, .8, false},
		"tool":            {label(hearsay.Tool), .7, .5, .6, false},
		"unverified":      {label(hearsay.Unverified), .7, .4, .4, false},
		"external":        {external, .7, .4, .4, false},
		"tainted user":    {label(hearsay.User, "web"), .7, .5, .6, false},
		"nobody":          {hearsay.Label{}, .7, .4, .4, false},
		"no origin of us": {hearsay.Label{Origin: 77, Taint: hearsay.Untainted}, .7, .4, .4, false},
	} {
		m := full
		m.Label = c.label
		got, clamps := m.Bounded(&table)
		if got.Strength != c.strength || got.Salience != c.salience || got.Confidence != c.confidence || got.Pinned != c.entrench || got.Stable != c.entrench {
			t.Errorf("%s: %+v", name, got)
		}
		var fields []string
		for _, cl := range clamps {
			fields = append(fields, cl.Field)
		}
		want := []string{"salience", "confidence", "pin", "stable", "strength"}
		if c.entrench {
			want = nil
		}
		if diff := cmp.Diff(want, fields); diff != "" {
			t.Errorf("%s: clamps (-want +got):\n%s", name, diff)
		}
		if again, more := got.Bounded(&table); more != nil || !reflect.DeepEqual(again, got) {
			t.Errorf("%s: bounded once more: %+v", name, more)
		}
	}
	broken := Memory{Label: user, Strength: math.NaN(), Salience: math.NaN(), Confidence: math.Inf(-1)}
	if got, _ := broken.Bounded(&table); got.Strength != 0 || got.Salience != 0 || got.Confidence != 0 {
		t.Errorf("not numbers: %+v", got)
	}
}

func TestFlags(t *testing.T) {
	for name, c := range map[string]struct {
		label  hearsay.Label
		vetted bool
		want   Flags
	}{
		"user":           {user, false, Flags{Origin: hearsay.User}},
		"agent":          {agent, false, Flags{Origin: hearsay.Agent}},
		"tool":           {label(hearsay.Tool), false, Flags{Origin: hearsay.Tool, LowTrust: true, Pending: true}},
		"external":       {external, false, Flags{Origin: hearsay.External, LowTrust: true, Pending: true}},
		"vetted":         {external, true, Flags{Origin: hearsay.External, LowTrust: true}},
		"tainted agent":  {label(hearsay.Agent, "web"), false, Flags{Origin: hearsay.Agent, LowTrust: true, Pending: true}},
		"vetted, honest": {user, true, Flags{Origin: hearsay.User}},
	} {
		m := Memory{Label: c.label, Vetted: c.vetted}
		if got := m.Flags(); got != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// Vetting clears a flag and nothing else: it does not promote.
func TestVettedDoesNotPromote(t *testing.T) {
	m := fresh(1, external, Insight)
	v := m
	v.Vetted = true
	a, err := Select(asked(5, 5), nil, []Candidate{{m, .5}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Select(asked(5, 5), nil, []Candidate{{v, .5}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if a.Results[0].Score != b.Results[0].Score || v.StrengthAt(&table, day(9)) != m.StrengthAt(&table, day(9)) {
		t.Error("vetting changed the rank")
	}
}

func TestStrengthAt(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Memory)
		at     time.Time
		want   float64
	}{
		"new":                     {func(m *Memory) {}, day(0), .7},
		"ten days":                {func(m *Memory) {}, day(10), .7 * math.Pow(.99, 10)},
		"half a day":              {func(m *Memory) {}, day(.5), .7 * math.Sqrt(.99)},
		"clock backwards":         {func(m *Memory) {}, day(-400), .7},
		"used since":              {func(m *Memory) { m.Used = day(6) }, day(10), .7 * math.Pow(.99, 4)},
		"used before it was":      {func(m *Memory) { m.Used = day(-6) }, day(10), .7 * math.Pow(.99, 10)},
		"pinned":                  {func(m *Memory) { m.Pinned = true }, day(1000), .7},
		"stable":                  {func(m *Memory) { m.Stable = true }, day(1000), .7},
		"agent":                   {func(m *Memory) { m.Label = agent }, day(10), .7 * math.Pow(.99, 10)},
		"agent, pinned":           {func(m *Memory) { m.Label, m.Pinned, m.Stable = agent, true, true }, day(10), .7 * math.Pow(.99, 10)},
		"agent, stored too high":  {func(m *Memory) { m.Label, m.Strength = agent, 1 }, day(0), .7},
		"user, made stronger":     {func(m *Memory) { m.Strength = .9 }, day(0), .9},
		"tool":                    {func(m *Memory) { m.Label = label(hearsay.Tool) }, day(10), .7 * math.Pow(.99*.997, 10)},
		"external":                {func(m *Memory) { m.Label = external }, day(10), .7 * math.Pow(.99*.99, 10)},
		"external, used, pinned":  {func(m *Memory) { m.Label, m.Used, m.Pinned = external, day(9), true }, day(10), .7 * math.Pow(.99*.99, 10)},
		"external, slowest":       {func(m *Memory) { m.Label, m.Kind, m.Form = external, Preference, Procedural }, day(10), .5 * math.Pow(.9999*.99, 10)},
		"tainted user":            {func(m *Memory) { m.Label, m.Stable = label(hearsay.User, "web"), true }, day(10), .7 * math.Pow(.99*.997, 10)},
		"not a number":            {func(m *Memory) { m.Strength = math.NaN() }, day(0), 0},
		"never written, in years": {func(m *Memory) { m.Written = time.Time{} }, day(0), 0},
	} {
		m := fresh(1, user, Learning)
		c.change(&m)
		if got := m.StrengthAt(&table, c.at); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
	lax := table
	for o := range lax {
		lax[o].Entrench = true
	}
	m := fresh(1, agent, Learning)
	m.Pinned = true
	if got := m.StrengthAt(&lax, day(10)); got >= .7 {
		t.Errorf("a table that lets an agent entrench keeps %v", got)
	}
	var none hearsay.Ceilings
	m = fresh(1, user, Learning)
	m.Pinned = true
	if got := m.StrengthAt(&none, day(1)); got != 0 {
		t.Errorf("a table that nobody filled in keeps %v", got)
	}
}
