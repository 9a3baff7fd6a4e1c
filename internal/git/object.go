package git

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// hash returns the name of the object that has those bytes, in hex. That SHA-1 can be
// made to collide gains nobody anything: the name only finds words for people.
func (p *repo) hash(data []byte) string {
	p.head()
	var h hash.Hash = sha1.New()
	if p.wide {
		h = sha256.New()
	}
	fmt.Fprintf(h, "blob %d\x00", len(data))
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil))
}

// has reports whether the repository's own store has an object of that name. Stores that
// it borrows from are not asked.
func (p *repo) has(id string) bool {
	if info, err := os.Lstat(filepath.Join(p.common, "objects", id[:2], id[2:])); err == nil && info.Mode().IsRegular() {
		return true
	}
	name, err := hex.DecodeString(id)
	if err != nil {
		return false
	}
	if p.packs == nil {
		p.packs = packs(filepath.Join(p.common, "objects", "pack"))
	}
	return slices.ContainsFunc(p.packs, func(idx string) bool { return packed(idx, name) })
}

// packs lists the indexes of packs.
func packs(dir string) []string {
	out := []string{}
	f, err := os.OpenFile(dir, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return out
	}
	defer f.Close()
	names, _ := f.Readdirnames(8 * maxPacks) // what cannot be read has no packs
	for _, name := range names {
		if strings.HasSuffix(name, ".idx") && len(out) < maxPacks {
			out = append(out, filepath.Join(dir, name))
		}
	}
	return out
}

// packed reports whether an index of a pack, version 2 (gitformat-pack), has an object.
func packed(idx string, name []byte) bool {
	f, size, err := regular(idx)
	if err != nil {
		return false
	}
	defer f.Close()
	const head, fanout = 8, 256 * 4
	var b [head + fanout]byte
	if _, err := f.ReadAt(b[:], 0); err != nil || string(b[:head]) != "\xfftOc\x00\x00\x00\x02" {
		return false
	}
	count := func(i int) int64 { return int64(binary.BigEndian.Uint32(b[head+4*i:])) }
	lo, hi := int64(0), count(int(name[0]))
	if name[0] > 0 {
		lo = count(int(name[0]) - 1)
	}
	one := int64(len(name))
	if hi > size/one {
		return false
	}
	got := make([]byte, one)
	for lo < hi {
		mid := lo + (hi-lo)/2
		if _, err := f.ReadAt(got, head+fanout+mid*one); err != nil {
			return false
		}
		switch c := slices.Compare(got, name); {
		case c == 0:
			return true
		case c < 0:
			lo = mid + 1
		default:
			hi = mid
		}
	}
	return false
}
