package termtest

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// unlocked lets the other end of a new terminal be opened, and returns its name.
func unlocked(fd int) (string, error) {
	for _, request := range []uint{unix.TIOCPTYGRANT, unix.TIOCPTYUNLK} {
		if err := unix.IoctlSetInt(fd, request, 0); err != nil {
			return "", err
		}
	}
	var name [128]byte // as the request's own number says
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), unix.TIOCPTYGNAME, uintptr(unsafe.Pointer(&name[0]))); errno != 0 {
		return "", errno
	}
	return unix.ByteSliceToString(name[:]), nil
}
