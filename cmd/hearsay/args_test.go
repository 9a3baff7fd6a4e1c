package main

import (
	"testing"
	"time"
)

func TestParseSince(t *testing.T) {
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	for in, want := range map[string]time.Time{
		"2026-01-31T12:00:00Z":      time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC),
		"2026-01-31T12:00:00+01:00": time.Date(2026, 1, 31, 11, 0, 0, 0, time.UTC),
		"90m":                       now.Add(-90 * time.Minute),
		"2h":                        now.Add(-2 * time.Hour),
		"3d":                        now.AddDate(0, 0, -3),
	} {
		got, err := parseSince(in, now)
		if err != nil || !got.Equal(want) {
			t.Errorf("parseSince(%q) = %v, %v, want %v", in, got, err, want)
		}
	}
	for _, in := range []string{"", "d", "0d", "-3d", "-2h", "0s", "yesterday", "2026-01-31", "99999999d"} {
		if got, err := parseSince(in, now); err == nil {
			t.Errorf("parseSince(%q) = %v, want an error", in, got)
		}
	}
}
