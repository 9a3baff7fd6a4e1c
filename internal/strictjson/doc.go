// Package strictjson reads exactly one JSON value and refuses every input on
// which two readers could disagree.
//
// A firewall that reads one thing where the server behind it reads another is
// no firewall. RFC 8259 leaves open what happens to repeated keys, to bytes
// that are not UTF-8 and to unpaired surrogates, and common parsers differ in
// all three; many also match keys without regard to case, or stop at the end of
// the first value. This package accepts the intersection: RFC 8259 as narrowed
// by I-JSON (RFC 7493), and in addition no object may hold two keys that differ
// only by case.
//
// Refused are: repeated keys at any depth and keys that differ only by case,
// both compared after escapes are decoded; invalid UTF-8; escapes of unpaired
// surrogates; a byte order mark; anything but white space after the value;
// nesting deeper and input longer than [Limits].
//
// Case is Unicode simple folding, so "K" (Kelvin sign) and "k" are the same
// letter. Folding that changes the number of letters ("ß" and "ss") and
// normalisation (NFC, NFKC) are not applied: no JSON reader known to match keys
// loosely does either, and both would refuse honest data.
//
// Accepted, because RFC 8259 accepts them: numbers of any size and precision,
// which are kept as their text and never converted; the escape \u0000; and the
// code points Unicode calls noncharacters.
//
// There are four doors, each one pass over the input:
//
//   - [Limits.Check] says only whether the input is acceptable.
//   - [Limits.Frame] and [Limits.Peek] check it and point at top-level members.
//   - [Limits.Parse] checks it and builds a [Value], which can be searched,
//     edited with [Rewrite] and written with [AppendValue].
//
// What is refused yields a [*SyntaxError]. Its text names the fault and the
// byte where it lies and never repeats any of the input.
package strictjson
