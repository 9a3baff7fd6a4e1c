package strictjson

// A node is one entry of the tape: a value or a key, in document order, so that
// a subtree is a run of nodes. At sixteen bytes a node, a tree takes at most
// eight times its input ("[1,1,…"), and the slack of a slice that grows.
type node struct {
	start, end uint32 // the raw text, quotes and brackets included
	next       uint32 // the first node after this one's subtree
	meta       uint32 // kind, flags and, for a container, its length
}

// Layout of node.meta. Each element takes at least two bytes of input, so the
// ceiling on bytes keeps the length within its 27 bits.
const (
	metaKind    = 1<<3 - 1 // a Kind
	metaEscaped = 1 << 3   // the string holds a backslash
	metaTight   = 1 << 4   // the raw text is already what AppendValue writes
	metaCount   = 5        // shift of the length
)

// emit appends the node of a scalar or a key. loose is the count before it.
func (s *scanner) emit(k Kind, start, end int, t traits, loose int) {
	meta := uint32(k)
	if t&escaped != 0 {
		meta |= metaEscaped
	}
	if s.loose == loose {
		meta |= metaTight
	}
	s.tape = append(s.tape, node{
		start: uint32(start), end: uint32(end), next: uint32(len(s.tape) + 1), meta: meta,
	})
}

// open enters a container and returns its place on the tape.
func (s *scanner) open(i int) int {
	if s.depth++; s.depth > s.limits.MaxDepth {
		return s.fail(TooDeep, i, "arrays and objects are nested deeper than the limit; flatten the value")
	}
	if s.build {
		s.tape = append(s.tape, node{})
	}
	return len(s.tape)
}

// close leaves the container whose place is at, whose text began at start with
// the given count of loose places, and whose closing bracket is at i.
func (s *scanner) close(k Kind, at, start, i, count, loose int) int {
	s.depth--
	if s.build {
		meta := uint32(k) | uint32(count)<<metaCount
		if s.loose == loose {
			meta |= metaTight
		}
		s.tape[at-1] = node{start: uint32(start), end: uint32(i + 1), next: uint32(len(s.tape)), meta: meta}
	}
	return i + 1
}
