//go:build !linux && !darwin

package memfile

import "os"

// rename is not offered by the system in a form that this program uses.
func rename(*os.Root, string, string, bool) (ok bool, err error) { return false, nil }

// network is not asked where there is no statfs(2).
func network(string) string { return "" }
