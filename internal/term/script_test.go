package term

import (
	"fmt"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hearsay-memory/hearsay/internal/term/termtest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"ask": ask, "typing": termtest.Typing})
}

// ask plays a command that a person uses in a terminal.
func ask() {
	p := New(os.Stdout, os.Getenv)
	tty, err := OpenTTY()
	if err != nil {
		p.Printf("error: %v\n", err)
		os.Exit(1)
	}
	defer tty.Close()
	pass, err := tty.ReadPassphrase("Passphrase: ")
	p.Printf("passphrase %q %v\n", pass, err)
	key, err := tty.ReadKey()
	p.Printf("key %q %v\n", string(rune(key)), err)
	ok, err := tty.Confirm("Release?")
	p.Printf("confirmed %v %v\n", ok, err)
	fmt.Println(p.Bold("done"))
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script"})
}
