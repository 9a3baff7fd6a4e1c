//go:build !unix

package sqlite

// syncData does nothing here: SQLite has one way to sync files on this system.
func syncData() {}
