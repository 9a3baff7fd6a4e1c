//go:build unix

package git

import "syscall"

func pipe(name string) error {
	return swap(name, func(n string) error { return syscall.Mkfifo(n, 0o600) })
}
