// Package recall ranks the memories of an agent, lets them fade, and chooses what
// an answer shows, so that what a stranger planted bends none of it.
//
// The package is pure: plain data in, plain data out, no I/O, no clock, no
// goroutine; the time is an argument. Nothing in it changes what it is given, so
// all of it can be used from several goroutines at once. The tables are in
// docs/memory.md.
//
// # The life of a memory
//
// A [Memory] starts as strong as its [Kind] says and fades by a rate a day
// ([Memory.StrengthAt]). Being used starts the days anew ([Memory.Recalled]), the
// user's word makes it stronger ([Memory.Confirmed]), and a summary lives no
// longer than the strongest of what it sums up ([Heir]). The ceilings of the
// origin hold in each of these whatever is stored: what is not trusted fades from
// the day it was written, however often it is recalled and whoever repeats it.
//
// # The score
//
// A search finds a [Candidate] with a relevance. [Score] makes one number of it and
// of five more [Terms]; the factor of the origin and the weight of the policy's
// rule multiply that. Terms that are absent never lower a score, nor do weak ones.
//
// # The choice
//
// [Select] takes two sets: candidates from an index of trusted records alone, and
// candidates from an index of the rest. Trusted means untainted and of origin agent
// or better ([hearsay.Label.Trusted]). The first set alone decides which trusted
// results there are and in which order; the second adds a bounded number of results
// and puts each below every trusted one that it does not outrank. For any untrusted
// records, tags and links, the trusted results are the same, byte for byte, also
// after the answer was cut to a budget ([Answer.Cut]) and after what was recalled
// together was tied ([Together]).
package recall
