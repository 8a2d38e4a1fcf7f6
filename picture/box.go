package picture

import (
	"context"
	"math/bits"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/internal/bits/bytesview"
	"github.com/zargo-io/zargo/internal/compute"
	"github.com/zargo-io/zargo/internal/walk"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// maxElements is the maximum number of elements of a slice with the method Box. Reading them takes
// minutes.
const maxElements = 1 << 36

// boxes sets each value of s to the mean of the elements in its box.
func boxes(ctx context.Context, s *Slice, v *dataset.Variable) error {
	if s.Height == 0 || s.Width == 0 {
		return nil
	}
	dims := v.Dims()
	if n := float64(dims[0].Len) * float64(dims[1].Len); n > maxElements {
		return fault.Newf(fault.Limit, "%s has %.0f elements, too many for the means of %d × %d boxes: select less, or read the nearest elements", nameOf(v), n, s.Height, s.Width)
	}
	r := compute.Reduction{Array: v.Array(), Op: compute.Mean, Memory: int64(s.Height) * int64(s.Width) * 16, Select: func(b walk.Box) []zarr.Selection {
		part, _ := v.Sel(dataset.Slice(dims[0].Name, b.At[0], b.At[0]+b.Shape[0]), dataset.Slice(dims[1].Name, b.At[1], b.At[1]+b.Shape[1])) // the box is in the variable
		return part.Selection()
	}}
	r.Coding, _ = v.Coding()
	for i, pixels := range []int{s.Height, s.Width} {
		d := dims[i]
		axis, position, ok := v.Axis(d.Name)
		if !ok {
			return fault.Newf(fault.Selection, "%s has the dimension %q of points, which has no boxes: read the nearest elements", nameOf(v), d.Name)
		}
		_, _, _, even, _ := v.Positions(axis)
		x := walk.Chunks(v.Array(), axis)
		x.Count, x.Position, x.List = d.Len, position, !even
		r.Axes, r.Groups = append(r.Axes, x), append(r.Groups, compute.Rising(pixels, func(i int) int { return boxOf(i, d.Len, pixels) }))
	}
	p, err := r.Plan()
	if err != nil {
		return err
	}
	for task := range p.Tasks() {
		if err := p.Run(ctx, task, func(at, shape []int, means []byte) error {
			for y := range shape[0] {
				row := s.Values[(at[0]+y)*s.Width+at[1]:][:shape[1]]
				bytesview.Take(row, means[8*y*shape[1]:][:8*shape[1]])
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// numbersOf sets dst to 1 for true and to 0 for false.
func numbersOf(dst []float64, src []bool) {
	for i, b := range src {
		if dst[i] = 0; b {
			dst[i] = 1
		}
	}
}

// bounds divides n elements into p boxes and returns their boundaries: box i contains the elements
// from bounds[i] up to, but not including, bounds[i+1]. p is at most n.
func bounds(n, p int) []int {
	out := make([]int, p+1)
	for i := range out {
		hi, lo := bits.Mul64(uint64(i), uint64(n))
		q, _ := bits.Div64(hi, lo, uint64(p))
		out[i] = int(q)
	}
	return out
}

// boxOf returns the box that contains element i of n elements in p boxes.
func boxOf(i, n, p int) int {
	hi, lo := bits.Mul64(uint64(i)+1, uint64(p))
	lo, borrow := bits.Sub64(lo, 1, 0)
	q, _ := bits.Div64(hi-borrow, lo, uint64(n))
	return int(q)
}
