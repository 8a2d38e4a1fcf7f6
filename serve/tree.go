package serve

import (
	"iter"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr/store"
)

// sendTree responds with the variables in the form of xarray's Dataset.to_dict, as JSON. Each of
// their dimensions that has labels is a coordinate, also if it is dropped. Missing elements are null.
func (c *call) sendTree(s *selected) error {
	var all []*bands
	var need store.Amount
	for _, v := range s.vars {
		b, err := c.admitted(&need, v)
		if err != nil {
			return err
		}
		all = append(all, b)
	}
	w := c.stream("application/json")
	if w == nil {
		return nil
	}
	d := document{w}
	lengths, coords := map[string]int{}, map[string]*dataset.Variable{}
	for _, v := range s.vars {
		for _, dim := range v.Dims() {
			lengths[dim.Name] = dim.Len
		}
		for _, dim := range s.dims {
			if coords[dim] == nil && v.Index(dim) != nil {
				coords[dim] = v
			}
		}
	}
	d.text(`{"dims":`)
	if err := d.value(lengths); err != nil {
		return err
	}
	d.text(`,"coords":{`)
	n := 0
	for _, dim := range s.dims {
		v := coords[dim]
		if v == nil {
			continue
		}
		x, dims, shape, attrs := v.Index(dim), []string{}, []int{}, map[string]any{}
		if _, ok := lengths[dim]; ok {
			dims, shape = append(dims, dim), append(shape, x.Len())
		}
		if coord, ok := v.Coord(dim); ok {
			attrs = attributes(coord, c.src.Options)
		}
		d.member(n, dim)
		n++
		if err := d.array(dims, shape, attrs, sequence(func(dst []byte, i int) []byte { return appendLabel(dst, x, i) }, x.Len())); err != nil {
			return err
		}
	}
	d.text(`},"data_vars":{`)
	for i, b := range all {
		v := s.vars[i]
		d.member(i, v.Name())
		var failed error
		err := d.array(names(v), v.Shape(), attributes(v, c.src.Options), b.values(&failed))
		if failed != nil {
			return failed
		}
		if err != nil {
			return err
		}
	}
	d.text("}}\n")
	return d.Flush()
}

// array writes an array as a member of to_dict.
func (d document) array(dims []string, shape []int, attrs map[string]any, values iter.Seq2[func([]byte, int) []byte, int]) error {
	d.text(`{"dims":`)
	err := d.value(dims)
	d.text(`,"attrs":`)
	if err == nil {
		err = d.value(attrs)
	}
	d.text(`,"data":`)
	if err == nil {
		err = d.list(shape, values)
	}
	d.text("}")
	return err
}

// values yields the elements of the first variable for document.list. It sets *failed and ends if a
// read fails.
func (b *bands) values(failed *error) iter.Seq2[func([]byte, int) []byte, int] {
	return func(yield func(func([]byte, int) []byte, int) bool) {
		for band, err := range b.read() {
			if err != nil {
				*failed = err
				return
			}
			if !yield(band.of[0].appendJSON, band.n) {
				return
			}
		}
	}
}
