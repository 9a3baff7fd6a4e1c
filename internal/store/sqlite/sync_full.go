//go:build !darwin

package sqlite

// fullSync is nothing: fsync and fdatasync reach the disk here.
const fullSync = ""
