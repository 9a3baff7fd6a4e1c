package reviewer

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// domain separates statements from everything else that an Ed25519 key of ours could be asked to sign.
const domain = "hearsay/statement/v1\x00"

// maxEncoded bounds what Decode looks at, in bytes.
const maxEncoded = 512 << 10

// Encode returns the bytes that are signed: the domain, then each field in the order of [Statement] after V, which
// the domain states. A string is its length in bytes (4 bytes, big-endian) and its bytes; a number is 8 bytes,
// big-endian; the taint is its count (4 bytes, big-endian) and its names. There is one encoding of a statement, and
// no two statements share one. Statements that fail [Statement.Check] have none.
func (st Statement) Encode() ([]byte, error) {
	if err := st.Check(); err != nil {
		return nil, err
	}
	b := make([]byte, 0, 512)
	b = append(b, domain...)
	for _, s := range []string{st.LogID, st.RecordID, st.Subject, st.ContentDigest, st.LabelOrigin} {
		b = appendString(b, s)
	}
	b = binary.BigEndian.AppendUint32(b, uint32(len(st.LabelTaint)))
	for _, t := range st.LabelTaint {
		b = appendString(b, t)
	}
	for _, s := range []string{string(st.Decision), st.Reviewer, st.KeyID} {
		b = appendString(b, s)
	}
	b = binary.BigEndian.AppendUint64(b, uint64(st.Time))
	b = appendString(b, st.NoteDigest)
	b = binary.BigEndian.AppendUint64(b, st.TreeSize)
	b = appendString(b, st.TreeRoot)
	b = appendString(b, st.Nonce)
	return b, nil
}

// Decode reads what Encode wrote and nothing else: trailing bytes, lengths that lie and statements that fail
// [Statement.Check] are errors that wrap [ErrStatement].
func Decode(b []byte) (Statement, error) {
	if len(b) > maxEncoded {
		return Statement{}, fmt.Errorf("reviewer: %w: %d bytes, at most %d are possible", ErrStatement, len(b), maxEncoded)
	}
	if len(b) < len(domain) || string(b[:len(domain)]) != domain {
		return Statement{}, fmt.Errorf("reviewer: %w: it does not begin with %q", ErrStatement, domain)
	}
	r := reader{rest: b[len(domain):]}
	st := Statement{V: Version}
	for _, s := range []*string{&st.LogID, &st.RecordID, &st.Subject, &st.ContentDigest, &st.LabelOrigin} {
		*s = r.string()
	}
	n := r.uint32()
	if n > maxTaint {
		r.fail(fmt.Errorf("%d taints, at most %d are possible", n, maxTaint))
	}
	for range n {
		if r.err != nil {
			break
		}
		st.LabelTaint = append(st.LabelTaint, r.string())
	}
	st.Decision = Decision(r.string())
	st.Reviewer = r.string()
	st.KeyID = r.string()
	st.Time = int64(r.uint64())
	st.NoteDigest = r.string()
	st.TreeSize = r.uint64()
	st.TreeRoot = r.string()
	st.Nonce = r.string()
	if r.err == nil && len(r.rest) > 0 {
		r.fail(fmt.Errorf("%d bytes too many", len(r.rest)))
	}
	if r.err != nil {
		return Statement{}, fmt.Errorf("reviewer: %w: %w", ErrStatement, r.err)
	}
	if err := st.Check(); err != nil {
		return Statement{}, err
	}
	return st, nil
}

func appendString(b []byte, s string) []byte {
	return append(binary.BigEndian.AppendUint32(b, uint32(len(s))), s...)
}

// reader takes fields off rest; after the first error every field is zero.
type reader struct {
	rest []byte
	err  error
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err, r.rest = err, nil
	}
}

func (r *reader) take(n int) []byte {
	if r.err == nil && n > len(r.rest) {
		r.fail(errors.New("it is cut short"))
	}
	if r.err != nil {
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

func (r *reader) uint32() uint32 {
	if b := r.take(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

func (r *reader) uint64() uint64 {
	if b := r.take(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

func (r *reader) string() string {
	n := r.uint32()
	if n > maxString {
		r.fail(fmt.Errorf("a field of %d bytes, at most %d are possible", n, maxString))
	}
	return string(r.take(int(n)))
}
