package compute

// Group assigns the elements along an axis to groups that are reduced together.
type Group struct {
	N int // number of groups
	// Of returns the first and the last group that an element belongs to. The element belongs to none
	// if the first is greater.
	Of func(i int) (first, last int)
	// Drop omits the axis from the result. N must be 1.
	Drop bool

	window int  // each group has the next window elements; 0 for other groups
	rising bool // each element belongs to the group of the element before it, or to the next one
}

// All returns the group of all elements of an axis, which the result does not have.
func All() *Group {
	return &Group{N: 1, Of: func(int) (first, last int) { return 0, 0 }, Drop: true}
}

// Of returns n groups. Element i belongs to group of(i), or to none if that is negative.
func Of(n int, of func(i int) int) *Group {
	return &Group{N: n, Of: func(i int) (first, last int) {
		k := of(i)
		return max(k, 0), k
	}}
}

// Rising is Of for groups of consecutive elements, each with at least one.
func Rising(n int, of func(i int) int) *Group {
	g := Of(n, of)
	g.rising = true
	return g
}

// Windows returns n groups of consecutive elements. Group k has the elements from k*step-before on,
// at most length of them.
func Windows(n, step, before, length int) *Group {
	g := &Group{N: n, Of: func(i int) (first, last int) {
		// k*step-before <= i < k*step-before+length
		if at := i + before - length + 1; at > 0 {
			first = (at + step - 1) / step
		}
		return first, min((i+before)/step, n-1)
	}}
	if before == 0 && length == step {
		g.window = step
	}
	return g
}

// ordered reports whether none of n elements belongs to an earlier group than the elements before it.
func (g *Group) ordered(n int) bool {
	most := 0
	for i := 0; i < n && !g.rising; i++ {
		if first, last := g.Of(i); first <= last {
			if first < most {
				return false
			}
			most = first
		}
	}
	return true
}

// span returns the groups [lo, hi) of the elements [from, to).
func (g *Group) span(from, to int) (lo, hi int) {
	if g.rising && from < to {
		lo, _ = g.Of(from)
		_, hi = g.Of(to - 1)
		return lo, hi + 1
	}
	lo = g.N
	for i := from; i < to; i++ {
		if first, last := g.Of(i); first <= last {
			lo, hi = min(lo, first), max(hi, last+1)
		}
	}
	return min(lo, hi), hi
}

// sizes returns the number of elements of each group, of n elements.
func (g *Group) sizes(n int) []int64 {
	out := make([]int64, g.N)
	for i := range n {
		for k, last := g.Of(i); k <= last; k++ {
			out[k]++
		}
	}
	return out
}
