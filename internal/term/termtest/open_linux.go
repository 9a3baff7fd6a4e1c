package termtest

import (
	"strconv"

	"golang.org/x/sys/unix"
)

// unlocked lets the other end of a new terminal be opened, and returns its name.
func unlocked(fd int) (string, error) {
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		return "", err
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	return "/dev/pts/" + strconv.Itoa(n), err
}
