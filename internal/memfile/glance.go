package memfile

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// glance is how a file looked when its bytes were the recorded ones. The zero value is
// of no file and vouches for none.
type glance struct {
	size           int64
	written        int64 // the time of the last write that the file says, UTC ns
	changed        int64 // that of its inode, UTC ns; 0: not known
	dev, inode     uint64
	looked         int64       // when the file was looked at, UTC ns
	perm           fs.FileMode // its permission bits
	sum            [sha256.Size]byte
	low, described bool // a line is below an agent's word or tainted; there is a file at all
}

// settled is how long before a look the last write must lie for the look to count: within
// it a file can change again and show the same time.
const settled = 2 * time.Second

// glanceSize is the length of an encoded glance, and glanceVersion its first byte.
const (
	glanceSize    = 1 + 7*8 + sha256.Size + 1
	glanceVersion = 2
)

// glimpse looks at a file and not into it. A file that is not there, or not an ordinary
// one, has none.
func glimpse(name string) (glance, error) {
	now := time.Now()
	info, err := os.Lstat(filepath.FromSlash(name))
	if err != nil {
		return glance{}, err
	}
	if err := plain(info); err != nil {
		return glance{}, err
	}
	g := glance{size: info.Size(), written: info.ModTime().UnixNano(), looked: now.UnixNano(), perm: info.Mode().Perm(), described: true}
	g.dev, g.inode, g.changed = placeOf(info)
	return g, nil
}

// same reports whether both are of one file with no write between, as far as a look from
// outside can say.
func (g glance) same(o glance) bool {
	return g.described && o.described && g.size == o.size && g.written == o.written && g.changed == o.changed && g.dev == o.dev && g.inode == o.inode
}

// vouches reports whether a file that looks like that now surely has the recorded bytes:
// it looks the same, and was not written shortly before it was looked at.
func (g glance) vouches(now glance) bool {
	return g.same(now) && max(g.written, g.changed) < g.looked-settled.Nanoseconds()
}

// encode writes a glance; nil for the zero value.
func (g glance) encode() []byte {
	if !g.described {
		return nil
	}
	b := make([]byte, 0, glanceSize)
	b = append(b, glanceVersion)
	for _, n := range [...]uint64{uint64(g.size), uint64(g.written), uint64(g.changed), g.dev, g.inode, uint64(g.looked), uint64(g.perm)} {
		b = binary.BigEndian.AppendUint64(b, n)
	}
	b = append(b, g.sum[:]...)
	if g.low {
		return append(b, 1)
	}
	return append(b, 0)
}

// decodeGlance reads what encode wrote; the zero value of anything else.
func decodeGlance(b []byte) glance {
	if len(b) != glanceSize || b[0] != glanceVersion || b[glanceSize-1] > 1 {
		return glance{}
	}
	var n [7]uint64
	for i := range n {
		n[i] = binary.BigEndian.Uint64(b[1+8*i:])
	}
	if n[6]&^uint64(fs.ModePerm) != 0 {
		return glance{}
	}
	g := glance{
		size: int64(n[0]), written: int64(n[1]), changed: int64(n[2]), dev: n[3], inode: n[4], looked: int64(n[5]), perm: fs.FileMode(n[6]),
		low: b[glanceSize-1] == 1, described: true,
	}
	copy(g.sum[:], b[1+7*8:])
	return g
}

// readGlancing is [Read] with a glance at what was read. The glance is the zero value
// where the file did not look the same before and after.
func readGlancing(name string, read func(string) ([]byte, error)) ([]byte, glance, error) {
	before, err := glimpse(name)
	data, readErr := read(name)
	if readErr != nil || err != nil || data == nil {
		return data, glance{}, readErr
	}
	after, err := glimpse(name)
	if err != nil || !before.same(after) || before.size != int64(len(data)) {
		return data, glance{}, nil
	}
	before.sum = sha256.Sum256(data)
	return data, before, nil
}

// folders reads files of the same folder without resolving it anew each time.
type folders struct {
	dir  string // the one that is open, as it was named
	root *os.Root
}

// ordinary reports whether a file's folder is what it was resolved to.
func (f *folders) ordinary(name string) bool { return f.open(name) == nil }

func (f *folders) open(name string) error {
	dir := filepath.Dir(filepath.FromSlash(name))
	if f.root != nil && f.dir == dir {
		return nil
	}
	f.close()
	root, _, err := folder(name)
	if err != nil {
		return err
	}
	f.dir, f.root = dir, root
	return nil
}

// read is [Read].
func (f *folders) read(name string) ([]byte, error) {
	if err := f.open(name); err != nil {
		return nil, err
	}
	data, _, err := readIn(f.root, filepath.Base(filepath.FromSlash(name)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

func (f *folders) close() {
	if f.root != nil {
		_ = f.root.Close() // it was only read from
	}
	f.root = nil
}
