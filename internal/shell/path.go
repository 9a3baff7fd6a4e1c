package shell

import (
	"path"
	"strings"
)

// absolute reports whether a slash path begins at a root or at a drive.
func absolute(p string) bool { return strings.HasPrefix(p, "/") || drive(p) }

func drive(p string) bool {
	return len(p) > 2 && p[1] == ':' && p[2] == '/' && ('a' <= p[0]|0x20 && p[0]|0x20 <= 'z')
}

// cleanPath cleans an absolute path; it cannot climb out of a drive.
func cleanPath(p string) string {
	if drive(p) {
		return p[:2] + path.Clean(p[2:])
	}
	return path.Clean(p)
}

// beneath reports whether a clean path is the root or lies beneath it.
func beneath(p, root string) bool {
	if !absolute(root) {
		return false
	}
	if n := len(root); n > 1 && root[n-1] == '/' {
		root = root[:n-1]
	}
	return strings.HasPrefix(p, root) && (len(p) == len(root) || p[len(root)] == '/' || root == "/")
}

// paths returns what a word means as a path, for each directory that may be the
// current one. It is never empty for a word that is not.
func (w *walker) paths(v value) []string {
	s, cut := v.literalPath()
	if cut {
		w.unsure()
	}
	if s == "" && !cut {
		return nil
	}
	if len(s) > maxPath || !w.spend(len(s)) {
		w.opaque()
		return []string{"/"}
	}
	if absolute(s) {
		return []string{cleanPath(s)}
	}
	if s == "" && v.open() {
		return []string{"/"}
	}
	out := make([]string, 0, len(w.env.dirs))
	for _, dir := range w.env.dirs {
		if !absolute(dir) { // nobody knows where the command runs
			w.unsure()
			out = append(out, "/")
			continue
		}
		if p := cleanPath(dir + "/" + s); len(p) <= maxPath && w.spend(len(p)) {
			out = append(out, p)
			continue
		}
		w.opaque()
		out = append(out, "/")
	}
	return out
}

// literalPath returns the word as far as it is certain and whether it was cut
// there, after a "/".
func (v value) literalPath() (string, bool) {
	end := len(v.s)
	if i := strings.IndexByte(v.s, unknownByte); i >= 0 {
		end = i
	}
	if v.glob > 0 {
		end = min(end, v.glob-1)
	}
	if end == len(v.s) {
		return v.s, false
	}
	return v.s[:strings.LastIndexByte(v.s[:end], '/')+1], true
}

// whole reports whether the pattern takes in everything that lies in its
// directory: "*", "./*", "dir/*".
func (v value) whole() bool {
	if v.glob == 0 || v.open() {
		return false
	}
	rest := v.s[v.glob-1:]
	return (v.glob == 1 || v.s[v.glob-2] == '/' || v.s[v.glob-2] == '.') && strings.Trim(rest, "*?./") == ""
}

// pseudo reports whether a path names a device or a stream of the process that
// keeps nothing.
func pseudo(p string) bool {
	rest, ok := strings.CutPrefix(p, "/dev/")
	if !ok {
		return false
	}
	switch rest {
	case "null", "zero", "full", "random", "urandom", "stdin", "stdout", "stderr", "tty", "ptmx":
		return true
	}
	return strings.HasPrefix(rest, "fd/") || strings.HasPrefix(rest, "tcp/") || strings.HasPrefix(rest, "udp/")
}

// temporary reports whether a path lies in a directory for temporary files.
func (w *collector) temporary(p string) bool {
	for _, root := range temporaryRoots {
		if beneath(p, root) {
			return true
		}
	}
	return w.ctx.Home != "" && beneath(p, w.ctx.Home+"/AppData/Local/Temp")
}

var temporaryRoots = []string{"/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp", "/var/folders", "/private/var/folders", "/dev/shm", "C:/Windows/Temp"}

// programDirs hold the programs of the system, which a bare name stands for.
var programDirs = []string{"/bin", "/usr", "/sbin", "/opt/homebrew", "/opt/local", "/snap/bin", "/nix/store", "/run/current-system", "/System", "C:/Windows", "C:/Program Files"}

func systemProgram(p string) bool {
	for _, dir := range programDirs {
		if beneath(p, dir) {
			return true
		}
	}
	return false
}
