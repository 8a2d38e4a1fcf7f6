package codec

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/zargo-io/zargo/zarr/fault"
)

// transpose is the v3 core codec "transpose": axis order[i] of the array is axis i of what leaves.
type transpose struct {
	out            Repr
	order          []int
	size           int // bytes of an element; 0 for items
	encode, decode walk
}

func newTranspose(raw json.RawMessage, in Repr) (any, error) {
	c := openConfig(raw)
	rank := len(in.Shape)
	order, err := readOrder(c, rank)
	if err != nil {
		return nil, err
	}
	if err := c.close(); err != nil {
		return nil, err
	}
	if _, err := in.Bytes(); err != nil {
		return nil, err
	}
	inverse, shape := make([]int, rank), make([]int, rank)
	for i, a := range order {
		inverse[a], shape[i] = i, in.Shape[a]
	}
	out := in
	out.Shape = shape
	return &transpose{
		out:    out,
		order:  order,
		size:   in.Type.Size(),
		encode: newWalk(shape, pick(strides(in.Shape), order)),
		decode: newWalk(in.Shape, pick(strides(shape), inverse)),
	}, nil
}

// readOrder takes the order out of a configuration: a permutation, or "C" or "F" as early files have it.
func readOrder(c *config, rank int) ([]int, error) {
	raw, ok := c.take("order")
	if !ok {
		return nil, fault.Newf(fault.Metadata, "no order")
	}
	order := make([]int, rank)
	for i := range order {
		order[i] = i
	}
	switch string(raw) {
	case `"C"`:
		return order, nil
	case `"F"`:
		slices.Reverse(order)
		return order, nil
	}
	var list []json.RawMessage // a json.Number would be read from a string too
	if err := json.Unmarshal(raw, &list); err != nil || raw[0] != '[' {
		return nil, fault.Newf(fault.Metadata, "order %.80s is no list of integers", raw)
	}
	if len(list) != rank {
		return nil, fault.Newf(fault.Metadata, "order %.80s of %d axes for an array of %d", raw, len(list), rank)
	}
	seen := make([]bool, rank)
	for i, n := range list {
		f, err := strconv.ParseFloat(string(n), 64) // 1.0 is 1, as TensorStore has it
		a := int(f)
		if err != nil || float64(a) != f || a < 0 || a >= rank || seen[a] {
			return nil, fault.Newf(fault.Metadata, "order %.80s is no permutation of %d axes", raw, rank)
		}
		order[i], seen[a] = a, true
	}
	return order, nil
}

func (t *transpose) Out() Repr { return t.out }

func (t *transpose) Encode(dst, src Block) error { t.run(t.encode, dst, src); return nil }
func (t *transpose) Decode(dst, src Block) error { t.run(t.decode, dst, src); return nil }

func (t *transpose) run(w walk, dst, src Block) {
	if t.size == 0 {
		w.run(func(d, s int, p plane) { copyPlane(dst.Items[d:], src.Items[s:], p) })
		return
	}
	copyElems(w, dst.Bytes, src.Bytes, t.size)
}

// strides are the distances, in elements, between neighbours along each axis in C order.
func strides(shape []int) []int {
	s, n := make([]int, len(shape)), 1
	for i := len(shape) - 1; i >= 0; i-- {
		s[i] = n
		n *= shape[i]
	}
	return s
}

func pick(from, order []int) []int {
	to := make([]int, len(order))
	for i, a := range order {
		to[i] = from[a]
	}
	return to
}
