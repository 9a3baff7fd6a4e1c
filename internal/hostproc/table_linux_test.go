package hostproc

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

const tail = " 4194304 1 2 3 4 5 6 7 8 20 0 1 0 12345 1000 200 18446744073709551615"

func TestParseStat(t *testing.T) {
	for line, want := range map[string]Proc{
		"42 (bash) S 41 42 42 34816 42" + tail:                                {PID: 42, PPID: 41, Name: "bash", Start: 12346, Leader: true, TTY: true},
		"42 (a b) c) R 41 42 40 0 -1" + tail:                                  {PID: 42, PPID: 41, Name: "a b) c", Start: 12346},
		"42 (x) S 1 42 42 0 -1) Z 7 42 41 0 -1" + tail:                        {PID: 42, PPID: 7, Name: "x) S 1 42 42 0 -1", Start: 12346, Defunct: true},
		"42 (sshd\n1 (init) S 0) S 41 42 41 0 -1" + tail:                      {PID: 42, PPID: 41, Name: "sshd\n1 (init) S 0", Start: 12346},
		"42 () X 41 42 41 0 -1" + tail + "\n":                                 {PID: 42, PPID: 41, Start: 12346, Defunct: true},
		"1 (process_api) S 0 0 0 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 11 0 6 39": {PID: 1, Name: "process_api", Start: 7},
	} {
		got, err := parseStat([]byte(line))
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%q: %v %s", line, err, diff)
		}
	}
	for _, bad := range []string{"", "42", "42 bash S", "(bash) S 41", "42 )bash( S 41", "x (bash) S 41 42 42 0 -1" + tail, "42 (bash) S 41 42 42 0",
		"42 (bash) S x 42 42 0 -1" + tail, "42 (bash) S 41 42 x 0 -1" + tail, "42 (bash) S 41 42 42 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 -5 1"} {
		if got, err := parseStat([]byte(bad)); err == nil {
			t.Errorf("%q gave %+v", bad, got)
		}
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("42 (a b) c) R 41 42 40 0 -1" + tail))
	f.Fuzz(func(t *testing.T, data []byte) {
		if p, err := parseStat(data); err == nil && p.Start == 0 {
			t.Errorf("%q: no start time and no error", data)
		}
	})
}
