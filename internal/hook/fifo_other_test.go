//go:build !unix

package hook_test

import "errors"

func fifo(string) error { return errors.ErrUnsupported }
