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

// err is an error with that text; nil where nothing failed. A store that was changed is
// the graver of two reasons: then the error is [guard.ErrTampered], too.
func (f *failures) err(text string) error {
	switch {
	case f.n == 0:
		return nil
	case f.tampered:
		return tampered(text)
	}
	return errors.New(text)
}

// tampered is an error by which a store was changed, in words of its own.
type tampered string

func (t tampered) Error() string { return string(t) }

func (tampered) Is(target error) bool { return target == guard.ErrTampered }
