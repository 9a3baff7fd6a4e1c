// Package hosts speaks the dialects of agent hosts over one normalised event.
//
// A host runs a hook program at fixed points of a session, writes one JSON object to
// its standard input and reads the answer from its standard output and exit code. A
// [Dialect] decodes that object into an [Event] and encodes an [Answer] in the form
// which that host, and perhaps no other, carries out: what denies on one host is
// ignored on the next, and "ask" on a third lets the tool run. [Detect] finds the
// dialect of a payload, because one settings file is read by several products.
//
// The package is pure: bytes in, bytes out. It decides nothing. It reads strictly,
// by package strictjson: a payload that two readers could take for two things is a
// [*DecodeError], and the caller then fails closed where something is about to
// happen and goes on, as tainted, where something has happened. What a host attests
// is kept apart from what it is silent on, and where two pieces of evidence
// contradict each other the less trusted one counts.
//
// What a payload does not show is not known here: which files a mention pulled in,
// what a background writer stored, what went to a shell that was already open on a
// host that raises no event for it.
package hosts
