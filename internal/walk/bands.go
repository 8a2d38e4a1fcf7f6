package walk

import (
	"iter"
	"slices"
)

// Bands divides a selection into bands: parts that are consecutive in C order.
type Bands struct {
	Axes   []Axis
	Each   int64        // bytes of an element
	Target func() int64 // approximate bytes of the next band, at most Limit
	Limit  func() int64 // maximum bytes of the next band; a band of one element may exceed it
}

// Always returns a function that returns n, for the fields of [Bands].
func Always(n int64) func() int64 { return func() int64 { return n } }

// Whole returns the box of the whole selection.
func (b Bands) Whole() Box {
	whole := Box{make([]int, len(b.Axes)), make([]int, len(b.Axes))}
	for k, a := range b.Axes {
		whole.Shape[k] = a.Count
	}
	return whole
}

// Of yields the bands of a box. It yields nothing if the box is empty or its size overflows an
// int64. Each band has about Target bytes, or has one row of chunks if that is larger.
func (b Bands) Of(whole Box) iter.Seq[Box] {
	return func(yield func(Box) bool) {
		if n := whole.Bytes(b.Each); n > 0 && n < 1<<63-1 {
			b.cut(whole, n, yield)
		}
	}
}

// Row returns the axis along which bands divide a box: the first axis whose length is not 1, or the
// rank.
func (b Box) Row() int {
	k := slices.IndexFunc(b.Shape, func(n int) bool { return n != 1 })
	if k < 0 {
		return len(b.Shape)
	}
	return k
}

// part returns the range [from, to) of a box along axis k, relative to the box.
func (b Box) part(k, from, to int) Box {
	p := Box{slices.Clone(b.At), slices.Clone(b.Shape)}
	p.At[k] += from
	p.Shape[k] = to - from
	return p
}

// cut yields the bands of a box of total bytes. It divides the box along the first axis longer than
// 1. If one row along that axis exceeds the limit, it divides each row along the next axis.
func (b Bands) cut(of Box, total int64, yield func(Box) bool) bool {
	k := of.Row()
	if k == len(of.Shape) || total <= b.Target() {
		return yield(of)
	}
	row, axis := total/int64(of.Shape[k]), b.Axes[k].Part(of.At[k], of.Shape[k])
	for from, to := 0, 0; from < axis.Count; from = to {
		most := b.Limit() / row
		if most < 1 {
			if to = from + 1; !b.cut(of.part(k, from, to), row, yield) {
				return false
			}
			continue
		}
		count := int64(axis.Count)
		to = axis.End(from, int(min(max(b.Target()/row, 1), count)), int(min(most, count)))
		if !yield(of.part(k, from, to)) {
			return false
		}
	}
	return true
}

// Part returns the axis with only n selected elements from number i on.
func (a Axis) Part(i, n int) Axis {
	position := a.Position
	a.Count, a.Position = n, func(k int) int { return position(i + k) }
	return a
}
