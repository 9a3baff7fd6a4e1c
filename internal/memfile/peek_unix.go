//go:build unix

package memfile

import "syscall"

// Plain is [Peeker.Peek] of a file that is a regular one and no link, and has at most
// 1 MiB. It asks the system for four things a file, where package os asks for seven. False:
// it is no such file, or there is none, or it is being written; Peek says what.
func (p *Peeker) Plain(name string) (data []byte, ok bool) {
	fd, err := syscall.Open(name, syscall.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_CLOEXEC|nonblock, 0)
	if err != nil {
		return nil, false
	}
	defer syscall.Close(fd)
	var info syscall.Stat_t
	if err := syscall.Fstat(fd, &info); err != nil || info.Mode&syscall.S_IFMT != syscall.S_IFREG || info.Size > maxPeek {
		return nil, false
	}
	// One byte more than there are: less than was asked for, up to the size, is the end.
	size := int(info.Size)
	p.buf.Reset()
	p.buf.Grow(size + 1)
	room := p.buf.AvailableBuffer()[:size+1]
	for n := 0; ; {
		more, err := syscall.Read(fd, room[n:])
		if err != nil {
			return nil, false
		}
		switch n += more; {
		case n > size:
			return nil, false
		case n == size, more == 0:
			return room[:n], true
		}
	}
}
