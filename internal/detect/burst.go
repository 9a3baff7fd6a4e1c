package detect

import (
	"fmt"

	"github.com/hearsay-memory/hearsay"
)

// burstLine returns how many writes of an origin within a day are too many; 0: never.
func burstLine(o hearsay.Origin) int {
	switch o {
	case hearsay.User:
		return 0
	case hearsay.Channel, hearsay.Agent:
		return BurstAgent
	case hearsay.Tool:
		return BurstTool
	}
	return BurstExternal
}

// bursts finds runs of writes of one origin. That of an agent or a known person is
// advisory: a day of honest work looks the same.
func (f *finder) bursts() {
	by := make(map[hearsay.Origin][]*Memory)
	for _, m := range f.all {
		by[voice(m.Label)] = append(by[voice(m.Label)], m)
	}
	for o := range hearsay.User {
		line := burstLine(o)
		for _, run := range runs(by[o], span{window: Day, line: line, days: 1, weight: one}) {
			level, advisory := Warning, false
			if !o.LowTrust() {
				level, advisory = Note, true
			}
			f.about(Finding{
				Rule: RuleBurst, Level: level, Advisory: advisory,
				Text: fmt.Sprintf("%d memories of %s origin, in a run of at least %d within 24 hours", len(run), o, line),
			}, "", run)
		}
	}
}

// span says what makes a run.
type span struct {
	window int64 // ms
	line   int   // the least weight within a window
	days   int   // the least number of different days within it
	weight func(*Memory) int
}

func one(*Memory) int { return 1 }

// runs returns the stretches of memories, which are in order of their time, in which each
// lies in some window that reaches the line. Windows that overlap make one stretch.
func runs(ms []*Memory, s span) [][]*Memory {
	var out [][]*Memory
	from, to := 0, 0 // the stretch that is open
	day := make([]int, len(ms))
	for i := range ms {
		if i > 0 {
			day[i] = day[i-1]
			if ms[i].Created/Day != ms[i-1].Created/Day {
				day[i]++
			}
		}
	}
	end, weight := 0, 0
	for i := range ms {
		for end < len(ms) && ms[end].Created-ms[i].Created < s.window {
			weight += s.weight(ms[end])
			end++
		}
		if weight >= s.line && day[end-1]-day[i]+1 >= s.days {
			if i >= to {
				if to > from {
					out = append(out, ms[from:to])
				}
				from = i
			}
			to = end
		}
		weight -= s.weight(ms[i])
	}
	if to > from {
		out = append(out, ms[from:to])
	}
	return out
}
