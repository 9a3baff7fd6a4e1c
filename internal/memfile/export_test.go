package memfile

import "slices"

// Steps are all that a delivery of one file reaches, in their order.
var Steps = slices.Concat(deliverySteps[:2], steps[:], deliverySteps[2:])

// DeliverAt is [Deliver], and calls at when it has reached one of [Steps].
var DeliverAt = deliverAll

// CarryAt is [Carry], and calls at when it has reached one of [Steps].
var CarryAt = carry

// Find is [Place.find].
func (p Place) Find(text, old string) (at, n int) { return p.find(text, old) }
