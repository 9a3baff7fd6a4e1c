package ledger

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/sumdb/note"
)

var testPoint = Checkpoint{Origin: "hearsay/test", Size: 3, Root: Hash{0: 1, 31: 2}}

func TestCheckpointGolden(t *testing.T) {
	s, v := signer(t, "hearsay/test", 7)
	got, err := testPoint.Sign(s)
	if err != nil {
		t.Fatal(err)
	}
	const want = "hearsay/test\n" + // origin
		"3\n" + // size
		"AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAI=\n" + // root
		"\n" +
		"— hearsay/test cvTj9C/qiiAa/4A78FUxmRBMN/SkqN8RHMHmiePFkjrSxpDA2hX5aRmqEU+QN2j4nSLH71rq368MN9jgG8z0+Z5LLQM=\n" // Ed25519 over the three lines above, under the seed 07…07
	if string(got) != want {
		t.Errorf("signed checkpoint\n got %q\nwant %q", got, want)
	}
	c, err := OpenCheckpoint([]byte(want), note.VerifierList(v), "hearsay/test")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(testPoint, c); d != "" {
		t.Errorf("opened (-want +got)\n%s", d)
	}
}

func TestCheckpointRoundTrip(t *testing.T) {
	s, v := signer(t, "ledger", 1)
	for _, c := range []Checkpoint{
		{Origin: "a"},
		{Origin: "with spaces, and ünïcode", Size: math.MaxInt64, Root: Hash{1}},
		{Origin: "a", Size: 1, Extensions: []string{"one", "— two"}},
	} {
		msg, err := c.Sign(s)
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		got, err := OpenCheckpoint(msg, note.VerifierList(v), c.Origin)
		if err != nil {
			t.Errorf("%+v: %v", c, err)
		}
		if d := cmp.Diff(c, got); d != "" {
			t.Errorf("(-want +got)\n%s", d)
		}
	}
}

func TestSignRejects(t *testing.T) {
	s, _ := signer(t, "ledger", 1)
	if _, err := testPoint.Sign(); err == nil {
		t.Error("signed by nobody")
	}
	for name, c := range map[string]Checkpoint{
		"no origin":             {},
		"two lines in origin":   {Origin: "a\n5"},
		"origin ends a line":    {Origin: "a\n"},
		"control character":     {Origin: "a\tb"},
		"not UTF-8":             {Origin: "a\xff"},
		"negative size":         {Origin: "a", Size: -1},
		"empty extension":       {Origin: "a", Extensions: []string{""}},
		"two-line extension":    {Origin: "a", Extensions: []string{"x\ny"}},
		"extension ends a note": {Origin: "a", Extensions: []string{"x\n\n— y z"}},
	} {
		if msg, err := c.Sign(s); err == nil {
			t.Errorf("%s: signed %q", name, msg)
		}
	}
}

func TestOpenCheckpointRejects(t *testing.T) {
	s, v := signer(t, "ledger", 1)
	other, _ := signer(t, "other", 2)
	forger, _ := signer(t, "ledger", 3)
	known := note.VerifierList(v)
	sign := func(text string, by ...note.Signer) string {
		msg, err := note.Sign(&note.Note{Text: text}, by...)
		if err != nil {
			t.Fatal(err)
		}
		return string(msg)
	}
	root := testPoint.Root.String()
	good := "o\n3\n" + root + "\n"
	if _, err := OpenCheckpoint([]byte(sign(good, other, s)), known, "o"); err != nil {
		t.Fatalf("a known signature beside an unknown one: %v", err)
	}
	for name, test := range map[string]struct {
		msg string
		bad bool // whether the signature is at fault
	}{
		"empty":                      {"", false},
		"not signed":                 {good, false},
		"unknown key":                {sign(good, other), true},
		"another key of that name":   {sign(good, forger), true},
		"size changed":               {strings.Replace(sign(good, s), "\n3\n", "\n4\n", 1), true},
		"root changed":               {strings.Replace(sign(good, s), "AQAA", "AQAB", 1), true},
		"signature without line end": {strings.TrimSuffix(sign(good, s), "\n"), false},
		"text after the signature":   {sign(good, s) + "x\n", false},
		"carriage returns":           {strings.ReplaceAll(sign(good, s), "\n", "\r\n"), false},
		"another origin":             {sign("p\n3\n"+root+"\n", s), false},
		"origin with a space more":   {sign("o \n3\n"+root+"\n", s), false},
		"no origin":                  {sign("\n3\n"+root+"\n", s), false},
		"no root":                    {sign("o\n3\n", s), false},
		"leading zero":               {sign("o\n03\n"+root+"\n", s), false},
		"plus sign":                  {sign("o\n+3\n"+root+"\n", s), false},
		"negative":                   {sign("o\n-3\n"+root+"\n", s), false},
		"minus zero":                 {sign("o\n-0\n"+root+"\n", s), false},
		"hexadecimal":                {sign("o\n0x3\n"+root+"\n", s), false},
		"underscore":                 {sign("o\n1_0\n"+root+"\n", s), false},
		"size too large":             {sign("o\n9223372036854775808\n"+root+"\n", s), false},
		"space after size":           {sign("o\n3 \n"+root+"\n", s), false},
		"loose base64":               {sign("o\n3\n"+root[:42]+"J=\n", s), false}, // the last two bits are not zero
		"unpadded base64":            {sign("o\n3\n"+root[:43]+"\n", s), false},
		"URL base64":                 {sign("o\n3\n"+"-_"+root[2:]+"\n", s), false},
		"short root":                 {sign("o\n3\nAQID\n", s), false},
		"empty extension":            {sign(good+"\n", s), false},
		"empty line, extension":      {sign(good+"\nx\n", s), false},
	} {
		_, err := OpenCheckpoint([]byte(test.msg), known, "o")
		if err == nil {
			t.Errorf("%s: accepted %q", name, test.msg)
		} else if isFault(err, BadSignature) != test.bad {
			t.Errorf("%s: %v; at fault is the signature: %v", name, err, test.bad)
		}
	}
	if _, err := OpenCheckpoint([]byte(sign(good, s)), nil, "o"); !isFault(err, BadSignature) {
		t.Errorf("no verifiers: %v", err)
	}
}

// credulous accepts every signature, so that fuzzing gets past them.
type credulous struct{ name string }

func (c credulous) Name() string                { return c.name }
func (c credulous) KeyHash() uint32             { return 1 }
func (c credulous) Verify(_, _ []byte) bool     { return true }
func (c credulous) Sign([]byte) ([]byte, error) { return []byte{0}, nil }
func (c credulous) Verifier(name string, hash uint32) (note.Verifier, error) {
	if hash != 1 {
		return nil, &note.UnknownVerifierError{Name: name, KeyHash: hash}
	}
	return credulous{name}, nil
}

func FuzzOpenCheckpoint(f *testing.F) {
	s := credulous{"k"}
	for _, c := range []Checkpoint{testPoint, {Origin: "a", Extensions: []string{"x", "y"}}} {
		msg, err := c.Sign(s)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(msg, c.Origin)
	}
	f.Add([]byte("a\n01\nAAAA\n\n— k AAAAAQA=\n"), "a")
	f.Fuzz(func(t *testing.T, msg []byte, origin string) {
		c, err := OpenCheckpoint(msg, s, origin)
		if err != nil {
			return
		}
		if c.Origin != origin || c.Size < 0 {
			t.Fatalf("opened %+v as of %q", c, origin)
		}
		if text, _, ok := strings.Cut(string(msg), "\n\n"); !ok || c.text() != text+"\n" {
			t.Fatalf("%q opens and spells %q", msg, c.text())
		}
		again, err := c.Sign(s)
		if err != nil {
			t.Fatalf("%q opens and cannot be signed again: %v", msg, err)
		}
		if d, err := OpenCheckpoint(again, s, origin); err != nil || !d.equal(c) {
			t.Fatalf("%q opens as %+v, signed again as %+v, %v", msg, c, d, err)
		}
	})
}
