//go:build patient

package main

import "time"

// deadline of a hook that tests build, which ask what it decides and not how soon.
const deadline = time.Minute
