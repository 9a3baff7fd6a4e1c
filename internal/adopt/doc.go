// Package adopt is how memory that nobody was seen writing becomes somebody's word: which
// lines of a file are adopted and which need a look of their own, and the signature under
// just those bytes.
package adopt
