package people

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hearsay-memory/hearsay/internal/reviewer"
)

// ReviewerName makes a reviewer's name of a principal's, who may be called anything:
// DOMAIN\Ana becomes ana.
func ReviewerName(principal string) string {
	name := strings.ToLower(principal[strings.LastIndexAny(principal, `\/`)+1:])
	name, _, _ = strings.Cut(name, "@")
	if reviewer.CheckName(name) != nil {
		return "owner"
	}
	return name
}

// CopyTarget makes a place for checkpoint copies absolute, as it is written into the
// configuration. A trailing separator, which asks for a folder, stays.
func CopyTarget(target string) (string, error) {
	if target == "" {
		return "", errors.New("an empty name is no place for copies of checkpoints")
	}
	if scheme, _, ok := strings.Cut(target, ":"); ok && len(scheme) > 1 && !strings.ContainsAny(scheme, `/\`) {
		return target, nil
	}
	if rest, ok := strings.CutPrefix(target, "~/"); ok {
		dir, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("%s: %w; give an absolute path", target, err)
		}
		target = dir + "/" + rest
	}
	path, err := filepath.Abs(target)
	if err != nil {
		return "", fmt.Errorf("%s: %w; give an absolute path", target, err)
	}
	if os.IsPathSeparator(target[len(target)-1]) {
		path += string(filepath.Separator)
	}
	return path, nil
}
