package people

import (
	"fmt"
	"strings"

	"github.com/hearsay-memory/hearsay/internal/home"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
	"github.com/hearsay-memory/hearsay/internal/reviewer/keyfile"
)

// Signer unlocks a reviewer's key.
func Signer(in *instance.Instance, name, passphrase string) (*reviewer.Signer, error) {
	f, err := KeyFile(in, name)
	if err != nil {
		return nil, err
	}
	return f.Unlock(passphrase)
}

// KeyFile reads a reviewer's key file. An empty name means the only one there is.
func KeyFile(in *instance.Instance, name string) (keyfile.File, error) {
	if name == "" {
		names, err := in.Home.Reviewers()
		if err != nil {
			return keyfile.File{}, err
		}
		if len(names) != 1 {
			return keyfile.File{}, fmt.Errorf("this home has %d reviewers (%s): say which with --reviewer", len(names), strings.Join(names, ", "))
		}
		name = names[0]
	}
	data, err := in.Home.ReadFile(home.ReviewerFile(name))
	if err != nil {
		return keyfile.File{}, err
	}
	return keyfile.Parse(data)
}
