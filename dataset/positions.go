package dataset

import "github.com/zargo-io/zargo/zarr"

// positions are the selected elements of a dimension, in order. They are a range with a step, or a
// list.
type positions struct {
	lo, n, step int // if list is nil
	list        []int
}

func all(n int) positions { return positions{n: n, step: 1} }

func (p positions) len() int {
	if p.list != nil {
		return len(p.list)
	}
	return p.n
}

// at returns the i-th position.
func (p positions) at(i int) int {
	if p.list != nil {
		return p.list[i]
	}
	return p.lo + i*p.step
}

// pick returns the positions that q selects from p. A position in q is an index into p.
func (p positions) pick(q positions) positions {
	if p.list == nil && q.list == nil {
		return positions{lo: p.lo + q.lo*p.step, n: q.n, step: p.step * q.step}
	}
	out := make([]int, q.len())
	for i := range out {
		out[i] = p.at(q.at(i))
	}
	return positions{list: out}
}

// selection returns the positions as a selection of an axis.
func (p positions) selection() zarr.Selection {
	switch {
	case p.list != nil:
		return zarr.Index(p.list...)
	case p.n == 0:
		return zarr.Range(0, 0)
	}
	return zarr.Range(p.lo, p.lo+(p.n-1)*p.step+1).By(p.step)
}
