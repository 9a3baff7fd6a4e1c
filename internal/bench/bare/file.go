// Package bare does the disk work of the store and nothing else: an append with a
// sync, and the same statements on the same tables by the driver alone. It is the
// floor that the store is measured beside, in `hearsay bench` and in benchmarks.
package bare

import (
	"errors"
	"fmt"
	"os"
)

// room is how much of a file is written with zeros beforehand, in bytes. A sync in it
// writes data alone; one at the end of a growing file writes the file's length too.
const room = 4 << 20

// File is a file that records are appended to. When its room is used up it begins anew
// at its start. It is not safe for concurrent use.
type File struct {
	f      *os.File
	record []byte
	at     int64
}

// OpenFile makes a file for records of size bytes, at most as many as there is room.
func OpenFile(path string, size int) (*File, error) {
	if size <= 0 || size > room {
		return nil, fmt.Errorf("bare: a record of %d bytes: want 1 to %d", size, room)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = f.Write(make([]byte, room))
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	record := make([]byte, size)
	for i := range record {
		record[i] = byte(i)
	}
	return &File{f: f, record: record}, nil
}

// Append writes one record and returns when it is durable.
func (f *File) Append() error {
	if f.at+int64(len(f.record)) > room {
		f.at = 0
	}
	if _, err := f.f.WriteAt(f.record, f.at); err != nil {
		return err
	}
	f.at += int64(len(f.record))
	return syncData(f.f)
}

// Close closes the file.
func (f *File) Close() error { return f.f.Close() }
