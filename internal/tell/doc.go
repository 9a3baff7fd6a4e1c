// Package tell has the words in which people are told of what Hearsay knows: times,
// labels, where a record belongs, what a write would store, lists of names,
// counts. It decides nothing, and escapes nothing: that is its printer's.
package tell
