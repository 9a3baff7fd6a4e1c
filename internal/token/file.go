package token

import (
	"fmt"
	"os"
)

// Open opens a file of tokens to read, which must be the user's alone.
func Open(name string) (*os.File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	if mode := info.Mode().Perm(); os.PathSeparator == '/' && mode&0o077 != 0 {
		f.Close()
		return nil, fmt.Errorf("others can read %s (mode %04o): chmod 600 it", name, mode)
	}
	return f, nil
}
