package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// options are what the command line says, and the time that one event has.
type options struct {
	host, home, agent string
	within            time.Duration
}

// share is what the store may take of that time, and after it the question what is grave.
func (o options) share() time.Duration { return o.within * 4 / 5 }

var errUsage = errors.New("usage: hearsay-hook HOST --home DIR [--agent NAME]")

// parse reads the command line. It does without package flag, which prints by itself
// and exits with codes of its own.
func parse(args []string) (options, error) {
	var o options
	for i := 0; i < len(args); i++ {
		var into *string
		switch args[i] {
		case "--home":
			into = &o.home
		case "--agent":
			into = &o.agent
		default:
			if o.host != "" || args[i] == "" || args[i][0] == '-' {
				return o, fmt.Errorf("%w: %q is not understood", errUsage, args[i])
			}
			o.host = args[i]
			continue
		}
		if i++; i == len(args) {
			return o, fmt.Errorf("%w: %s needs a value", errUsage, args[i-1])
		}
		*into = args[i]
	}
	if o.host == "" {
		return o, errUsage
	}
	if o.home == "" {
		user, err := os.UserHomeDir()
		if err != nil {
			return o, fmt.Errorf("%w: no --home, and %w", errUsage, err)
		}
		o.home = filepath.Join(user, ".hearsay")
	}
	return o, nil
}
