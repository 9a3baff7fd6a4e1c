package main

import (
	"path/filepath"
	"runtime"
)

// started is the directory in which the host says that it was started: sessions move
// elsewhere. A variable can only make less be left to a gateway.
func started(getenv func(string) string) string {
	for _, name := range []string{"CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR"} {
		if dir := getenv(name); filepath.IsAbs(dir) {
			return dir
		}
	}
	return ""
}

// program is the path of hearsay beside this program, as it is called. The settings of a
// host have both with the same folder.
func program(called string) string {
	if !filepath.IsAbs(called) {
		return ""
	}
	name := "hearsay"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(filepath.Dir(called), name)
}
