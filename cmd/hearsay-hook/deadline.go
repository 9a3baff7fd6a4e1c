//go:build !patient

package main

import "time"

// deadline is our own, far below that of any host: a host that loses its patience lets
// the tool run. It is built in: what could lengthen it from outside could stop the answer.
const deadline = 2500 * time.Millisecond
