package setup

import (
	"os"
	"os/exec"
	"path/filepath"

	"github.com/hearsay-memory/hearsay/internal/hosts/install"
)

// Found reports whether a host left its program or settings here.
func Found(name, home string) bool {
	h, _ := install.Find(name)
	dir := filepath.Dir(h.Files(install.User, home, "")[0])
	if m := settingsMove[name]; m.dir != "" {
		dir = filepath.Join(home, m.dir)
	}
	_, err := os.Lstat(dir)
	return err == nil || Program(name) != ""
}

// Program is the path of a host's program; empty: it is not on the path.
func Program(name string) string {
	names := programNames[name]
	if names == nil {
		names = []string{name}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}
