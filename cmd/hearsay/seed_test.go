package main

import (
	"context"
	"fmt"
	"os"

	"github.com/hearsay-memory/hearsay/internal/hometest"
)

// seed plays an agent at a surface, for scripts: `seed HOME SESSION SOURCE REF TEXT [SAYS…]`
// is [hometest.Plant] and prints the record's id.
func seed() {
	a := os.Args
	id, err := hometest.Plant(context.Background(), a[1], a[2], a[3], a[4], a[5], a[6:]...)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(id)
}

// tamper plays one who changes the store around Hearsay: `tamper HOME SQL`.
func tamper() {
	if err := hometest.Change(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
