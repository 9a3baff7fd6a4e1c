// Package hostproc finds the host process that we run under: the agent program that started this proxy or hook,
// whatever wrappers stand in between. Proxies of one host join one session by it.
//
// The rule walks up from our parent and stops at the first boundary, a process that starts programs for a person and
// not for an agent: init, the user's service manager, a desktop session, sshd, a terminal, the interactive shell in
// it. The outermost process below the boundary is the host. When in doubt the answer is "not joined", and the caller
// must then use the session that all of the principal's processes share.
//
// Names are what processes call themselves, and a program can leave its ancestors by handing work to a service
// manager or a terminal multiplexer. The answer therefore joins honest processes; it does not confine a hostile one
// that runs with the user's rights.
package hostproc

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
)

// ErrNoProcess is returned by a process table for a pid that nobody has.
var ErrNoProcess = errors.New("no such process")

// Proc is one entry of the process table.
type Proc struct {
	PID     int
	PPID    int
	Name    string // as the kernel has it: at most 15 bytes on Linux, 16 on macOS
	Start   uint64 // start time, in a unit of the platform that orders processes since boot; 0 is unknown
	Leader  bool   // session leader
	TTY     bool   // has a controlling terminal
	Defunct bool   // has ended, its parent has not looked
}

// Table reads one process. Errors other than [ErrNoProcess] mean that it could not be read.
type Table func(pid int) (Proc, error)

// Host is the process that we run under. The zero value is not joined.
type Host struct {
	ID     string // "proc-…": stable for the life of the host process, unique across boots; "" unless Joined
	PID    int    // 0 unless Joined
	Name   string // as Proc.Name, for people; it may hold any bytes
	Joined bool   // false: no host could be told apart, use the principal's shared session
}

// Current returns the host of this process. An error says why a host could not be looked for; the Host is then not
// joined, as it is when there simply is none.
func Current() (Host, error) {
	scope, err := machine()
	if err != nil {
		return Host{}, fmt.Errorf("hostproc: cannot name this boot: %w", err)
	}
	return Find(os.Getpid(), scope, read)
}

// Alive reports whether the process that a Host of this machine named still runs: same pid, same start, same boot.
// An error means that it cannot be told; treat the host as alive then, since an ended session loses its taint.
func Alive(id string, pid int) (bool, error) {
	scope, err := machine()
	if err != nil {
		return false, fmt.Errorf("hostproc: cannot name this boot: %w", err)
	}
	return alive(id, pid, scope, read)
}

func alive(id string, pid int, scope string, table Table) (bool, error) {
	p, err := table(pid)
	if errors.Is(err, ErrNoProcess) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("hostproc: cannot read process %d: %w", pid, err)
	}
	return !p.Defunct && identity(scope, p) == id, nil
}

// maxDepth bounds the walk. Real chains have fewer than twenty links.
const maxDepth = 128

// Find applies the rule to the process self in a process table. Scope names the boot and the pid namespace in which
// pids and start times mean something; it goes into the ID.
func Find(self int, scope string, table Table) (Host, error) {
	child, err := table(self)
	if err != nil {
		return Host{}, fmt.Errorf("hostproc: cannot read our own process: %w", err)
	}
	var below []Proc // between us and the boundary, innermost first
	for range maxDepth {
		if child.PPID <= 0 {
			// Started from outside this pid namespace, or we are its first process: whoever did it is out of sight.
			return Host{}, nil
		}
		p, err := table(child.PPID)
		switch {
		case errors.Is(err, ErrNoProcess):
			return Host{}, nil // the parent died, on a platform that does not give orphans another
		case err != nil:
			return Host{}, fmt.Errorf("hostproc: cannot read process %d: %w", child.PPID, err)
		case p.Start == 0 || child.Start == 0 || p.Start > child.Start:
			return Host{}, nil // younger than its child: the pid was used again and the true parent is gone
		}
		switch classify(p, table) {
		case boundary:
			return outermost(below, p, scope), nil
		case opaque:
			return Host{}, nil
		}
		below = append(below, p)
		if p.PID == 1 {
			// A container whose first process is a program like any other: that is the host of all in it.
			return outermost(below, Proc{}, scope), nil
		}
		child = p
	}
	return Host{}, nil
}

// outermost picks the host among the processes below a boundary.
func outermost(below []Proc, above Proc, scope string) Host {
	if len(below) == 0 {
		return Host{}
	}
	// Shells and package runners start others and converse with nobody. A chain of them alone is a command that a
	// person typed, or one that got away from its host.
	wrappers := true
	for _, p := range below {
		wrappers = wrappers && isWrapper(p.Name)
	}
	if wrappers {
		return Host{}
	}
	top := below[len(below)-1]
	// Service managers start programs without a terminal. One that has a terminal fell to them when its parent died,
	// and which host that was cannot be seen any more.
	if isManager(above.Name) && top.TTY {
		return Host{}
	}
	return Host{ID: identity(scope, top), PID: top.PID, Name: top.Name, Joined: true}
}

// identity hashes what makes a process unique: nobody learns pids or boot ids from a session id.
func identity(scope string, p Proc) string {
	h := sha256.New()
	h.Write([]byte("hearsay/hostproc/v1\x00"))
	var b []byte
	b = binary.BigEndian.AppendUint32(b, uint32(len(scope)))
	b = append(b, scope...)
	b = binary.BigEndian.AppendUint64(b, uint64(p.PID))
	b = binary.BigEndian.AppendUint64(b, p.Start)
	h.Write(b)
	return "proc-" + hex.EncodeToString(h.Sum(nil)[:16])
}
