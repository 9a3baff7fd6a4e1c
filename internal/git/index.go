package git

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"path/filepath"
	"strings"
)

// entry is what the index says of one file.
type entry struct {
	id      string // of its bytes, in hex
	written int64  // the time of the last write when Git last looked at it, UTC ms
}

// entry returns the entry of a file; false where there is none without a conflict.
func (p *repo) entry(name string) (entry, bool) {
	if p.entries == nil {
		p.head()
		p.entries = parseIndex(read(filepath.Join(p.dir, "index"), maxIndex), p.wide)
	}
	rel, err := filepath.Rel(p.work, filepath.FromSlash(name))
	if err != nil {
		return entry{}, false
	}
	e, ok := p.entries[filepath.ToSlash(rel)]
	return e, ok
}

// parseIndex reads an index of version 2, 3 or 4 (gitformat-index) as far as it is well
// formed. Wide says that names of objects are SHA-256.
func parseIndex(data []byte, wide bool) map[string]entry {
	out := make(map[string]entry)
	const fixed = 40 // bytes before an object's name
	size := 20
	if wide {
		size = 32
	}
	if len(data) < 12 || string(data[:4]) != "DIRC" {
		return out
	}
	version, n := binary.BigEndian.Uint32(data[4:]), binary.BigEndian.Uint32(data[8:])
	if version < 2 || version > 4 || n > maxEntries {
		return out
	}
	data = data[12:]
	last := ""
	for range n {
		if len(data) < fixed+size+4 {
			break
		}
		seconds, nanos := binary.BigEndian.Uint32(data[8:]), binary.BigEndian.Uint32(data[12:])
		e := entry{id: hex.EncodeToString(data[fixed : fixed+size]), written: int64(seconds)*1000 + int64(nanos)/1e6}
		flags := binary.BigEndian.Uint16(data[fixed+size:])
		at := fixed + size + 2
		if flags&0x4000 != 0 {
			at += 2 // more flags
		}
		prefix := ""
		if version == 4 {
			drop, used := dropped(data[at:])
			if used == 0 || drop > uint64(len(last)) {
				break
			}
			prefix, at = last[:uint64(len(last))-drop], at+used
		}
		end := bytes.IndexByte(data[min(at, len(data)):], 0)
		if end < 0 || end+len(prefix) > maxPointer {
			break
		}
		last = prefix + string(data[at:at+end])
		at += end + 1
		if version < 4 {
			at = (at + 7) &^ 7
		}
		if at > len(data) {
			break
		}
		data = data[at:]
		if flags&0x3000 == 0 {
			out[strings.Clone(last)] = e
		}
	}
	return out
}

// dropped reads how much of the name before an entry of version 4 drops: the number of
// variable length of gitformat-pack. Used is 0 where it is none.
func dropped(data []byte) (n uint64, used int) {
	for i, b := range data[:min(len(data), 5)] {
		n |= uint64(b & 0x7f)
		if b&0x80 == 0 {
			return n, i + 1
		}
		n = (n + 1) << 7
	}
	return 0, 0
}
