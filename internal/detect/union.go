package detect

// union joins things that are numbered from 0 into sets.
type union []int32

func newUnion(n int) union {
	u := make(union, n)
	for i := range u {
		u[i] = int32(i)
	}
	return u
}

// of returns the set that i is in, which is its first member.
func (u union) of(i int) int {
	for int(u[i]) != i {
		u[i] = u[u[i]]
		i = int(u[i])
	}
	return i
}

// join makes one set of two.
func (u union) join(i, j int) {
	a, b := u.of(i), u.of(j)
	u[max(a, b)] = int32(min(a, b))
}

// sets returns the sets of at least least members, by their first member; members are in
// ascending order.
func (u union) sets(least int) [][]int {
	at := make(map[int]int)
	var out [][]int
	for i := range u {
		root := u.of(i)
		n, ok := at[root]
		if !ok {
			n = len(out)
			at[root] = n
			out = append(out, nil)
		}
		out[n] = append(out[n], i)
	}
	keep := out[:0]
	for _, set := range out {
		if len(set) >= least {
			keep = append(keep, set)
		}
	}
	return keep
}

// pick returns the members of a set.
func pick(ms []*Memory, set []int) []*Memory {
	out := make([]*Memory, len(set))
	for i, n := range set {
		out[i] = ms[n]
	}
	return out
}
