package hostproc

import (
	"errors"
	"unsafe"

	"golang.org/x/sys/windows"
)

// machine is empty: a creation time counts 100 ns since 1601 and is unique across boots.
func machine() (string, error) { return "windows", nil }

// read finds one process in a Toolhelp snapshot and asks for its creation time. Windows keeps the pid of a parent that
// ended and hands pids out again, so the creation time is what tells a parent from a stranger. Sessions and terminals
// have no counterpart that could be used.
func read(pid int) (Proc, error) {
	snap, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return Proc{}, err
	}
	defer windows.CloseHandle(snap)
	entry := windows.ProcessEntry32{Size: uint32(unsafe.Sizeof(windows.ProcessEntry32{}))}
	for err = windows.Process32First(snap, &entry); err == nil; err = windows.Process32Next(snap, &entry) {
		if int(entry.ProcessID) != pid {
			continue
		}
		start, ended, err := times(entry.ProcessID)
		if err != nil {
			return Proc{}, err
		}
		return Proc{PID: pid, PPID: int(entry.ParentProcessID), Name: windows.UTF16ToString(entry.ExeFile[:]), Start: start, Defunct: ended}, nil
	}
	if errors.Is(err, windows.ERROR_NO_MORE_FILES) {
		return Proc{}, ErrNoProcess
	}
	return Proc{}, err
}

// times returns the creation time of a process and whether it has ended.
func times(pid uint32) (start uint64, ended bool, err error) {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, pid)
	if err != nil {
		return 0, false, err
	}
	defer windows.CloseHandle(h)
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(h, &created, &exited, &kernel, &user); err != nil {
		return 0, false, err
	}
	start = uint64(created.HighDateTime)<<32 | uint64(created.LowDateTime)
	return start, exited.HighDateTime != 0 || exited.LowDateTime != 0, nil
}
