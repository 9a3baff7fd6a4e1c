package memtool

// At returns the handler with a function that is told what was reached: "sealed".
func (h Handler) At(at func(step string)) *Handler {
	h.at = at
	return &h
}
