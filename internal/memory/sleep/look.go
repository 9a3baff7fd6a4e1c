package sleep

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/recall"
)

// sight is what a run sees of the memories.
type sight struct {
	items  []item // that may be changed, in ascending order of id
	looked int
}

// item is one memory with what tells whether another says the same; its text is not kept.
type item struct {
	recall.Memory
	says    [16]byte // equal where it says the same, and all that a merge must not mix is equal
	subject string
	title   string
	size    int  // bytes of its text
	settled bool // a person keeps waiting, or refused, what was made of it: it is pruned at most
}

// look reads all memories. Suspects are left out, as is what a person took out of the hands
// of an earlier run.
func (r *run) look(ctx context.Context, suspects []hearsay.RecordID) (sight, error) {
	alone, settled, err := r.spoken(ctx)
	if err != nil {
		return sight{}, err
	}
	for _, id := range suspects {
		alone[id] = true
	}
	var out sight
	for l, err := range r.store.Lives(ctx) {
		if err != nil {
			return sight{}, err
		}
		out.looked++
		if alone[l.Memory.ID] {
			continue
		}
		it := see(l.Memory, l.Life)
		it.settled = settled[it.ID]
		out.items = append(out.items, it)
	}
	return out, nil
}

// spoken returns the memories that a person had a say about after an earlier run: those of
// which a change was revoked are left alone, those of which one waits or was refused are
// not merged or summed up again.
func (r *run) spoken(ctx context.Context) (alone, settled map[hearsay.RecordID]bool, err error) {
	alone, settled = make(map[hearsay.RecordID]bool), make(map[hearsay.RecordID]bool)
	for rec, err := range r.store.Consolidated(ctx) {
		if err != nil {
			return nil, nil, err
		}
		into := settled
		switch {
		case rec.Standing == hearsay.Revoked:
			into = alone
		case rec.Standing.Visible() || rec.Op == event.Delete:
			continue
		}
		for _, id := range rec.Replaces {
			into[id] = true
		}
	}
	return alone, settled, nil
}

// see takes down what a run has to know of a memory.
func see(m *memory.Memory, life recall.Memory) item {
	it := item{Memory: life, subject: m.Subject, title: m.Title, size: len(m.Text)}
	h := sha256.New()
	part := func(s string) {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(s)))
		h.Write(n[:])
		io.WriteString(h, s)
	}
	part(m.Label.Origin.String())
	part(m.Label.Taint.String())
	part(m.Project)
	part(strings.ToLower(m.Subject))
	part(fmt.Sprintf("%d %d %v %d", m.Kind, m.Form, m.Weight, len(m.Namespace)))
	for _, s := range m.Namespace {
		part(s)
	}
	part(plain(m.Text))
	copy(it.says[:], h.Sum(nil))
	it.Tags = m.Tags // all of them, and not only those that rank
	return it
}

// kept reports whether a person said that the memory stays just as it is.
func (it *item) kept() bool { return it.Pinned || it.Stable }

func compareIDs(a, b hearsay.RecordID) int { return bytes.Compare(a[:], b[:]) }
