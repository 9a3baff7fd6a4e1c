package sqlite

// fullSync is for macOS alone, whose fsync does not reach the disk. To set it has all
// statements of the connection prepared anew.
const fullSync = `PRAGMA fullfsync=ON; PRAGMA checkpoint_fullfsync=ON;`
