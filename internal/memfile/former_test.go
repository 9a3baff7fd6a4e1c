package memfile

import (
	"bytes"
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay"
)

func FuzzFormer(f *testing.F) {
	for _, s := range [][2]string{{"", ""}, {"a\nb\n", "a\nb\nc\n"}, {"a\nb\nc", "c\nb"}, {"x\ny\nx\n", "x\n"}, {"\r\n\ufeffa", "\n"}} {
		f.Add([]byte(s[0]), []byte(s[1]))
	}
	f.Fuzz(func(t *testing.T, before, after []byte) {
		id := hearsay.RecordID{1}
		form := encodeFormer(id, before, after)
		if by, ok := formerBy(form); !ok || by != id {
			t.Fatalf("by %s, %v", by, ok)
		}
		got, ok := decodeFormer(form, after)
		if !ok || !bytes.Equal(got, before) {
			t.Fatalf("%q, %v: want %q from %q", got, ok, before, after)
		}
		_, _ = decodeFormer(after, before) // any bytes
		_, _ = decodeFormer(append(form[:formerHead:formerHead], after...), before)
	})
}

func TestFormerIsSmall(t *testing.T) {
	before := strings.Repeat("- a line of the file\n", 10_000)
	if got := len(encodeFormer(hearsay.RecordID{}, []byte(before), []byte(before+"- more\n"))); got > 64 {
		t.Errorf("an addition keeps %d bytes", got)
	}
	if got := encodeFormer(hearsay.RecordID{}, []byte(strings.Repeat("x", maxFormer+1)), nil); len(got) != formerHead || got[17] != formerLost {
		t.Errorf("%d bytes are kept of too many", len(got))
	}
	got := encodeFormer(hearsay.RecordID{}, nil, []byte("a"))
	if before, ok := decodeFormer(got, []byte("a")); !ok || before != nil {
		t.Errorf("%q, %v: want no file", before, ok)
	}
}
