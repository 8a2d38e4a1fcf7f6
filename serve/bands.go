package serve

import (
	"context"
	"iter"
	"net/http"
	"slices"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/internal/walk"
	"github.com/zargo-io/zargo/zarr/store"
)

// bands reads variables with the same dimensions in bands, which are consecutive in C order.
type bands struct {
	c     *call
	of    []elements
	dims  []dataset.Dim
	each  int64 // bytes of memory for an element of all variables
	boxes walk.Bands
}

const (
	// bandBytes is the approximate memory of a band. Reading it takes longer than a request.
	bandBytes = 4 << 20
	// maxBand is the maximum memory of a band, unless a chunk is larger. A chunk that is larger than
	// a quarter of the memory is read once for each of its bands.
	maxBand = 32 << 20
)

// bandsOf returns the bands of variables.
func (c *call) bandsOf(vars ...*dataset.Variable) (*bands, error) {
	b := &bands{c: c, dims: vars[0].Dims()}
	for _, v := range vars {
		e, err := elementsOf(v)
		if err != nil {
			return nil, err
		}
		if !slices.Equal(v.Dims(), b.dims) {
			return nil, refuse(http.StatusBadRequest, "variables %q and %q have different dimensions", vars[0].Name(), v.Name())
		}
		b.of = append(b.of, e)
		b.each += e.each
	}
	b.boxes = walk.Bands{Axes: axesOf(vars[0], walk.Chunks), Each: b.each, Target: walk.Always(bandBytes)}
	if b.boxes.Axes == nil { // points are read at once
		for _, d := range b.dims {
			b.boxes.Axes = append(b.boxes.Axes, walk.Axis{Count: d.Len})
		}
		whole := b.boxes.Whole().Bytes(b.each)
		if whole > maxBand {
			return nil, refuse(http.StatusRequestEntityTooLarge, "the points have too many elements")
		}
		b.boxes.Target = walk.Always(whole)
	}
	chunk := b.each
	for _, x := range b.boxes.Axes {
		if x.Chunk != nil && x.Count > 0 {
			chunk = walk.Bytes([]int{x.Next(0)}, chunk)
		}
	}
	b.boxes.Limit = walk.Always(max(maxBand, min(chunk, c.o.Memory.Size()/4)))
	return b, nil
}

// axesOf returns the axes of a variable, or nil if it has a dimension of points. of is walk.Chunks
// or walk.Objects.
func axesOf(v *dataset.Variable, of func(walk.Array, int) walk.Axis) []walk.Axis {
	axes := []walk.Axis{}
	for _, d := range v.Dims() {
		k, position, ok := v.Axis(d.Name)
		if !ok {
			return nil
		}
		_, _, _, even, _ := v.Positions(k)
		x := of(v.Array(), k)
		x.Count, x.Position, x.List = d.Len, position, !even
		axes = append(axes, x)
	}
	return axes
}

// part returns the part of a variable in a box of its elements.
func part(v *dataset.Variable, b walk.Box) (*dataset.Variable, error) {
	var q []dataset.Query
	for i, d := range v.Dims() {
		if i < len(b.Shape) && b.Shape[i] != d.Len {
			q = append(q, dataset.Slice(d.Name, b.At[i], b.At[i]+b.Shape[i]))
		}
	}
	return v.Sel(q...)
}

// admit returns an error for status 413 if the bands exceed the limits of a request.
func (b *bands) admit(need *store.Amount) error {
	for box := range b.boxes.Of(b.boxes.Whole()) {
		if err := b.c.ctx().Err(); err != nil {
			return context.Cause(b.c.ctx())
		}
		for _, e := range b.of {
			v, err := part(e.Variable, box)
			if err != nil {
				return err
			}
			if err := addNeed(need, v); err != nil {
				return err
			}
		}
		if err := b.c.o.Limits.admit(*need); err != nil {
			return err
		}
	}
	return nil
}

// admitted returns the bands of variables, and adds what reading them needs at most. The error is for
// status 413 if that exceeds the limits of a request.
func (c *call) admitted(need *store.Amount, vars ...*dataset.Variable) (*bands, error) {
	b, err := c.bandsOf(vars...)
	if err != nil {
		return nil, err
	}
	return b, b.admit(need)
}

// addNeed adds what a read of a variable needs at most.
func addNeed(need *store.Amount, v *dataset.Variable) error {
	p, err := v.Plan()
	if err != nil {
		return err
	}
	least, most := p.Bounds()
	if v.Array().DType().Size() == 0 { // texts: their lengths are unknown, and counted when they are read
		most.BytesRead = least.BytesRead
	}
	*need = need.Add(most)
	return nil
}

// band is the elements of one band of each variable.
type band struct {
	n  int // of elements
	of []cells
}

// read yields the bands.
func (b *bands) read() iter.Seq2[band, error] {
	o := walk.Options{Ahead: 1, Budget: b.c.o.Memory, Bytes: 2 * maxBand, Need: walk.Each(b.each)}
	return walk.Read(b.c.ctx(), o, b.boxes.Of(b.boxes.Whole()), func(ctx context.Context, box walk.Box) (band, error) {
		read := band{n: box.Len()}
		for _, e := range b.of {
			v, err := part(e.Variable, box)
			if err != nil {
				return band{}, err
			}
			values, err := e.read(ctx, v)
			if err != nil {
				return band{}, err
			}
			read.of = append(read.of, values)
		}
		return read, nil
	})
}
