package event

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay"
)

// filler fills every field it can reach with something, so that a field that is added
// to an image and forgotten in its encoder shows.
type filler struct{ r *rand.Rand }

func (f filler) string() string {
	letters := []string{"a", "é", "資", "\"", "\\", "\n", "\x00", "\x1f", "\x7f", "\b", "\f", "\t", "\r", "<", ">", "&", "/", "\u2028", "\u2029", "\u202e", "\U0001f3c4", "\ufffd", `\ufffd`}
	var s strings.Builder
	for range f.r.IntN(6) {
		s.WriteString(letters[f.r.IntN(len(letters))])
	}
	return s.String()
}

func (f filler) float() float64 {
	return [...]float64{0, 1, 0.3, -0.25, 1e-7, 123456789e-20, 1e21, 1e20, -3.5e30, 5e-324, 1.7976931348623157e308}[f.r.IntN(11)]
}

func (f filler) fill(v reflect.Value) {
	switch at := v.Addr().Interface().(type) {
	case *hearsay.Taint:
		*at = [...]hearsay.Taint{{}, hearsay.Untainted, hearsay.NewTaint("web", "mcp:<a&b>"), hearsay.NewTaint("tool:x")}[f.r.IntN(4)]
		return
	case *hearsay.RecordID:
		*at = [...]hearsay.RecordID{idOne, idTwo}[f.r.IntN(2)]
		return
	case *hearsay.Origin:
		*at = hearsay.Origin(f.r.IntN(int(hearsay.User) + 1))
		return
	case *hearsay.ActionVerdict:
		*at = hearsay.ActionVerdict(f.r.IntN(3))
		return
	case *hearsay.Mode:
		*at = hearsay.Mode(f.r.IntN(3))
		return
	case *hearsay.Reach:
		*at = hearsay.Reach(f.r.IntN(3))
		return
	case *hearsay.Standing:
		*at = hearsay.Standing(f.r.IntN(int(hearsay.Erased) + 1))
		return
	case *hearsay.Delivery:
		*at = hearsay.Delivery(f.r.IntN(int(hearsay.Withdrawn) + 1))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(f.string())
	case reflect.Float64:
		v.SetFloat(f.float())
	case reflect.Bool:
		v.SetBool(f.r.IntN(2) == 1)
	case reflect.Int, reflect.Int64:
		v.SetInt(f.r.Int64N(1 << 50))
	case reflect.Uint8:
		v.SetUint(uint64(f.r.IntN(256)))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem())
	case reflect.Slice:
		if n := f.r.IntN(4); n < 3 { // sometimes nil
			v.Set(reflect.MakeSlice(v.Type(), n, n))
		}
		for i := range v.Len() {
			f.fill(v.Index(i))
		}
	case reflect.Struct:
		for _, field := range v.Fields() {
			f.fill(field)
		}
	default:
		panic(fmt.Sprintf("no filling for %s", v.Type()))
	}
}

// filled returns a well-formed event of the kind with everything in it.
func filled(r *rand.Rand, k Kind) *Event {
	e := &Event{}
	filler{r}.fill(reflect.ValueOf(e).Elem())
	e.V, e.Kind = Version, k
	if image[k] != "record" {
		e.Record = nil
	}
	if image[k] != "session" {
		e.Session = nil
	}
	if image[k] != "action" {
		e.Action = nil
	}
	if image[k] != "file" {
		e.File = nil
	}
	if image[k] != "policy" {
		e.Policy = nil
	}
	if image[k] != "reviewer" {
		e.Reviewer = nil
	}
	if image[k] != "audit" {
		e.Audit = nil
	}
	e.Subject = e.subject()
	return e
}

// TestEncoderAgrees holds the hand-written encoder against the standard library's, and
// each image against what Fold stores.
func TestEncoderAgrees(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for k := range image {
		for range 300 {
			e := filled(r, k)
			got, err := e.Encode()
			if err != nil {
				t.Fatal(err)
			}
			if want := rawJSON(t, e); string(got) != want {
				t.Fatalf("%s encodes to\n%s\nand the standard library says\n%s", k, got, want)
			}
			back, err := Decode(got)
			if err != nil {
				t.Fatalf("%s: %v", got, err)
			}
			puts, err := Fold(back)
			if err != nil {
				t.Fatal(err)
			}
			_, image, _ := e.encode()
			for _, p := range puts {
				if p.Table != Statements && string(p.Value) != string(image) {
					t.Fatalf("the row is\n%s\nand the image\n%s", p.Value, image)
				}
			}
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	s, err := Seal(draft("prefers tabs"), 41, 1000, 2000, same(7))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Decode(s.Body); err != nil {
			b.Fatal(err)
		}
	}
}
