package review

import (
	"errors"

	"github.com/hearsay-memory/hearsay/guard"
)

// Failures counts what could not be decided, where one failure does not stop the rest.
type Failures struct {
	N        int
	tampered bool
}

func (f *Failures) Add(err error) {
	f.N++
	f.tampered = f.tampered || errors.Is(err, guard.ErrTampered)
}

// Err is an error with that text; nil where nothing failed. A store that was changed is
// the graver of two reasons: then the error is [guard.ErrTampered], too.
func (f *Failures) Err(text string) error {
	switch {
	case f.N == 0:
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
