package segment

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/hearsay-memory/hearsay"
)

// The stored form, version 1. Numbers are unsigned varints, each in its shortest form.
//
//	"hsgm" 1
//	digest         32 bytes, SHA-256 of the file
//	front          lines of front matter
//	labels         number; each: origin (1 byte), number of tags, each tag: length, bytes
//	owners         number; each: record (16 bytes), number of its label
//	runs           number; each: lines, 2 × number of its owner + 1 where edited
//	ghosts         bits (1 byte), number; each: print less the print before, number of its label
//
// Labels and owners stand in the order of their first use. A form that does not encode
// to itself is none.
const magic = "hsgm\x01"

// Bounds of the stored form.
const (
	maxForm   = 64 << 20 // bytes
	maxLabels = 1 << 14
	maxTags   = 1 << 10 // of one label
)

// errForm is all that is said of a malformed form: what is wrong with it can be of no use.
var errForm = errors.New("segments: malformed")

// MarshalBinary writes the stored form. It fails for what would not be read back: more
// labels than are allowed, or a record that is not a UUIDv7.
func (f File) MarshalBinary() ([]byte, error) {
	var labels, owners, tail []byte
	byLabel := map[hearsay.Label]uint64{}
	label := func(l hearsay.Label) uint64 {
		n, ok := byLabel[l]
		if !ok {
			n = uint64(len(byLabel))
			byLabel[l] = n
			labels = append(labels, byte(l.Origin))
			tags := l.Taint.Tags()
			labels = binary.AppendUvarint(labels, uint64(len(tags)))
			for _, t := range tags {
				labels = append(binary.AppendUvarint(labels, uint64(len(t))), t...)
			}
		}
		return n
	}
	for _, o := range f.owners {
		if !validRecord(o.Record) {
			return nil, fmt.Errorf("segments: a record is not a UUIDv7")
		}
		owners = append(owners, o.Record[:]...)
		owners = binary.AppendUvarint(owners, label(o.Label))
	}
	tail = append(tail, f.ghosts.bits)
	tail = binary.AppendUvarint(tail, uint64(len(f.ghosts.list)))
	last := uint32(0)
	for _, g := range f.ghosts.list {
		tail = binary.AppendUvarint(tail, uint64(g.print-last))
		tail = binary.AppendUvarint(tail, label(g.label))
		last = g.print
	}
	for l := range maps.Keys(byLabel) {
		if len(byLabel) > maxLabels || len(l.Taint.Tags()) > maxTags {
			return nil, fmt.Errorf("segments: more than %d labels, or %d tags in one", maxLabels, maxTags)
		}
	}

	out := append([]byte(magic), f.digest[:]...)
	out = binary.AppendUvarint(out, uint64(f.front))
	out = append(binary.AppendUvarint(out, uint64(len(byLabel))), labels...)
	out = append(binary.AppendUvarint(out, uint64(len(f.owners))), owners...)
	out = binary.AppendUvarint(out, uint64(len(f.runs)))
	for _, r := range f.runs {
		n := 2 * uint64(r.owner)
		if r.edited {
			n++
		}
		out = binary.AppendUvarint(binary.AppendUvarint(out, uint64(r.lines)), n)
	}
	out = append(out, tail...)
	if len(out) > maxForm {
		return nil, fmt.Errorf("segments: more than %d bytes", maxForm)
	}
	return out, nil
}

// UnmarshalBinary reads what [File.MarshalBinary] writes and nothing else; an error leaves
// the zero value. Whether the file on disk is the one described, [File.Fits] says.
func (f *File) UnmarshalBinary(data []byte) error {
	*f = File{}
	if len(data) > maxForm {
		return errForm
	}
	r := reader{rest: data, ok: true}
	g := r.file()
	if !r.ok || len(r.rest) != 0 {
		return errForm
	}
	if again, err := g.MarshalBinary(); err != nil || !bytes.Equal(again, data) {
		return errForm
	}
	*f = g
	return nil
}

func validRecord(id hearsay.RecordID) bool {
	return id.IsZero() || id[6]>>4 == 7 && id[8]>>6 == 2
}

// reader reads a form. After the first mistake ok is false and every number is 0.
type reader struct {
	rest []byte
	ok   bool
}

func (r *reader) bytes(n int) []byte {
	if n > len(r.rest) {
		r.ok, r.rest = false, nil
	}
	if !r.ok {
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

func (r *reader) byte() byte {
	if b := r.bytes(1); len(b) == 1 {
		return b[0]
	}
	return 0
}

// varint reads a number of at most limit.
func (r *reader) varint(limit uint64) uint64 {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 || v > limit {
		r.ok, r.rest = false, nil
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

// number reads a number of at most limit.
func (r *reader) number(limit int) int { return int(r.varint(uint64(limit))) }

// count reads how many of something follow, each of which takes a number of bytes at least.
func (r *reader) count(limit, each int) int { return r.number(min(limit, len(r.rest)/each)) }

// file reads all of it.
func (r *reader) file() File {
	var f File
	if string(r.bytes(len(magic))) != magic {
		r.ok, r.rest = false, nil
	}
	copy(f.digest[:], r.bytes(len(f.digest)))
	f.front = r.number(math.MaxInt32)
	labels := r.labels()
	label := func() hearsay.Label {
		if n := r.number(math.MaxInt32); n < len(labels) {
			return labels[n]
		}
		r.ok = false
		return hearsay.Label{}
	}
	f.owners = make([]Owner, r.count(math.MaxInt32, 17))
	known := make(map[Owner]bool, len(f.owners))
	for i := range f.owners {
		copy(f.owners[i].Record[:], r.bytes(16))
		f.owners[i].Label = label()
		known[f.owners[i]] = true
	}
	if len(known) < len(f.owners) {
		r.ok = false
	}
	f.runs = make([]run, 0, r.count(math.MaxInt32, 2))
	used := 0
	for range cap(f.runs) {
		lines, n := r.number(math.MaxInt32), r.number(math.MaxInt32)
		if n/2 > used || n/2 >= len(f.owners) || lines == 0 || f.lines > math.MaxInt32-lines {
			r.ok = false
			return File{}
		}
		used = max(used, n/2+1)
		f.append(lines, int32(n/2), n%2 == 1)
	}
	if used < len(f.owners) {
		r.ok = false
	}
	if f.front > f.lines {
		r.ok = false
	}
	f.ghosts.bits = r.byte()
	list := make([]ghost, r.count(maxGhosts, 2))
	for i := range list {
		list[i].print = uint32(r.varint(math.MaxUint32))
		if i > 0 {
			add := list[i].print
			list[i].print += list[i-1].print
			r.ok = r.ok && add > 0 && list[i].print > list[i-1].print
		}
		list[i].label = label()
	}
	f.ghosts.list = slices.Clip(list)
	bits := f.ghosts.bits
	if bits > 32 || len(list) == 0 && bits != 0 || len(list) > 0 && uint64(list[len(list)-1].print)>>bits != 0 {
		r.ok = false
	}
	return f
}

// labels reads the labels.
func (r *reader) labels() []hearsay.Label {
	labels := make([]hearsay.Label, r.count(maxLabels, 2))
	for i := range labels {
		o := hearsay.Origin(r.byte())
		tags := make([]string, r.count(maxTags, 2))
		for t := range tags {
			tags[t] = string(r.bytes(r.number(math.MaxInt16)))
		}
		labels[i] = hearsay.Label{Origin: o, Taint: hearsay.NewTaint(tags...)}
		if !r.ok || labels[i] != labels[i].Join(hearsay.LabelIdentity) {
			r.ok = false
			return nil
		}
	}
	return labels
}
