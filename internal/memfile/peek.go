package memfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// maxPeek bounds what is read of a file for its imports, in bytes.
const maxPeek = 1 << 20

// Peeker looks into many files, one at a time. The zero value is ready.
type Peeker struct{ buf bytes.Buffer }

// Peek reads the beginning of a file, at most 1 MiB, as a host would: through links, and
// whatever other names it has. It waits for nobody. Nil: there is none. A folder is
// [ErrFolder]. What it returns is overwritten by the next call.
func (p *Peeker) Peek(name string) ([]byte, error) {
	f, err := os.OpenFile(filepath.FromSlash(name), os.O_RDONLY|nonblock, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, ErrFolder
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: not a regular file (%s)", name, info.Mode().Type())
	}
	p.buf.Reset()
	p.buf.Grow(int(min(info.Size(), maxPeek)) + bytes.MinRead)
	_, err = p.buf.ReadFrom(io.LimitReader(f, maxPeek))
	return p.buf.Bytes(), err
}
