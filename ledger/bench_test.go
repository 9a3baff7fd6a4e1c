package ledger

import (
	"crypto/sha256"
	"testing"

	"golang.org/x/mod/sumdb/note"
)

// bodySize is the size of a typical event, in bytes.
const bodySize = 300

func benchBodies(n int) [][]byte {
	block := make([]byte, n*bodySize)
	for i := range block {
		block[i] = byte(i * 31 >> 3)
	}
	bodies := make([][]byte, n)
	for i := range bodies {
		bodies[i] = block[i*bodySize : (i+1)*bodySize]
	}
	return bodies
}

// One append: leaf hash and frontier, beside the bare hash of the same bytes. The
// bound is the least that any such tree can cost: one more hash, of 65 bytes.
func BenchmarkAppend(b *testing.B) {
	body := benchBodies(1)[0]
	b.Run("frontier", func(b *testing.B) {
		var f Frontier
		b.ReportAllocs()
		for b.Loop() {
			f.Append(LeafHash(body))
		}
	})
	b.Run("builder", func(b *testing.B) {
		build := NewBuilder(Frontier{}, nil)
		b.ReportAllocs()
		for b.Loop() {
			if err := build.Append(LeafHash(body)); err != nil {
				b.Fatal(err)
			}
			if build.full != nil {
				build.TakeTiles()
			}
		}
	})
	b.Run("floor-sha256", func(b *testing.B) {
		for b.Loop() {
			sha256.Sum256(body)
		}
	})
	b.Run("floor-sha256-and-node", func(b *testing.B) {
		var node [65]byte
		for b.Loop() {
			sha256.Sum256(body)
			sha256.Sum256(node[:])
		}
	})
}

// A log of 100,000 entries in memory, beside a loop that only hashes them.
func BenchmarkVerify(b *testing.B) {
	const n = 100_000
	bodies := benchBodies(n)
	s := newStore(b, bodies)
	rate := func(b *testing.B) {
		b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mentries/s")
	}
	b.Run("verify", func(b *testing.B) {
		for b.Loop() {
			if _, err := Verify(s.entries(), Expectation{Head: s.head, Tile: s.Tile}); err != nil {
				b.Fatal(err)
			}
		}
		rate(b)
	})
	b.Run("floor-sha256", func(b *testing.B) {
		for b.Loop() {
			for _, body := range bodies {
				sha256.Sum256(body)
			}
		}
		rate(b)
	})
	b.Run("floor-sha256-and-node", func(b *testing.B) {
		var node [65]byte
		for b.Loop() {
			for _, body := range bodies {
				sha256.Sum256(body)
				sha256.Sum256(node[:])
			}
		}
		rate(b)
	})
}

// Proofs in a log of a million entries. The floor hashes what a check must hash; cold
// begins with nothing read.
func BenchmarkProof(b *testing.B) {
	const n, seq = 1_000_000, 654_321
	leaves := numbered(n)
	s := storeOf(b, leaves)
	root := s.head.Root()
	warm := NewReader(n, s)
	proof, err := ProveInclusion(n, seq, warm)
	if err != nil {
		b.Fatal(err)
	}
	consistency, err := ProveConsistency(n, seq, warm)
	if err != nil {
		b.Fatal(err)
	}
	oldRoot := s.checkpoint(b, seq).Root
	for _, bench := range []struct {
		name string
		run  func() error
	}{
		{"inclusion-make", func() error { _, err := ProveInclusion(n, seq, warm); return err }},
		{"inclusion-make-cold", func() error { _, err := ProveInclusion(n, seq, NewReader(n, s)); return err }},
		{"inclusion-check", func() error { return CheckInclusion(proof, n, root, seq, leaves[seq]) }},
		{"consistency-make", func() error { _, err := ProveConsistency(n, seq, warm); return err }},
		{"consistency-check", func() error { return CheckConsistency(consistency, n, root, seq, oldRoot) }},
	} {
		b.Run(bench.name, func(b *testing.B) {
			for b.Loop() {
				if err := bench.run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("floor-check", func(b *testing.B) {
		h := leaves[seq]
		for b.Loop() {
			for i := range proof {
				h = nodeHash(&proof[i], &h)
			}
		}
	})
}

func BenchmarkCheckpoint(b *testing.B) {
	s, v := signer(b, "ledger", 1)
	known := note.VerifierList(v)
	msg, err := testPoint.Sign(s)
	if err != nil {
		b.Fatal(err)
	}
	text := []byte(testPoint.text())
	b.Run("sign", func(b *testing.B) {
		for b.Loop() {
			if _, err := testPoint.Sign(s); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			if _, err := OpenCheckpoint(msg, known, testPoint.Origin); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("floor-ed25519-sign", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Sign(text); err != nil {
				b.Fatal(err)
			}
		}
	})
}
