//go:build unix

package hook_test

import "syscall"

func fifo(name string) error { return syscall.Mkfifo(name, 0o600) }
