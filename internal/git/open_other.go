//go:build !unix

package git

const nonblock = 0
