package hostproc

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// errDenied stands for a process that could not be read.
var errDenied = errors.New("permission denied")

// chain is a process table written as a line: outermost first, ours last, " > " between them. Each link is a name, with "!" for a session
// leader with a terminal, "~" for one in a terminal without leading, "?" for one that cannot be read, "†" for one that
// is gone, "^" for one that is younger than its child. Pids count from first; start times rise.
func chain(first int, line string) (self int, table Table) {
	type entry struct {
		p   Proc
		err error
	}
	procs := make(map[int]entry)
	pid, parent := first, first-1
	if first <= 1 {
		parent = 0
	}
	for i, name := range strings.Split(line, " > ") {
		p := Proc{PID: pid, PPID: parent, Start: uint64(100 + i)}
		var err error
		for strings.ContainsAny(name[len(name)-1:], "!~?^") || strings.HasSuffix(name, "†") {
			switch {
			case strings.HasSuffix(name, "†"):
				err = ErrNoProcess
				name = strings.TrimSuffix(name, "†")
				continue
			case strings.HasSuffix(name, "!"):
				p.Leader, p.TTY = true, true
			case strings.HasSuffix(name, "~"):
				p.TTY = true
			case strings.HasSuffix(name, "?"):
				err = errDenied
			case strings.HasSuffix(name, "^"):
				p.Start = 10_000
			}
			name = name[:len(name)-1]
		}
		p.Name = name
		procs[pid] = entry{p, err}
		self, parent = pid, pid
		pid++
	}
	return self, func(pid int) (Proc, error) {
		e, ok := procs[pid]
		if !ok {
			return Proc{}, ErrNoProcess
		}
		return e.p, e.err
	}
}

func TestTheRule(t *testing.T) {
	for _, tt := range []struct {
		name  string
		chain string // see chain; its first link is pid 1, unless "…" (a parent that is unknown) or "0" (one outside) stands before it
		host  string // "": not joined
		fails bool
	}{
		// Agents on a desktop.
		{name: "desktop app under the user's service manager", chain: "systemd > systemd > claude-desktop > hearsay", host: "claude-desktop"},
		{name: "its helper process starts the server", chain: "systemd > systemd > claude-desktop > claude-helper > hearsay", host: "claude-desktop"},
		{name: "started by the desktop's shell", chain: "systemd > systemd > gnome-shell > cursor > hearsay", host: "cursor"},
		{name: "macOS app", chain: "launchd > Claude > Claude Helper > node > hearsay", host: "Claude"},
		{name: "Windows app", chain: "… > explorer.exe > claude.exe > node.exe > hearsay.exe", host: "claude.exe"},
		{name: "editor", chain: "systemd > systemd > code > code > hearsay", host: "code"},
		{name: "agent in the editor's terminal belongs to the editor", chain: "systemd > systemd > code > code > zsh! > claude~ > hearsay~", host: "code"},

		// Agents in a terminal.
		{name: "terminal on Linux", chain: "systemd > systemd > gnome-terminal- > bash! > claude~ > hearsay~", host: "claude"},
		{name: "terminal on macOS", chain: "launchd > Terminal > login! > -zsh! > claude~ > hearsay~", host: "claude"},
		{name: "over ssh", chain: "systemd > sshd > sshd-session > bash! > codex~ > hearsay~", host: "codex"},
		{name: "in tmux", chain: "systemd > systemd > tmux: server > zsh! > claude~ > hearsay~", host: "claude"},
		{name: "in tmux, as the pane's program", chain: "systemd > systemd > tmux: server > claude! > hearsay~", host: "claude"},
		{name: "a shell within the shell", chain: "systemd > systemd > kitty > bash! > bash~ > claude~ > hearsay~", host: "bash"},
		{name: "unknown terminal: its windows are joined", chain: "systemd > systemd > newterm > bash! > claude~ > hearsay~", host: "newterm"},
		{name: "Windows Terminal", chain: "… > WindowsTerminal.exe > pwsh.exe > claude.exe > hearsay.exe", host: "pwsh.exe"},

		// Wrappers in between.
		{name: "sh -c", chain: "systemd > systemd > kitty > bash! > claude~ > sh~ > hearsay~", host: "claude"},
		{name: "npx", chain: "systemd > systemd > claude-desktop > npm exec hears > sh > node > hearsay", host: "claude-desktop"},
		{name: "a user's script starts the agent", chain: "systemd > systemd > kitty > bash! > bash~ > node~ > hearsay~", host: "bash"},

		// A shell that an agent made for itself is no boundary.
		{name: "script makes a terminal", chain: "systemd > systemd > kitty > bash! > claude~ > script~ > bash! > node~ > hearsay~", host: "claude"},
		{name: "… and nothing stands in it", chain: "systemd > systemd > kitty > bash! > claude~ > script~ > bash! > hearsay~", host: "claude"},
		{name: "a person's script session", chain: "systemd > systemd > kitty > bash! > script~ > bash! > claude~ > hearsay~", host: "script"},
		{name: "a shell without a terminal", chain: "systemd > systemd > kitty > bash! > claude~ > bash > hearsay", host: "claude"},

		// Containers.
		{name: "agent is the first process", chain: "node > hearsay", host: "node"},
		{name: "agent below the container's init", chain: "tini > node > sh > hearsay", host: "node"},
		{name: "entry script", chain: "sh > claude > node > hearsay", host: "sh"},
		{name: "a person's shell is the first process", chain: "bash! > claude~ > hearsay~", host: "claude"},
		{name: "… and hearsay is typed into it", chain: "bash! > hearsay~"},
		{name: "we are the first process", chain: "hearsay"},
		{name: "entered from outside", chain: "0 > node > hearsay"},
		{name: "a namespace made to get away", chain: "sh > hearsay"},
		{name: "sandbox", chain: "bwrap > node > hearsay"},
		{name: "sandbox program as an ordinary process", chain: "systemd > systemd > claude-desktop > bwrap > hearsay", host: "claude-desktop"},

		// Nothing between us and the boundary, or nothing but wrappers.
		{name: "typed into a shell", chain: "systemd > systemd > kitty > bash! > hearsay~"},
		{name: "typed, with a runner", chain: "systemd > systemd > kitty > bash! > npm exec hears~ > sh~ > hearsay~"},
		{name: "started by init", chain: "systemd > hearsay"},
		{name: "started by cron", chain: "systemd > cron > sh > hearsay"},
		{name: "a job's agent", chain: "systemd > cron > sh > agent > hearsay", host: "sh"},

		// What cannot be trusted to be the whole chain.
		{name: "orphan", chain: "systemd > hearsay~"},
		{name: "orphaned host keeps its terminal", chain: "systemd > node~ > hearsay~"},
		{name: "parent is gone", chain: "… > claude.exe† > hearsay.exe"},
		{name: "grandparent is gone", chain: "… > claude.exe† > node.exe > hearsay.exe"},
		{name: "parent's pid was used again", chain: "systemd > systemd > claude-desktop^ > hearsay"},
		{name: "boundary's pid was used again", chain: "… > explorer.exe^ > claude.exe > hearsay.exe"},
		{name: "unreadable parent", chain: "systemd > systemd > claude-desktop? > hearsay", fails: true},
		{name: "unreadable above", chain: "systemd? > node > hearsay", fails: true},
		{name: "unreadable opener: the shell does not count", chain: "systemd > kitty? > bash! > claude~ > hearsay~", fails: true},
		{name: "unreadable self", chain: "systemd > hearsay?", fails: true},
		{name: "deep", chain: "systemd" + strings.Repeat(" > node", 200) + " > hearsay"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			first, links := 1, strings.Split(tt.chain, " > ")
			if links[0] == "…" || links[0] == "0" {
				first = 4000
			}
			self, table := chain(first, strings.TrimPrefix(strings.TrimPrefix(tt.chain, "… > "), "0 > "))
			if links[0] == "0" { // a parent outside the namespace has pid 0
				inner := table
				table = func(pid int) (Proc, error) {
					p, err := inner(pid)
					if pid == first {
						p.PPID = 0
					}
					return p, err
				}
			}
			got, err := Find(self, "boot", table)
			if (err != nil) != tt.fails {
				t.Errorf("error %v", err)
			}
			if got.Name != tt.host || got.Joined != (tt.host != "") {
				t.Fatalf("host %+v, want %q", got, tt.host)
			}
			if !got.Joined && got != (Host{}) {
				t.Errorf("not joined, and yet %+v", got)
			}
			if got.Joined && (!strings.HasPrefix(got.ID, "proc-") || len(got.ID) != len("proc-")+32) {
				t.Errorf("id %q", got.ID)
			}
		})
	}
}

func TestALoopEnds(t *testing.T) {
	table := func(pid int) (Proc, error) {
		return Proc{PID: pid, PPID: 7, Name: "node", Start: 5}, nil
	}
	if got, err := Find(8, "boot", table); got.Joined || err != nil {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestTwoServersOfOneHostMeet(t *testing.T) {
	table := func(pid int) (Proc, error) {
		procs := map[int]Proc{
			1:  {PID: 1, Name: "systemd", Start: 1},
			10: {PID: 10, PPID: 1, Name: "claude", Start: 10},
			20: {PID: 20, PPID: 10, Name: "npm exec x", Start: 20},
			21: {PID: 21, PPID: 20, Name: "hearsay", Start: 21},
			30: {PID: 30, PPID: 10, Name: "hearsay", Start: 30},
			40: {PID: 40, PPID: 1, Name: "claude", Start: 40},
			41: {PID: 41, PPID: 40, Name: "hearsay", Start: 41},
		}
		p, ok := procs[pid]
		if !ok {
			return p, ErrNoProcess
		}
		return p, nil
	}
	ids := make(map[int]string)
	for _, self := range []int{21, 30, 41} {
		h, err := Find(self, "boot", table)
		if err != nil || !h.Joined {
			t.Fatalf("%d: %+v, %v", self, h, err)
		}
		ids[self] = h.ID
	}
	if ids[21] != ids[30] {
		t.Error("two servers of one host have different ids")
	}
	if ids[21] == ids[41] {
		t.Error("servers of two hosts share an id")
	}
	if other, _ := Find(21, "another boot", table); other.ID == ids[21] {
		t.Error("the id does not depend on the boot")
	}
}

func TestIdentity(t *testing.T) {
	p := Proc{PID: 10, Start: 20, Name: "a"}
	base := identity("boot", p)
	for name, other := range map[string]string{
		"pid":   identity("boot", Proc{PID: 11, Start: 20}),
		"start": identity("boot", Proc{PID: 10, Start: 21}),
		"boot":  identity("boo", Proc{PID: 10, Start: 20}),
	} {
		if other == base {
			t.Errorf("%s is not in the id", name)
		}
	}
	p.Name, p.PPID, p.TTY = "renamed", 1, true
	if identity("boot", p) != base {
		t.Error("the id changes when a process is renamed or loses its parent")
	}
}

func TestAlive(t *testing.T) {
	p := Proc{PID: 10, Start: 20}
	id := identity("boot", p)
	for _, tt := range []struct {
		name  string
		p     Proc
		err   error
		want  bool
		fails bool
	}{
		{name: "runs", p: p, want: true},
		{name: "gone", err: ErrNoProcess},
		{name: "ended, not yet collected", p: Proc{PID: 10, Start: 20, Defunct: true}},
		{name: "pid used again", p: Proc{PID: 10, Start: 21}},
		{name: "unreadable", err: errDenied, fails: true},
	} {
		got, err := alive(id, 10, "boot", func(int) (Proc, error) { return tt.p, tt.err })
		if got != tt.want || (err != nil) != tt.fails {
			t.Errorf("%s: %v, %v", tt.name, got, err)
		}
	}
}

// The platform's own table, tried on processes that we know.
func TestThisMachine(t *testing.T) {
	self, err := read(os.Getpid())
	if err != nil {
		t.Skipf("processes of this system are not read: %v", err)
	}
	if self.PID != os.Getpid() || self.PPID != os.Getppid() || self.Start == 0 || self.Defunct || self.Name == "" {
		t.Errorf("we are %+v", self)
	}
	if _, err := read(1 << 30); !errors.Is(err, ErrNoProcess) {
		t.Errorf("a pid that nobody has: %v", err)
	}
	if _, err := Current(); err != nil {
		t.Errorf("Current: %v", err)
	}
	scope, err := machine()
	if err != nil || scope == "" {
		t.Fatalf("machine: %q, %v", scope, err)
	}

	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), "HOSTPROC_TEST_WAIT=1")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	child, err := read(cmd.Process.Pid)
	if err != nil || child.PPID != os.Getpid() || child.Start < self.Start {
		t.Errorf("our child is %+v, %v; we are %+v", child, err, self)
	}
	id := identity(scope, child)
	if ok, err := Alive(id, child.PID); !ok || err != nil {
		t.Errorf("our child lives: %v, %v", ok, err)
	}
	if ok, _ := Alive(id, os.Getpid()); ok {
		t.Error("another process answers to the child's id")
	}
	stdin.Close()
	cmd.Wait()
	if ok, err := Alive(id, child.PID); ok || err != nil {
		t.Errorf("our child has ended: %v, %v", ok, err)
	}
}

func TestMain(m *testing.M) {
	if os.Getenv("HOSTPROC_TEST_WAIT") != "" {
		os.Stdin.Read(make([]byte, 1))
		return
	}
	os.Exit(m.Run())
}

func TestNames(t *testing.T) {
	got := make(map[string]string)
	for _, name := range []string{"bash", "-bash", "Bash.EXE", "bashful", "tmux: server", "iTermServer-3.5.", "Relay(12)", "systemd", "systemd-journal", "npm exec foo", "npmx"} {
		p := Proc{PID: 50, Name: name}
		got[name] = fmt.Sprint(shells.has(base(p.Name)), isOpener(name), isManager(name), isWrapper(name))
	}
	want := map[string]string{
		"bash": "true false false true", "-bash": "true false false true", "Bash.EXE": "true false false true", "bashful": "false false false false",
		"tmux: server": "false true false false", "iTermServer-3.5.": "false true false false", "Relay(12)": "false true false false",
		"systemd": "false false true false", "systemd-journal": "false false false false", "npm exec foo": "false false false true", "npmx": "false false false false",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func BenchmarkCurrent(b *testing.B) {
	b.Run("floor=read", func(b *testing.B) {
		for b.Loop() {
			if _, err := read(os.Getpid()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("current", func(b *testing.B) {
		for b.Loop() {
			if _, err := Current(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
