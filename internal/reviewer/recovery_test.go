package reviewer

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
)

// seeds yields n seeds that look random.
func seeds(n int) [][]byte {
	var out [][]byte
	for i := range n {
		sum := sha256.Sum256(binary.BigEndian.AppendUint64(nil, uint64(i)))
		out = append(out, sum[:])
	}
	return out
}

func TestRecoveryText(t *testing.T) {
	text := RecoveryText(seed(0))
	lines := strings.Split(text, "\n")
	if len(lines) != 5 || len(lines[0]) != len("1: 00000-00000-00000") || !strings.HasPrefix(lines[0], "1: 00000-00000-00") {
		t.Errorf("text is\n%s", text)
	}
	if lines[0][3:] == lines[1][3:] {
		t.Error("equal lines have equal checksums: exchanging them would go unseen")
	}
	for _, s := range append(seeds(50), seed(0), seed(0xff), seed(1)) {
		text := RecoveryText(s)
		for name, typed := range map[string]string{
			"as printed":      text,
			"lower case":      strings.ToLower(text),
			"no numbers":      strings.NewReplacer("1: ", "", "2: ", "", "3: ", "", "4: ", "").Replace(text),
			"look-alikes":     strings.NewReplacer("1: ", "1: ", "0", "O", "V", "u").Replace(text),
			"Windows lines":   strings.ReplaceAll(text, "\n", "\r\n"),
			"spaces, no dash": strings.ReplaceAll(text, "-", " "),
		} {
			got, err := ParseRecovery(typed)
			if err != nil || !bytes.Equal(got, s) {
				t.Fatalf("%s: %v\n%s", name, err, typed)
			}
		}
	}
}

// Each single slip is found and its line named, up to what 11 bits can tell apart.
func TestRecoveryTypoIsNamed(t *testing.T) {
	text := RecoveryText(seeds(1)[0])
	tried, missed := 0, 0
	for i := range len(text) {
		at := strings.Count(text[:i], "\n")
		if text[i] == '\n' || text[i] == '-' || i-strings.LastIndexByte(text[:i], '\n') <= 3 {
			continue // separators and line numbers
		}
		for _, c := range alphabet {
			if byte(c) == text[i] {
				continue
			}
			tried++
			_, err := ParseRecovery(text[:i] + string(c) + text[i+1:])
			if err == nil {
				missed++
				continue
			}
			if !errors.Is(err, ErrRecovery) || !strings.Contains(err.Error(), "line "+string(rune('1'+at))) {
				t.Fatalf("a slip on line %d: %v", at+1, err)
			}
		}
	}
	if missed*256 > tried {
		t.Errorf("%d of %d slips went unseen", missed, tried)
	}
}

func TestRecoveryRefuses(t *testing.T) {
	text := RecoveryText(seeds(1)[0])
	lines := strings.SplitAfter(text, "\n")
	for name, typed := range map[string]string{
		"nothing":         "",
		"a line missing":  lines[0] + lines[1] + lines[2],
		"lines exchanged": lines[0][:3] + lines[1][3:] + lines[1][:3] + lines[0][3:] + lines[2] + lines[3],
		"one too many":    text + "0",
		"twice":           text + text,
		"other letters":   strings.Replace(text, "1: ", "1: é", 1),
		"another prefix":  "key: " + text,
		"line 9":          strings.Replace(text, "2:", "9:", 1),
		"very long":       strings.Repeat("0", 2000),
	} {
		seed, err := ParseRecovery(typed)
		if !errors.Is(err, ErrRecovery) {
			t.Errorf("%s: %x, %v", name, seed, err)
		}
		if err != nil && strings.Contains(err.Error(), lines[0][3:8]) {
			t.Errorf("%s: the error repeats the key: %v", name, err)
		}
	}
}

func FuzzParseRecovery(f *testing.F) {
	f.Add(RecoveryText(seed(3)))
	f.Add("1: ")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseRecovery(text)
		if err != nil {
			return
		}
		again, err := ParseRecovery(RecoveryText(s))
		if err != nil || !bytes.Equal(again, s) {
			t.Errorf("%q: %x and %x, %v", text, s, again, err)
		}
	})
}
