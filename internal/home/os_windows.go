package home

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// modesUnchecked: permission bits mean nothing on Windows, where a home inherits the access list of the profile.
const modesUnchecked = true

func owner(fs.FileInfo) int { return os.Geteuid() }

// openNoFollow opens a file for reading and fails if it is a symbolic link.
func openNoFollow(path string) (*os.File, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return nil, fmt.Errorf("it is a symbolic link: %w", ErrUnsafe)
	}
	return os.Open(path)
}

// syncDir does nothing: NTFS journals a rename, and a directory cannot be flushed without special rights.
func syncDir(string) error { return nil }

// tryLock takes an exclusive lock on the first byte of f without waiting.
func tryLock(f *os.File) (bool, error) {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, new(windows.Overlapped))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return false, nil
	}
	return err == nil, err
}

func unlock(f *os.File) error {
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, new(windows.Overlapped))
}
