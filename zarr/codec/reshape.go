package codec

import (
	"encoding/json"
	"math"
	"strconv"

	"github.com/zargo-io/zargo/zarr/fault"
)

// reshape is the codec "reshape" of the registry. It changes the shape, and keeps the elements and
// their order.
type reshape struct {
	out Repr
	in  stage
}

func newReshape(raw json.RawMessage, in Repr) (any, error) {
	c := openConfig(raw)
	list, ok := c.take("shape")
	var parts []json.RawMessage
	if !ok || json.Unmarshal(list, &parts) != nil || parts == nil {
		c.fail("\"shape\" is not a list")
	}
	if err := c.close(); err != nil {
		return nil, err
	}
	shape, err := reshaped(parts, in.Shape)
	if err != nil {
		return nil, err
	}
	out := in
	out.Shape = shape
	st, err := stageOf(in)
	return reshape{out, st}, err
}

// reshaped returns the output shape that a configuration specifies for an input of shape in.
func reshaped(parts []json.RawMessage, in []int) ([]int, error) {
	bad := func(format string, args ...any) ([]int, error) {
		return nil, fault.Newf(fault.Metadata, format, args...)
	}
	shape, dims := make([]int, len(parts)), make([][]int, len(parts))
	free, next := -1, 0
	for i, raw := range parts {
		if json.Unmarshal(raw, &dims[i]) == nil && dims[i] != nil {
			shape[i] = 1
			for _, d := range dims[i] {
				if d < next || d >= len(in) {
					return bad("axes %.80s must ascend and be axes of an array of rank %d", raw, len(in))
				}
				next = d + 1
				shape[i] = prod([]int{shape[i], in[d]})
			}
			continue
		}
		size, err := strconv.ParseFloat(string(raw), 64) // 4.0 is accepted as 4
		switch {
		case err == nil && size == math.Trunc(size) && size >= 1 && size <= 1<<53 && size <= math.MaxInt:
			shape[i] = int(size)
		case err == nil && size == -1 && free < 0:
			free, shape[i] = i, 1
		default:
			return bad("length %.40s of a new axis is invalid", raw)
		}
	}
	if free >= 0 {
		rest, all := prod(shape), prod(in)
		if rest < 1 || all < 0 || all%rest != 0 {
			return bad("the length -1 cannot be inferred for shape %v with the elements of %v", shape, in)
		}
		shape[free] = all / rest
	}
	if n := prod(shape); n < 0 || n != prod(in) {
		return bad("shape %v does not have as many elements as %v", shape, in)
	}
	before, behind := products(shape)
	inBefore, inBehind := products(in)
	for i, d := range dims {
		if len(d) > 0 && (before[i] != inBefore[d[0]] || behind[i+1] != inBehind[d[len(d)-1]+1]) {
			return bad("the new axis %d does not correspond to the axes %v of %v", i, d, in)
		}
		for k := 1; k < len(d); k++ {
			if d[k] != d[k-1]+1 && prod(in[d[k-1]+1:d[k]]) != 1 {
				return bad("axes %v are not adjacent", d)
			}
		}
	}
	return shape, nil
}

// products returns two slices: before[i] is the product of shape[:i], and from[i] is the product of
// shape[i:]. The slices have one more entry than shape.
func products(shape []int) (before, from []int) {
	before, from = make([]int, len(shape)+1), make([]int, len(shape)+1)
	before[0], from[len(shape)] = 1, 1
	for i, n := range shape {
		before[i+1] = prod([]int{before[i], n})
	}
	for i := len(shape) - 1; i >= 0; i-- {
		from[i] = prod([]int{shape[i], from[i+1]})
	}
	return before, from
}

// prod returns the number of elements of shape, or -1 on overflow.
func prod(shape []int) int {
	n, err := Repr{Shape: shape}.Elems()
	if err != nil {
		return -1
	}
	return n
}

func (r reshape) Out() Repr { return r.out }

func (r reshape) Encode(dst, src Block) error {
	copy(dst.Bytes, src.Bytes)
	copy(dst.Items, src.Items)
	return nil
}

func (r reshape) Decode(dst, src Block) error { return r.Encode(dst, src) }

// same reports true: the array has the same layout in both shapes.
func (r reshape) same() bool { return true }

func (r reshape) copyView(dst Strided, encoded Block) { dst.copyTo(encoded, r.in) }
