package memfile

import (
	"io/fs"
	"os"
	"time"
)

// Looks is how a file looked beside its bytes. The zero value is not known.
type Looks struct {
	known bool
	perm  fs.FileMode
	time  time.Time // of the last write
}

// Looks returns how a file looked when its recorded bytes were last seen, for putting it
// back as it was. It is not known where the file was not there, or changed while it was
// looked at.
func (s *Survey) Looks(path string) Looks {
	kept, ok := s.known(path)
	if !ok {
		return Looks{}
	}
	g := decodeGlance(kept.Data)
	if !g.described {
		return Looks{}
	}
	return Looks{known: true, perm: g.perm, time: time.Unix(0, g.written)}
}

// mode is the mode that the file gets which has mode now.
func (l Looks) mode(now fs.FileMode) fs.FileMode {
	if !l.known {
		return now
	}
	return l.perm
}

// stamp sets the time of a file that is written. A file system that keeps no such time
// is no reason not to put back the bytes.
func (l Looks) stamp(root *os.Root, base string) {
	if l.known {
		_ = root.Chtimes(base, time.Time{}, l.time)
	}
}
