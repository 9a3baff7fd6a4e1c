// Command hearsay guards the memory of AI agents by who is really speaking.
//
// Each command is one file and wires packages together; what it decides is decided
// below, in package guard. Exit codes: 0 done, 1 failed, 2 usage, 3 held or denied,
// 4 integrity failure.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr})
	stop()
	os.Exit(code)
}
