package strictjson

import "strconv"

// An ErrorKind says why an input was refused. The strings are stable: they may
// be logged, counted and matched.
type ErrorKind string

const (
	Malformed      ErrorKind = "malformed"        // not RFC 8259
	DuplicateKey   ErrorKind = "duplicate_key"    // a key of one object is repeated
	CaseVariantKey ErrorKind = "case_variant_key" // a key equals another, or a reserved name, but for case
	InvalidUTF8    ErrorKind = "invalid_utf8"     // a string holds bytes that are not UTF-8
	LoneSurrogate  ErrorKind = "lone_surrogate"   // an escape names half of a surrogate pair
	TooDeep        ErrorKind = "too_deep"         // nesting exceeds Limits.MaxDepth
	TooLarge       ErrorKind = "too_large"        // input exceeds Limits.MaxBytes
	TrailingData   ErrorKind = "trailing_data"    // more than white space follows the value
)

// A SyntaxError is the only error this package returns. It holds no part of the
// input, which may have been written to be read by a model, so it is safe to
// log and to answer with.
type SyntaxError struct {
	Kind   ErrorKind
	Offset int64 // bytes from the start of the input to the fault

	what string // a fixed sentence, never input
}

// Error names the fault and its byte offset.
func (e *SyntaxError) Error() string {
	return "strictjson: " + string(e.Kind) + " at byte " + strconv.FormatInt(e.Offset, 10) + ": " + e.what
}
