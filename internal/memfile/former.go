package memfile

import (
	"bytes"
	"encoding/binary"

	"github.com/hearsay-memory/hearsay"
)

// maxFormer bounds the bytes that are kept of what one change took out of a file. Where
// more went at once, the file before is not kept.
const maxFormer = 256 << 10

// The form of what is kept of a file as it was before a change. All numbers are unsigned
// varints.
//
//	form     1 byte, 1
//	record   16 bytes, whose write the change was; zeros: nobody's
//	state    1 byte: [formerLost], [formerKept] or [formerAbsent]
//	parts    to the end, of a kept one: 2 × length and where it stands in the bytes after,
//	         or 2 × length + 1 and the bytes
const (
	formerForm = 1
	formerHead = 18 // bytes

	formerLost   = 0
	formerKept   = 1
	formerAbsent = 2 // there was no file
)

// encodeFormer keeps what a file was before a change, as parts of what it is after it and
// as the bytes that are no part of that.
func encodeFormer(by hearsay.RecordID, before, after []byte) []byte {
	out := append([]byte{formerForm}, by[:]...)
	if before == nil {
		return append(out, formerAbsent)
	}
	head, tail := inCommon(before, after)
	parts := append(out, formerKept)
	same := func(from, size int) {
		if size > 0 {
			parts = binary.AppendUvarint(binary.AppendUvarint(parts, 2*uint64(size)), uint64(from))
		}
	}
	same(0, head)
	b := bytes.SplitAfter(before[head:len(before)-tail], []byte("\n"))
	a := bytes.SplitAfter(after[head:len(after)-tail], []byte("\n"))
	at := make(map[string]int, len(a)) // by line after: the first of its places
	from := make([]int, len(a)+1)
	from[0] = head
	for i, line := range a {
		if _, ok := at[string(line)]; !ok {
			at[string(line)] = i
		}
		from[i+1] = from[i] + len(line)
	}
	left, next := maxFormer, 0 // next is the line after the last one that was the same
	for len(b) > 0 {
		j, ok := next, next < len(a) && bytes.Equal(a[next], b[0])
		if !ok {
			j, ok = at[string(b[0])]
		}
		if ok {
			for next = j; len(b) > 0 && next < len(a) && bytes.Equal(a[next], b[0]); next++ {
				b = b[1:]
			}
			same(from[j], from[next]-from[j])
			continue
		}
		var text []byte
		for len(b) > 0 {
			if _, ok := at[string(b[0])]; ok {
				break
			}
			text, b = append(text, b[0]...), b[1:]
		}
		if left -= len(text); left < 0 {
			return append(out, formerLost)
		}
		parts = append(binary.AppendUvarint(parts, 2*uint64(len(text))+1), text...)
	}
	same(len(after)-tail, tail)
	return parts
}

// inCommon returns how many bytes two versions have in common at the beginning and at the
// end, in whole lines.
func inCommon(b, a []byte) (head, tail int) {
	n := min(len(b), len(a))
	for head < n && b[head] == a[head] {
		head++
	}
	head = bytes.LastIndexByte(b[:head], '\n') + 1
	for tail < n-head && b[len(b)-1-tail] == a[len(a)-1-tail] {
		tail++
	}
	if line := bytes.IndexByte(b[len(b)-tail:], '\n'); line >= 0 {
		return head, tail - line - 1
	}
	return head, 0
}

// formerBy is whose write a change was; false where it is nobody's, or not known.
func formerBy(form []byte) (hearsay.RecordID, bool) {
	if len(form) < formerHead || form[0] != formerForm {
		return hearsay.RecordID{}, false
	}
	id := hearsay.RecordID(form[1:17])
	return id, !id.IsZero()
}

// decodeFormer makes the bytes before a change from those after it; nil: there was no
// file. What it makes has still to be compared with what was sealed.
func decodeFormer(form, after []byte) (before []byte, ok bool) {
	if len(form) < formerHead || form[0] != formerForm {
		return nil, false
	}
	state, rest := form[17], form[formerHead:]
	if state == formerAbsent {
		return nil, len(rest) == 0
	}
	if state != formerKept {
		return nil, false
	}
	before = []byte{}
	number := func() uint64 {
		v, n := binary.Uvarint(rest)
		if n <= 0 {
			ok, rest = false, nil
			return 0
		}
		rest = rest[n:]
		return v
	}
	for ok = true; ok && len(rest) > 0; {
		n := number()
		from, size := rest, n/2
		if n%2 == 0 {
			at := number()
			if at > uint64(len(after)) {
				return nil, false
			}
			from = after[at:]
		}
		if !ok || size > uint64(len(from)) || uint64(len(before))+size > MaxFile {
			return nil, false
		}
		before = append(before, from[:size]...)
		if n%2 == 1 {
			rest = rest[size:]
		}
	}
	return before, ok
}
