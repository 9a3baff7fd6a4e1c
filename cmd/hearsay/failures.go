package main

import (
	"errors"

	"github.com/hearsay-memory/hearsay/guard"
)

// failures counts what could not be decided, where one failure does not stop the rest.
type failures struct {
	n        int
	tampered bool
}

func (f *failures) add(err error) {
	f.n++
	f.tampered = f.tampered || errors.Is(err, guard.ErrTampered)
}

// err is how the command ends. A store that was changed is the graver of two reasons.
func (f *failures) err(text string) error {
	switch {
	case f.n == 0:
		return nil
	case f.tampered:
		return &exitError{exitIntegrity, text}
	}
	return &exitError{exitFailed, text}
}
