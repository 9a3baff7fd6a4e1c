package hostproc

import (
	"slices"
	"strings"
)

// class is what a process is to the walk.
type class int

const (
	passable class = iota // a program like any other: go on upwards
	boundary              // starts programs for a person: stop below it
	opaque                // hides what is above it: no host can be told
)

// classify applies the rule to one ancestor. The table is asked for at most one more process, the parent of a shell.
func classify(p Proc, table Table) class {
	name := base(p.Name)
	switch {
	case sandboxes.has(name) && p.PID == 1:
		// The first process of a sandbox: its host is outside, where we cannot see.
		return opaque
	case isOpener(p.Name), isManager(p.Name), desktops.has(name):
		return boundary
	case shells.has(name) && p.Leader && p.TTY && openedForPerson(p, table):
		return boundary
	}
	return passable
}

// openedForPerson reports whether an interactive shell was opened by something that opens shells for people. That it
// leads a session with a terminal is not enough: an agent makes such a shell with script(1) or expect(1), and editors
// run their agents' commands in one. Those are passed, and the host is found above them.
func openedForPerson(shell Proc, table Table) bool {
	if shell.PID == 1 {
		return true // `docker run -it image bash`
	}
	p, err := table(shell.PPID)
	if err != nil || p.Start == 0 || p.Start > shell.Start {
		return false
	}
	return isOpener(p.Name) || isManager(p.Name) || desktops.has(base(p.Name))
}

// base brings a process name to the form of the sets below: lower case, no ".exe", no dash of a login shell.
func base(name string) string {
	name = strings.ToLower(strings.TrimSuffix(strings.ToLower(name), ".exe"))
	return strings.TrimPrefix(name, "-")
}

// isManager reports whether a name is one of init, a service manager or a container's init.
func isManager(name string) bool { return managers.has(base(name)) }

// isOpener reports whether a name is one of those that open terminals for people.
func isOpener(name string) bool {
	name = base(name)
	if openers.has(name) {
		return true
	}
	for _, p := range openerPrefixes {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// isWrapper reports whether a name is one of a shell or a runner that only starts others.
func isWrapper(name string) bool {
	name = base(name)
	return shells.has(name) || runners.has(name) || strings.HasPrefix(name, "npm ") || strings.HasPrefix(name, "npx ")
}

// set is a few names. It is no map: each process of the hook would make it anew, and asks
// for a handful of names.
type set []string

func (s set) has(name string) bool { return slices.Contains(s, name) }

// The sets are read, never written. Names of more than 15 bytes stand in the form to which Linux cuts them, too.
var (
	managers = set{"init", "systemd", "launchd", "openrc-init", "runit", "runsvdir", "runsv", "s6-svscan", "s6-supervise",
		"upstart", "dinit", "finit", "shepherd",
		"tini", "tini-static", "dumb-init", "docker-init", "podman-init", "catatonit", "pause",
		"cron", "crond", "atd", "dbus-daemon", "dbus-broker", "dbus-broker-lau", "dbus-broker-launch", "containerd-shim",
		"containerd-shim-runc-v2", "conmon", "sessionleader", "services", "svchost", "wininit", "winlogon", "smss", "taskeng", "taskhostw"}

	desktops = set{"gnome-shell", "gnome-session", "gnome-session-b", "gnome-session-binary", "gnome-session-s", "plasmashell",
		"kwin_wayland", "kwin_x11", "ksmserver", "kded5", "kded6", "krunner", "startplasma-way", "startplasma-x11", "plasma_session",
		"xfce4-session", "xfce4-panel", "xfdesktop", "cinnamon", "cinnamon-sessio", "cinnamon-session", "mate-session", "mate-panel",
		"lxsession", "lxqt-session", "lxqt-panel", "budgie-panel", "sway", "hyprland", "i3", "i3wm", "niri", "river", "openbox",
		"fluxbox", "awesome", "bspwm", "dwm", "xmonad", "qtile", "xinit", "rofi", "dmenu", "wofi", "fuzzel",
		"gdm", "gdm3", "gdm-session-wor", "gdm-wayland-ses", "gdm-x-session", "sddm", "sddm-helper", "lightdm", "lxdm", "xdm", "ly", "greetd",
		"loginwindow", "dock", "finder", "explorer", "sihost", "userinit", "startmenuexperiencehost", "runtimebroker"}

	openers = set{"sshd", "sshd-session", "sshd-auth", "dropbear", "mosh-server", "et", "etterminal", "telnetd", "in.telnetd", "tailscaled",
		"login", "agetty", "getty", "mingetty", "fgetty",
		"tmux", "tmux: server", "tmux: client", "screen", "zellij", "dtach", "abduco",
		"gnome-terminal-", "gnome-terminal-server", "gnome-terminal", "kgx", "ptyxis", "ptyxis-agent", "gnome-console", "konsole", "yakuake",
		"xterm", "uxterm", "urxvt", "urxvtd", "rxvt", "st", "alacritty", "kitty", "foot", "footclient", "wezterm", "wezterm-gui",
		"wezterm-mux-server", "wezterm-mux-ser", "ghostty", "terminator", "tilix", "guake", "xfce4-terminal", "xfce4-terminal-", "mate-terminal",
		"lxterminal", "qterminal", "deepin-terminal", "cool-retro-term", "terminology", "rio", "contour", "hyper", "tabby", "black-box",
		"blackbox", "terminal", "iterm2", "itermserver", "windowsterminal", "openconsole", "conhost", "mintty"}

	openerPrefixes = []string{"itermserver-", "tmux: ", "relay(", "init("}

	sandboxes = set{"bwrap", "firejail", "nsjail", "minijail0", "unshare", "systemd-nspawn", "(sd-stubinit)", "proot", "crun", "runc"}

	shells = set{"sh", "bash", "dash", "ash", "zsh", "fish", "ksh", "mksh", "pdksh", "oksh", "yash", "csh", "tcsh", "elvish", "nu", "xonsh",
		"osh", "rbash", "pwsh", "powershell", "cmd"}

	runners = set{"npm", "npx", "pnpm", "pnpx", "yarn", "bunx", "uv", "uvx", "pipx", "env", "timeout", "nice", "ionice", "nohup", "setsid",
		"stdbuf", "time", "xargs", "sudo", "doas", "su", "runuser", "script", "expect", "unbuffer", "unshare", "direnv", "mise", "asdf", "hearsay", "hearsay-hook"}
)
