//go:build !unix

package memfile

// Plain knows no file here: a name can lead elsewhere in more ways than by links.
func (p *Peeker) Plain(string) (data []byte, ok bool) { return nil, false }
