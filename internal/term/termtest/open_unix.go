//go:build linux || darwin

package termtest

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// open makes a terminal: the end of the person, and the end of the program.
func open() (person, program *os.File, err error) {
	person, err = os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	name, err := unlocked(int(person.Fd()))
	if err == nil {
		program, err = os.OpenFile(name, os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		person.Close()
		return nil, nil, err
	}
	return person, program, nil
}

// control makes a terminal the one that a command finds as its own.
func control(cmd *exec.Cmd, program *os.File) {
	cmd.ExtraFiles = []*os.File{program}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 3} // the first of the extra files
}
