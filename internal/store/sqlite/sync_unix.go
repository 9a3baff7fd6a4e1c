//go:build unix

package sqlite

import (
	"sync"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// syncData makes SQLite sync files with fdatasync(2), once a process. It keeps what
// fsync(2) keeps of a database, and spares the journal of the file system a commit
// for every change of a file's time.
var syncData = sync.OnceFunc(func() {
	tls := libc.NewTLS()
	defer tls.Close()
	lib.Xmodernc_fdatasync(tls, 1)
})
