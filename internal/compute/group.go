package compute

// Group assigns the elements along an axis to groups that are reduced together. Element i belongs to
// the groups from First[i] to Last[i], and to none if First[i] is greater.
type Group struct {
	N           int // number of groups
	First, Last []int32
	// Drop omits the axis from the result. N must be 1.
	Drop bool

	window int // each group has the next window elements; 0 for other groups
}

// All returns the group of all n elements of an axis, which the result does not have.
func All(n int) *Group {
	return &Group{N: 1, First: make([]int32, n), Last: make([]int32, n), Drop: true}
}

// Of returns n groups. Element i belongs to group of[i], or to none if that is negative.
func Of(n int, of []int32) *Group {
	g := &Group{N: n, First: make([]int32, len(of)), Last: make([]int32, len(of))}
	for i, k := range of {
		if g.First[i], g.Last[i] = k, k; k < 0 {
			g.First[i] = 0
			g.Last[i] = -1
		}
	}
	return g
}

// Windows returns n groups of consecutive elements. Group k has the elements from k*step-before on,
// at most length of them, of an axis with count elements.
func Windows(count, n, step, before, length int) *Group {
	g := &Group{N: n, First: make([]int32, count), Last: make([]int32, count)}
	for i := range count {
		// k*step-before <= i < k*step-before+length
		last := min((i+before)/step, n-1)
		first := 0
		if at := i + before - length + 1; at > 0 {
			first = (at + step - 1) / step
		}
		g.First[i], g.Last[i] = int32(first), int32(last) //nolint:gosec // less than n
	}
	if before == 0 && length == step {
		g.window = step
	}
	return g
}

// ordered reports whether no element belongs to an earlier group than the elements before it.
func (g *Group) ordered() bool {
	most := int32(0)
	for i, first := range g.First {
		if first <= g.Last[i] {
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
	l, h := int32(g.N), int32(0) //nolint:gosec // an axis has fewer groups
	for i := from; i < to; i++ {
		if g.First[i] <= g.Last[i] {
			l, h = min(l, g.First[i]), max(h, g.Last[i]+1)
		}
	}
	return min(int(l), int(h)), int(h)
}

// sizes returns the number of elements of each group.
func (g *Group) sizes() []int64 {
	n := make([]int64, g.N)
	for i, first := range g.First {
		for k := first; k <= g.Last[i]; k++ {
			n[k]++
		}
	}
	return n
}
