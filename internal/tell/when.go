package tell

import (
	"fmt"
	"time"
)

// Instant writes a time in UTC ms for people.
func Instant(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.RFC3339) }

// Ago says for people how long before now a time in UTC ms was.
func Ago(ms int64, now time.Time) string {
	switch d := now.Sub(time.UnixMilli(ms)); {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%dm ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh ago", int(d.Hours()))
	default:
		return fmt.Sprintf("%dd ago", int(d.Hours()/24))
	}
}

// Left says for people how long it is until a time in UTC ms, rounded up to minutes.
func Left(ms int64, now time.Time) string {
	d := time.UnixMilli(ms).Sub(now)
	return fmt.Sprintf("%dm", (d+time.Minute-1)/time.Minute)
}
