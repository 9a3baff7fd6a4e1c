//go:build unix

package git

import "syscall"

// nonblock keeps the opening of a pipe that took a file's place from waiting.
const nonblock = syscall.O_NONBLOCK
