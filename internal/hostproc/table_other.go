//go:build !linux && !darwin && !windows

package hostproc

import "errors"

var errUnknown = errors.New("the process table of this system is not read")

func machine() (string, error) { return "", errUnknown }

func read(int) (Proc, error) { return Proc{}, errUnknown }
