//go:build !linux

package asuser

import (
	"errors"
	"os/exec"
)

var errNoWay = errors.New("superusers here cannot give rights away")

func output(*exec.Cmd) ([]byte, error) { return nil, errNoWay }
