package token

import "net"

// Loopback reports whether a listener is reached from this machine alone.
func Loopback(ln net.Listener) bool {
	a, ok := ln.Addr().(*net.TCPAddr)
	return ok && a.IP.IsLoopback()
}
