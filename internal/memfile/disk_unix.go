//go:build unix

package memfile

import (
	"io/fs"
	"syscall"
)

// nonblock keeps the opening of a pipe that took a file's place from waiting.
const nonblock = syscall.O_NONBLOCK

// Links is how many names a file has.
func Links(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Nlink)
	}
	return 1
}
