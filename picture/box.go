package picture

import (
	"context"
	"math"
	"math/bits"
	"reflect"
	"sort"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/internal/walk"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

const (
	// tileElements is the approximate number of elements of a tile. Reading them takes longer than
	// the constant work for each tile.
	tileElements = 1 << 18
	// maxTile is the maximum number of elements of a tile. A larger chunk has several tiles, and is
	// read once for each of them.
	maxTile = 1 << 23
	// tilesAhead is the maximum number of tiles to read concurrently, which hides the latency of a
	// bucket. Each tile also reads its chunks concurrently.
	tilesAhead = 16
	// tileMemory is the maximum memory of all tiles in bytes. It is enough for two chunks of 5 MB.
	tileMemory = 11 << 20
	// maxElements is the maximum number of elements of a slice with the method Box. Reading them
	// takes minutes.
	maxElements = 1 << 36
)

// boxesOf contains the boundaries of the boxes of a slice, as row and column numbers of elements.
type boxesOf struct{ rows, cols []int }

// sums contains the sum and the number of values of each box in a rectangle of boxes. The rectangle
// has height rows and width columns, and starts at row y and column x of the slice.
type sums struct {
	y, x, height, width int
	sum                 []float64
	n                   []uint32
}

// boxes sets each value of s to the mean of the elements in its box.
func boxes(ctx context.Context, s *Slice, v *dataset.Variable) error {
	if s.Height == 0 || s.Width == 0 {
		return nil
	}
	switch v.Array().DType() {
	case dtype.Bool:
		return boxesIn[uint8](ctx, s, v)
	case dtype.Int8:
		return boxesIn[int8](ctx, s, v)
	case dtype.Int16:
		return boxesIn[int16](ctx, s, v)
	case dtype.Int32:
		return boxesIn[int32](ctx, s, v)
	case dtype.Int64:
		return boxesIn[int64](ctx, s, v)
	case dtype.Uint8:
		return boxesIn[uint8](ctx, s, v)
	case dtype.Uint16:
		return boxesIn[uint16](ctx, s, v)
	case dtype.Uint32:
		return boxesIn[uint32](ctx, s, v)
	case dtype.Uint64:
		return boxesIn[uint64](ctx, s, v)
	case dtype.Float64:
		return boxesIn[float64](ctx, s, v)
	}
	return boxesIn[float32](ctx, s, v)
}

// boxesIn implements boxes for stored values of type S. It reads tiles concurrently and adds their
// sums in order, so the means do not depend on the timing of the reads.
func boxesIn[S cf.Number](ctx context.Context, s *Slice, v *dataset.Variable) error {
	dims := v.Dims()
	inBox := math.Ceil(float64(dims[0].Len)/float64(s.Height)) * math.Ceil(float64(dims[1].Len)/float64(s.Width))
	if n := float64(dims[0].Len) * float64(dims[1].Len); n > maxElements || inBox > math.MaxUint32 {
		return fault.Newf(fault.Limit, "%s has %.0f elements, too many for the means of %d × %d boxes: select less, or read the nearest elements", nameOf(v), n, s.Height, s.Width)
	}
	axes := make([]walk.Axis, 2)
	for i, d := range dims {
		axis, position, ok := v.Axis(d.Name)
		if !ok {
			return fault.Newf(fault.Selection, "%s has the dimension %q of points, which has no boxes: read the nearest elements", nameOf(v), d.Name)
		}
		axes[i] = walk.Chunks(v.Array(), axis)
		axes[i].Count, axes[i].Position = d.Len, position
	}
	b, idle := &boxesOf{bounds(dims[0].Len, s.Height), bounds(dims[1].Len, s.Width)}, &walk.Buffers[S]{}
	size := int64(reflect.TypeFor[S]().Size())
	o := walk.Options{Ahead: tilesAhead, Budget: v.Array().Limits().Shared.Bytes, Bytes: tileMemory, Need: walk.Each(size)}
	total, n := s.Values, make([]uint32, len(s.Values))
	read := func(ctx context.Context, t walk.Box) (sums, error) {
		return readTile(ctx, v, tile{t.At[0], t.At[0] + t.Shape[0], t.At[1], t.At[1] + t.Shape[1]}, b, idle)
	}
	for part, err := range walk.Read(ctx, o, walk.Tiles(axes, tileElements, maxTile), read) {
		if err != nil {
			return err
		}
		for y := range part.height {
			at := (part.y+y)*s.Width + part.x
			for x := range part.width {
				total[at+x] += part.sum[y*part.width+x]
				n[at+x] += part.n[y*part.width+x]
			}
		}
	}
	for i := range total {
		total[i] /= float64(n[i]) // NaN if all elements are missing
	}
	return nil
}

// tile is a rectangle of the selected elements: rows [y0, y1) and columns [x0, x1).
type tile struct{ y0, y1, x0, x1 int }

// readTile reads a tile of a variable and returns the sums of its decoded values.
func readTile[S cf.Number](ctx context.Context, v *dataset.Variable, t tile, b *boxesOf, idle *walk.Buffers[S]) (sums, error) {
	dims := v.Dims()
	part, err := v.Sel(dataset.Slice(dims[0].Name, t.y0, t.y1), dataset.Slice(dims[1].Name, t.x0, t.x1))
	if err != nil {
		return sums{}, err
	}
	stored := idle.Make((t.y1 - t.y0) * (t.x1 - t.x0))
	defer idle.Put(stored)
	switch v.Array().DType() {
	case dtype.Bool:
		var truths []bool
		if truths, err = zarr.Read[bool](ctx, v.Array(), part.Selection()...); err == nil {
			numbersOf(stored, truths)
		}
	case dtype.Float16:
		stored, err = zarr.ReadAs[S](ctx, v.Array(), part.Selection()...)
	default:
		err = zarr.ReadInto(ctx, v.Array(), stored, part.Selection()...)
	}
	if err != nil {
		return sums{}, err
	}
	coding, coded := v.Coding()
	s, line := b.within(t), make([]float64, t.x1-t.x0)
	for y := t.y0; y < t.y1; y++ {
		row := stored[(y-t.y0)*len(line):][:len(line)]
		if !coded { // booleans
			for x, n := range row {
				line[x] = float64(n)
			}
		} else if err := cf.Decode(coding, line, row); err != nil {
			return sums{}, err
		}
		s.add(b, boxOf(b.rows, y), t.x0, line)
	}
	return s, nil
}

// numbersOf sets dst to 1 for true and to 0 for false.
func numbersOf[S cf.Number](dst []S, src []bool) {
	for i, b := range src {
		if dst[i] = 0; b {
			dst[i] = 1
		}
	}
}

// within returns zero sums for the boxes that overlap a tile.
func (b *boxesOf) within(t tile) sums {
	s := sums{y: boxOf(b.rows, t.y0), x: boxOf(b.cols, t.x0)}
	s.height, s.width = boxOf(b.rows, t.y1-1)+1-s.y, boxOf(b.cols, t.x1-1)+1-s.x
	s.sum, s.n = make([]float64, s.height*s.width), make([]uint32, s.height*s.width)
	return s
}

// add adds the values of one row of elements to the boxes in a row of boxes. The first value is in
// column x0.
func (s *sums) add(b *boxesOf, row, x0 int, values []float64) {
	for box := range s.width {
		from, to := max(b.cols[s.x+box]-x0, 0), min(b.cols[s.x+box+1]-x0, len(values))
		sum, n := 0.0, uint32(0)
		for _, v := range values[from:to] {
			if v == v { // not NaN
				sum += v
				n++
			}
		}
		at := (row-s.y)*s.width + box
		s.sum[at] += sum
		s.n[at] += n
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

// boxOf returns the box that contains element i.
func boxOf(bounds []int, i int) int { return sort.SearchInts(bounds, i+1) - 1 }
