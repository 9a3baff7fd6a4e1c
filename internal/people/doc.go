// Package people is the person's side of a home: whoever sits at the terminal, the reviewer's
// key that they unlock, and the home that they make. It is apart from package instance because
// hooks open homes and must not pay, at each start, for the cryptography of passphrases.
package people
