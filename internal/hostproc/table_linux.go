package hostproc

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// machine names the boot and the pid namespace. Two containers of one boot may hold the same pid and start time.
func machine() (string, error) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", err
	}
	ns, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(string(boot)) + " " + ns, nil
}

// read reads /proc/<pid>/stat, see proc_pid_stat(5).
func read(pid int) (Proc, error) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	// A process that ends between open and read gives ESRCH.
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
		return Proc{}, ErrNoProcess
	}
	if err != nil {
		return Proc{}, err
	}
	p, err := parseStat(data)
	if err == nil && p.PID != pid {
		// A /proc of another pid namespace: its numbers are not those of our system calls.
		err = fmt.Errorf("/proc/%d is about process %d", pid, p.PID)
	}
	return p, err
}

// parseStat parses one line of /proc/<pid>/stat. The second field is the name in parentheses, and it may hold spaces,
// parentheses and newlines, so the fields after it are counted from the last parenthesis.
func parseStat(data []byte) (Proc, error) {
	open, end := bytes.IndexByte(data, '('), bytes.LastIndexByte(data, ')')
	if open < 1 || end < open {
		return Proc{}, errors.New("no name in the process's stat line")
	}
	pid, err := strconv.Atoi(string(bytes.TrimSpace(data[:open])))
	if err != nil {
		return Proc{}, fmt.Errorf("bad pid in the process's stat line: %w", err)
	}
	// state, ppid, pgrp, session, tty_nr, …; starttime is the 20th of these.
	f := strings.Fields(string(data[end+1:]))
	if len(f) < 20 {
		return Proc{}, fmt.Errorf("%d fields after the name in the process's stat line, wanted 20", len(f))
	}
	p := Proc{PID: pid, Name: string(data[open+1 : end]), Defunct: f[0] == "Z" || f[0] == "X" || f[0] == "x"}
	session, err1 := strconv.Atoi(f[3])
	tty, err2 := strconv.Atoi(f[4])
	ppid, err3 := strconv.Atoi(f[1])
	start, err4 := strconv.ParseUint(f[19], 10, 63)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return Proc{}, fmt.Errorf("bad number in the process's stat line: %w", err)
	}
	p.PPID, p.Leader, p.TTY = ppid, session == pid, tty != 0
	// Clock ticks since boot. The first process may have started within the first tick; 0 stands for unknown.
	p.Start = start + 1
	return p, nil
}
