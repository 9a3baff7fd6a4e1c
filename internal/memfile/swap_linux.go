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
	flag := uint(unix.RENAME_NOREPLACE)
	if exchange {
		flag = unix.RENAME_EXCHANGE
	}
	dir, err := root.Open(".")
	if err != nil {
		return false, err
	}
	defer dir.Close()
	err = unix.Renameat2(int(dir.Fd()), from, int(dir.Fd()), to, flag)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) {
		return false, nil
	}
	return true, err
}

// networks are the file systems that other machines write to, by the numbers that
// statfs(2) gives them.
var networks = map[uint32]string{
	0x6969: "NFS", 0xff534d42: "CIFS", 0xfe534d42: "SMB", 0x517b: "SMB", 0x01021997: "9P", 0x5346414f: "AFS", 0x00c36400: "Ceph",
	0x73757245: "Coda", 0x0bd00bd0: "Lustre", 0x47504653: "GPFS", 0x7461636f: "OCFS2", 0x01161970: "GFS2", 0x19830326: "BeeGFS",
	0x65735546: "FUSE, which can be one",
}

// network names the network file system that a folder lies on; empty: none that is known.
func network(dir string) string {
	var s unix.Statfs_t
	if unix.Statfs(dir, &s) != nil {
		return ""
	}
	return networks[uint32(s.Type)]
}
