package term

import (
	"os"

	"golang.org/x/sys/windows"
)

func openConsole() (in, out *os.File, err error) { return console("CONIN$", "CONOUT$") }

// enableColour asks the console to obey colour sequences, and reports whether it does.
func enableColour(f *os.File) bool {
	h := windows.Handle(f.Fd())
	var mode uint32
	if windows.GetConsoleMode(h, &mode) != nil {
		return false
	}
	return windows.SetConsoleMode(h, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
