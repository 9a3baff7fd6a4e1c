package memfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// rename gives one file of a folder another name, in one step: exchange says that both
// are there and change their names, else that there is none of the other name. ok is
// false where the file system cannot do that; nothing was done then.
func rename(root *os.Root, from, to string, exchange bool) (ok bool, err error) {
	flag := uint32(unix.RENAME_EXCL)
	if exchange {
		flag = unix.RENAME_SWAP
	}
	dir, err := root.Open(".")
	if err != nil {
		return false, err
	}
	defer dir.Close()
	err = unix.RenameatxNp(int(dir.Fd()), from, int(dir.Fd()), to, flag)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) {
		return false, nil
	}
	return true, err
}

// network names the network file system that a folder lies on; empty: none that is known.
func network(dir string) string {
	var s unix.Statfs_t
	if unix.Statfs(dir, &s) != nil || s.Flags&unix.MNT_LOCAL != 0 {
		return ""
	}
	return unix.ByteSliceToString(s.Fstypename[:])
}
