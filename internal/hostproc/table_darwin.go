package hostproc

import (
	"bytes"
	"errors"

	"golang.org/x/sys/unix"
)

// Flags of struct eproc in <sys/sysctl.h>.
const (
	eprocCTTY    = 0x01 // has a controlling terminal
	eprocSLeader = 0x02 // session leader
	statZombie   = 5    // SZOMB in <sys/proc.h>
)

// machine names the boot.
func machine() (string, error) { return unix.Sysctl("kern.bootsessionuuid") }

// read asks the kernel for one process (sysctl kern.proc.pid).
func read(pid int) (Proc, error) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if errors.Is(err, unix.ESRCH) || errors.Is(err, unix.EIO) {
		// For a pid that nobody has, the kernel answers with no entry, which x/sys reports as EIO.
		return Proc{}, ErrNoProcess
	}
	if err != nil {
		return Proc{}, err
	}
	name, _, _ := bytes.Cut(k.Proc.P_comm[:], []byte{0})
	start := k.Proc.P_starttime
	return Proc{
		PID:     int(k.Proc.P_pid),
		PPID:    int(k.Eproc.Ppid),
		Name:    string(name),
		Start:   uint64(start.Sec)*1_000_000 + uint64(start.Usec) + 1, // microseconds; 0 stands for unknown
		Leader:  k.Eproc.Flag&eprocSLeader != 0,
		TTY:     k.Eproc.Flag&eprocCTTY != 0,
		Defunct: k.Proc.P_stat == statZombie,
	}, nil
}
