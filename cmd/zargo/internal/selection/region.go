package selection

import (
	"context"
	"iter"
	"math"

	"github.com/zargo-io/zargo/cmd/zargo/internal/progress"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/walk"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Region is a selection of an array.
type Region []Axis

// Shape returns the shape of the result.
func (r Region) Shape() []int {
	shape := []int{}
	for _, a := range r {
		if !a.Drop {
			shape = append(shape, a.Count)
		}
	}
	return shape
}

// Axis is the selection along one axis of an array. It selects count elements from start with the
// distance step, in reverse order if step is negative. If list is not nil, it selects the elements
// in list instead.
type Axis struct {
	Start, Step, Count int
	Drop               bool  // selected by an index, so the result lacks the axis
	List               []int // if not nil, the selected elements; start and step are unused
}

// At returns the index in the array of the i-th selected element.
func (a Axis) At(i int) int {
	if a.List != nil {
		return a.List[i]
	}
	return a.Start + i*a.Step
}

// Part returns the region limited to the selected elements [lo, hi) along axis k.
func (r Region) Part(k, lo, hi int) Region {
	s := append(Region(nil), r...)
	s[k].Count = hi - lo
	if s[k].List != nil {
		s[k].List = s[k].List[lo:hi]
	} else {
		s[k].Start += lo * s[k].Step
	}
	return s
}

// Selections converts the region to selections of package zarr.
func (r Region) Selections() []zarr.Selection {
	sel := make([]zarr.Selection, len(r))
	for i, a := range r {
		switch {
		case a.Count == 0:
			sel[i] = zarr.Range(0, 0)
		case a.List != nil:
			sel[i] = zarr.Index(a.List...)
		default:
			first, last := a.At(0), a.At(a.Count-1)
			sel[i] = zarr.Range(min(first, last), max(first, last)+1).By(a.Step)
		}
	}
	return sel
}

// Bytes returns the size of the selected elements. elem is the size of an element. Bytes returns
// fault.Limit if the result overflows an int64.
func (r Region) Bytes(elem int) (int64, error) {
	n := walk.Bytes(r.Shape(), int64(elem)) // the dropped axes have the length 1
	if n == math.MaxInt64 {
		return 0, fault.Newf(fault.Limit, "a selection of shape %v has too many elements", r.Shape())
	}
	return n, nil
}

// MaxBand is the default maximum size in bytes of a band of a selection: a part that is in memory.
// A band of 128 chunks of 1 MiB uses all 128 concurrent requests of a bucket.
const MaxBand = 128 << 20

// Band is a part of a selection and its size in bytes.
type Band struct {
	Region
	Bytes int
}

// axes returns the axes of a region of an array. of is walk.Chunks or walk.Objects.
func (r Region) axes(a *zarr.Array, of func(walk.Array, int) walk.Axis) []walk.Axis {
	axes := make([]walk.Axis, len(r))
	for k, x := range r {
		axes[k] = of(a, k)
		axes[k].Count, axes[k].Position, axes[k].List = x.Count, x.At, x.List != nil
	}
	return axes
}

// in returns the part of a region in a box of the walk.
func (r Region) in(b walk.Box) Region {
	for k, n := range b.Shape {
		if n != r[k].Count {
			r = r.Part(k, b.At[k], b.At[k]+n)
		}
	}
	return r
}

// BandsToWrite divides a selection of an array into bands that end at the boundaries of stored
// objects. The bands are consecutive in C order. each is the size of an element in memory.
func BandsToWrite(ctx context.Context, a *zarr.Array, r Region, each int) (iter.Seq[Band], error) {
	memory := concurrency.Memory() / 2
	boxes, err := cut(ctx, r, r.axes(a, walk.Objects), each, min(MaxBand, memory), memory)
	if err != nil {
		return nil, err
	}
	return func(yield func(Band) bool) {
		for b := range boxes {
			if !yield(Band{r.in(b), int(b.Bytes(int64(each)))}) {
				return
			}
		}
	}, nil
}

// cut divides a region into bands of about target bytes, or of one row of chunks if a row is
// larger. It returns fault.Limit if a row of chunks exceeds limit.
func cut(ctx context.Context, r Region, axes []walk.Axis, each int, target, limit int64) (iter.Seq[walk.Box], error) {
	total, err := r.Bytes(each)
	if err != nil {
		return nil, err
	}
	bands := walk.Bands{Axes: axes, Each: int64(each), Target: walk.Always(target), Limit: walk.Always(limit)}
	k := bands.Whole().Row()
	if k < len(r) && total > target && !axes[k].List { // a band of a list may end within a chunk
		rows, err := longest(ctx, axes[k])
		if err != nil {
			return nil, err
		}
		if row := total / int64(r[k].Count); int64(rows) > limit/row {
			need := int64(rows) * row
			return nil, fault.Newf(fault.Limit, "a row of chunks of the selection, of shape %v, takes %d bytes of memory, more than %d, half of the memory limit: select less, or set GOMEMLIMIT to at least %d",
				r.Part(k, 0, rows).Shape(), need, limit, progress.Capped(progress.Capped(need, need), session.OutsideHeap))
		}
	}
	return bands.Of(bands.Whole()), nil
}
