package tell

import (
	"fmt"
	"slices"
	"strings"
)

// MaxNamed is how many names, or runs of lines, stand in one line.
const MaxNamed = 8

// Few lists names, and how many more there are.
func Few(names []string) string {
	if more := len(names) - MaxNamed; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:MaxNamed], ", "), more)
	}
	return strings.Join(names, ", ")
}

// Count writes a number with what it counts: one of it, or many.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Lines writes lines counted from 0 as people count them, runs as FIRST-LAST, at
// most [MaxNamed] of them.
func Lines(lines []int) string {
	var out []string
	for i := 0; i < len(lines); {
		j := i
		for j+1 < len(lines) && lines[j+1] == lines[j]+1 {
			j++
		}
		one := fmt.Sprint(lines[i] + 1)
		if j > i {
			one += fmt.Sprintf("-%d", lines[j]+1)
		}
		if out = append(out, one); len(out) > MaxNamed {
			out[MaxNamed] = "…"
			break
		}
		i = j + 1
	}
	return strings.Join(out, ", ")
}

// Prefixed returns prefix and s, or nothing where s is empty.
func Prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

// Join writes the strings that are not empty with sep between them.
func Join(sep string, list ...string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == "" }), sep)
}
