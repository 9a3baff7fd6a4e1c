package main

import (
	"strconv"
	"strings"
	"time"
)

// nowMS is the time in UTC ms.
func nowMS() int64 { return time.Now().UnixMilli() }

// parseSince reads a point in time: RFC 3339, or how long ago, as in 90m, 2h, 3d.
func parseSince(s string, now time.Time) (time.Time, error) {
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return t, nil
	}
	if days, ok := strings.CutSuffix(s, "d"); ok {
		if n, err := strconv.ParseUint(days, 10, 16); err == nil && n > 0 {
			return now.AddDate(0, 0, -int(n)), nil
		}
	}
	if d, err := time.ParseDuration(s); err == nil && d > 0 {
		return now.Add(-d), nil
	}
	return time.Time{}, usageError("%q is no time: write 2026-01-31T12:00:00Z, or how long ago: 90m, 2h, 3d", s)
}
