package reviewer

// Restore makes the registry of a ledger from what a fold of its enrolments left:
// who is active, and every key that was ever enrolled. It trusts its arguments;
// whoever verifies a ledger folds it with [Registry.Apply] instead.
func Restore(logID string, active []Enrolment, seen []string) *Registry {
	r := &Registry{}
	for _, e := range active {
		r.put(e)
	}
	if len(active) > 0 {
		r.log = logID
	}
	for _, id := range seen {
		r.seen[id] = true
	}
	return r
}
