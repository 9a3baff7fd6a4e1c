package shell

import "testing"

func TestWord(t *testing.T) {
	for in, want := range map[string]string{"/a/b-c": "/a/b-c", "": "''", "a b": "'a b'", "it's $x": `'it'\''s $x'`} {
		if got := Word(in); got != want {
			t.Errorf("%q: %s", in, got)
		}
	}
}
