//go:build !linux

package bare

import "os"

// syncData makes a file durable: there is no lesser call on every other system.
func syncData(f *os.File) error { return f.Sync() }
