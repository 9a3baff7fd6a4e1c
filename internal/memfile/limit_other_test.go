//go:build !unix

package memfile_test

import "errors"

func writeLimited(string) error { return errors.New("there is no such limit here") }

func deliverLimited(string, string) error { return errors.New("there is no such limit here") }
