package codec

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/zargo-io/zargo/zarr/fault"
)

// transpose is the v3 core codec "transpose": axis order[i] of the input is axis i of the output.
type transpose struct {
	out         Repr
	order       []int
	from, leads stage // input and output
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
	from, err := stageOf(in)
	if err != nil {
		return nil, err
	}
	out := in
	out.Shape = pick(in.Shape, order)
	leads := from
	leads.shape = out.Shape
	return &transpose{out, order, from, leads}, nil
}

// readOrder reads the order from a configuration. The order is a permutation, or "C" or "F", which
// occur in early files.
func readOrder(c *config, rank int) ([]int, error) {
	raw, ok := c.take("order")
	if !ok {
		return nil, fault.Newf(fault.Metadata, "\"order\" is missing")
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
	var list []json.RawMessage // a json.Number would also accept strings
	if err := json.Unmarshal(raw, &list); err != nil || raw[0] != '[' {
		return nil, fault.Newf(fault.Metadata, "order %.80s is not a list of integers", raw)
	}
	if len(list) != rank {
		return nil, fault.Newf(fault.Metadata, "order %.80s has %d axes, but the array has %d", raw, len(list), rank)
	}
	seen := make([]bool, rank)
	for i, n := range list {
		f, err := strconv.ParseFloat(string(n), 64) // 1.0 is accepted as 1, as in TensorStore
		a := int(f)
		if err != nil || float64(a) != f || a < 0 || a >= rank || seen[a] {
			return nil, fault.Newf(fault.Metadata, "order %.80s is not a permutation of %d axes", raw, rank)
		}
		order[i], seen[a] = a, true
	}
	return order, nil
}

func (t *transpose) Out() Repr { return t.out }

func (t *transpose) Encode(dst, src Block) error {
	t.Through(Whole(src, t.from.shape, t.from.size)).copyFrom(dst, t.leads)
	return nil
}

func (t *transpose) Decode(dst, src Block) error {
	t.Through(Whole(dst, t.from.shape, t.from.size)).copyTo(src, t.leads)
	return nil
}

// Through maps the box by permuting its axes.
func (t *transpose) Through(box Strided) Strided { return t.through(box, make([]Step, len(t.order))) }

// through is Through with preallocated axes.
func (t *transpose) through(box Strided, axes []Step) Strided {
	for i, a := range t.order {
		axes[i] = box.Axes[a]
	}
	box.Axes = axes
	return box
}

func pick(from, order []int) []int {
	to := make([]int, len(order))
	for i, a := range order {
		to[i] = from[a]
	}
	return to
}
