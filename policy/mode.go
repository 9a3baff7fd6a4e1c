package policy

import "github.com/hearsay-memory/hearsay"

// ApplyMode returns the verdict on a write as the mode carries it out. Under warn
// a quarantine lets through, flagged; under off it lets through and is not. A
// block stays a block in every mode, and with it writes to another principal's
// memory. What else is never softened, protected files and Hearsay's own home, the
// guard decides without asking for a mode. The rule and the reasons stay, so that
// people see what enforce would have done.
func ApplyMode(v hearsay.Verdict, m hearsay.Mode) hearsay.Verdict {
	if v.Action != hearsay.Quarantine {
		return v
	}
	switch m {
	case hearsay.Warn:
		v.Action, v.Flagged = hearsay.Allow, true
	case hearsay.Off:
		v.Action = hearsay.Allow
	}
	return v
}

// ApplyActionMode returns the verdict on an action as the mode carries it out, and
// whether it lets through only for the mode: an ask goes on under warn, flagged,
// and under off. A denial stays a denial.
func ApplyActionMode(v hearsay.ActionVerdict, m hearsay.Mode) (_ hearsay.ActionVerdict, flagged bool) {
	if v != hearsay.Ask || m != hearsay.Warn && m != hearsay.Off {
		return v, false
	}
	return hearsay.AllowAction, m == hearsay.Warn
}
