package segment

import (
	"fmt"
	"testing"

	"github.com/hearsay-memory/hearsay"
)

func TestOwn(t *testing.T) {
	data := []byte("---\na: b\n---\none\ntwo\nthree\n")
	stranger := Owner{Label: hearsay.Label{Origin: hearsay.Unverified, Taint: hearsay.Untainted}}
	person := Owner{Record: hearsay.NewRecordID(1, [10]byte{}), Label: hearsay.LabelIdentity}
	for _, r := range []Range{{0, 6}, {3, 4}, {4, 6}, {2, 5}, {0, 0}, {5, 3}, {9, 12}, {-3, 99}} {
		g := New(data, stranger).Own(r, person)
		if err := g.Fits(data); err != nil {
			t.Fatalf("%v: %v", r, err)
		}
		for line := range 6 {
			want := stranger
			if r.From <= line && line < r.To {
				want = person
			}
			if got := g.At(line); got != want {
				t.Errorf("%v: line %d is %v", r, line, got)
			}
		}
		b, err := g.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		var back File
		if err := back.UnmarshalBinary(b); err != nil || fmt.Sprint(back) != fmt.Sprint(g) {
			t.Errorf("%v: %v", r, err)
		}
	}
}
