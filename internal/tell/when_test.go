package tell

import (
	"testing"
	"time"
)

func TestAgo(t *testing.T) {
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	for d, want := range map[time.Duration]string{
		-time.Hour:       "just now", // a clock that was set back
		time.Second:      "just now",
		90 * time.Second: "1m ago",
		47 * time.Hour:   "47h ago",
		72 * time.Hour:   "3d ago",
	} {
		if got := Ago(now.Add(-d).UnixMilli(), now); got != want {
			t.Errorf("%v before now is %q, want %q", d, got, want)
		}
	}
}
