package picture

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Method determines how the elements in a box are reduced to the value of a pixel.
type Method uint8

// The methods.
const (
	Box     Method = iota // the mean of all elements that are not missing
	Nearest               // the element in the middle of the box; Read reads only these elements
)

// ReadOptions configures [Read]. The zero value selects Box and a map of at most 1024 × 1024
// pixels.
type ReadOptions struct {
	// Size is the maximum height and width of the slice, at most 16384. The default is 1024.
	Size   int
	Method Method
}

const (
	defaultSize = 1024
	maxSize     = 1 << 14
	// The shorter side of a slice has at least Size/thinnest pixels, if the variable has enough
	// elements.
	thinnest = 8
)

// size returns the maximum height and width of the slice.
func (o ReadOptions) size() (int, error) {
	if o.Size == 0 {
		return defaultSize, nil
	}
	if o.Size < 1 || o.Size > maxSize {
		return 0, fault.Newf(fault.Limit, "the size of a picture must be between 1 and %d, is %d", maxSize, o.Size)
	}
	return o.Size, nil
}

// Read reads two dimensions of a variable and reduces them to the pixels of a picture. It decodes
// values by the CF conventions; the value of true is 1. The first dimension becomes the rows. Any
// other dimension must have length 1. The coordinates of an axis are from the index coordinate of
// its dimension. Without an index coordinate, they are the positions of the elements in the array.
//
// With [Box], Read reads and reduces parts of the array concurrently. In addition to the slice and
// the memory budget of the array, it needs about 12 MiB, or the memory of one chunk if that is
// more.
//
// Read returns fault.Selection if the variable does not have two dimensions after dimensions of
// length 1 are dropped, and fault.Type if the variable is neither numeric nor boolean. It returns
// fault.Limit if Size is out of range, or if Box would read more than 2³⁶ elements. Other errors
// are those of zarr.Read.
func Read(ctx context.Context, v *dataset.Variable, o ReadOptions) (*Slice, error) {
	size, err := o.size()
	if err != nil {
		return nil, err
	}
	if v, err = plane(v); err != nil {
		return nil, err
	}
	dims := v.Dims()
	s := &Slice{Title: title(v)}
	s.Height, s.Width = pixels(dims[0].Len, dims[1].Len, size)
	return s, concurrency.EachN(ctx, 3, 3, func(ctx context.Context, i int) error {
		switch {
		case i == 0:
			return s.Y.of(ctx, v, dims[0], s.Height, o.Method)
		case i == 1:
			return s.X.of(ctx, v, dims[1], s.Width, o.Method)
		case o.Method == Nearest:
			return s.nearest(ctx, v)
		}
		s.Values = make([]float64, s.Height*s.Width)
		return boxes(ctx, s, v)
	})
}

// plane drops dimensions of length 1 until two dimensions remain. It returns an error if that is
// not possible, or if the variable is neither numeric nor boolean.
func plane(v *dataset.Variable) (*dataset.Variable, error) {
	if _, ok := v.Coding(); !ok && v.Array().DType() != dtype.Bool {
		return nil, fault.Newf(fault.Type, "%s has the data type %v, want numbers", nameOf(v), v.Array().DType())
	}
	dims := v.Dims()
	var drop []dataset.Query
	for _, d := range dims {
		if d.Len == 1 && len(dims)-len(drop) > 2 {
			drop = append(drop, dataset.At(d.Name, 0))
		}
	}
	if n := len(dims) - len(drop); n != 2 {
		text := make([]string, len(dims))
		for i, d := range dims {
			text[i] = fmt.Sprintf("%s (%d)", d.Name, d.Len)
		}
		advice := ""
		if n > 2 {
			advice = ": select one element of the others"
		}
		return nil, fault.Newf(fault.Selection, "a picture needs two dimensions, %s has %d: %s%s", nameOf(v), len(dims), strings.Join(text, ", "), advice)
	}
	return v.Sel(drop...)
}

// nameOf returns the name of a variable for errors. An array at the root of a store does not have a
// name.
func nameOf(v *dataset.Variable) string {
	if v.Name() == "" {
		return "the array"
	}
	return "variable " + v.Name()
}

// title returns the name and the units of a variable.
func title(v *dataset.Variable) string {
	if units := text(v, "units"); units != "" {
		return strings.TrimSpace(v.Name() + " (" + units + ")")
	}
	return v.Name()
}

// text returns an attribute, or "" if it is not a string.
func text(v *dataset.Variable, attr string) string {
	s, _ := v.Attrs()[attr].(string)
	return s
}

// pixels returns the height and the width of a slice of h × w elements.
func pixels(h, w, size int) (height, width int) {
	longest := max(h, w)
	if longest <= size {
		return h, w
	}
	scaled := func(n int) int {
		p := int(math.Round(float64(n) * float64(size) / float64(longest)))
		return max(min(p, size), min(n, max(size/thinnest, 1)))
	}
	return scaled(h), scaled(w)
}

// middles divides n elements into p boxes and returns the middle element of each box.
func middles(n, p int) []int {
	b := bounds(n, p)
	out := make([]int, p)
	for i := range out {
		out[i] = b[i] + (b[i+1]-b[i])/2
	}
	return out
}

// nearest sets each value of s to the element in the middle of its box.
func (s *Slice) nearest(ctx context.Context, v *dataset.Variable) error {
	if s.Height == 0 || s.Width == 0 {
		return nil
	}
	dims := v.Dims()
	v, err := v.Sel(dataset.At(dims[0].Name, middles(dims[0].Len, s.Height)), dataset.At(dims[1].Name, middles(dims[1].Len, s.Width)))
	if err != nil {
		return err
	}
	if v.Array().DType() == dtype.Bool {
		var truths []bool
		if truths, err = zarr.Read[bool](ctx, v.Array(), v.Selection()...); err == nil {
			s.Values = make([]float64, len(truths))
			numbersOf(s.Values, truths)
		}
		return err
	}
	s.Values, err = dataset.Read[float64](ctx, v)
	return err
}

// of sets the axis of n pixels along a dimension of a variable.
func (a *Axis) of(ctx context.Context, v *dataset.Variable, d dataset.Dim, n int, m Method) error {
	if a.Name = d.Name; n == 0 {
		return nil
	}
	b := bounds(d.Len, n)
	first, last := make([]int, n), make([]int, n)
	for j := range first {
		first[j], last[j] = b[j], b[j+1]-1
	}
	if m == Nearest {
		first = middles(d.Len, n)
		last = first
	}
	if c, ok := v.Coord(d.Name); ok {
		if err := a.read(ctx, c, first, last); !errors.Is(err, fault.Type) {
			return err
		}
	}
	_, position, ok := v.Axis(d.Name)
	if !ok {
		position = func(i int) int { return i }
	}
	a.Coords = make([]float64, n)
	for j := range first {
		a.Coords[j] = float64(position(first[j]))/2 + float64(position(last[j]))/2
	}
	return nil
}

// read reads the coordinates of pixels. Pixel i consists of the elements from first[i] to last[i].
func (a *Axis) read(ctx context.Context, c *dataset.Variable, first, last []int) error {
	coding, numeric := c.Coding()
	timed := false
	if numeric {
		_, timed = coding.Units()
	}
	middle := make([]int, len(first))
	for i := range middle {
		middle[i] = first[i] + (last[i]-first[i]+1)/2
	}
	if numeric && !timed {
		ends, err := c.Sel(dataset.At(c.Name(), slices.Concat(first, last)))
		if err != nil {
			return err
		}
		values, err := dataset.Read[float64](ctx, ends)
		if err != nil {
			return err
		}
		a.Units = text(c, "units")
		a.Coords = make([]float64, len(first))
		for i := range first {
			lo, hi := values[i], values[len(first)+i]
			if a.longitude() {
				hi = nearTurn(hi, lo)
			}
			a.Coords[i] = lo/2 + hi/2
		}
		return nil
	}
	at, err := c.Sel(dataset.At(c.Name(), middle))
	if err != nil {
		return err
	}
	if times, err := at.Times(ctx); err == nil || !errors.Is(err, fault.Type) {
		a.Labels = dates(times)
		return err
	}
	a.Labels, err = at.Strings(ctx)
	return err
}

// dates formats times. It omits the parts of the text below the resolution of the times.
func dates(times []cf.Time) []string {
	out, months := make([]string, len(times)), true
	for _, t := range times {
		months = months && (t.IsNaT() || t.Date().Day == 1)
	}
	r := cf.ResolutionOf(times)
	for i, t := range times {
		out[i] = t.String()
		switch r {
		case cf.Day:
			out[i] = strings.TrimSuffix(out[i], "T00:00:00")
			if months && len(times) > 1 {
				out[i] = strings.TrimSuffix(out[i], "-01")
			}
		case cf.Hour, cf.Minute:
			out[i] = strings.TrimSuffix(out[i], ":00")
		}
	}
	return out
}
