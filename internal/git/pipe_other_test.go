//go:build !unix

package git

import "errors"

func pipe(string) error { return errors.ErrUnsupported }
