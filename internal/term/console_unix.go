//go:build unix

package term

import "os"

func openConsole() (in, out *os.File, err error) { return console("/dev/tty", "/dev/tty") }

// enableColour reports whether the terminal takes colours; terminals of this family do.
func enableColour(*os.File) bool { return true }
