package bare

import (
	"os"

	"golang.org/x/sys/unix"
)

// syncData makes the data of a file durable.
func syncData(f *os.File) error { return unix.Fdatasync(int(f.Fd())) }
