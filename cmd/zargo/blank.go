package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/internal/attributes/numeric"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

type blankCmd struct {
	URL string `arg:"" name:"url" help:"The array, or the group that contains the arrays."`
	Raw bool   `help:"Set elements to the fill value, even if the array declares another missing value."`
	selFlags
	separatorFlag
}

// Run sets the selected elements of an array, or of the arrays of a group, to missing values.
func (c *blankCmd) Run(ctx context.Context, s *session) error {
	items, err := c.items()
	if err != nil {
		return err
	}
	if len(items) == 0 {
		return usagef("select the elements with --sel or --isel; ... selects all")
	}
	p, n, err := s.openStored(ctx, c.URL, c.options()...)
	if err != nil {
		return err
	}
	defer p.release()
	coordinates := s.coordinates(p)
	defer coordinates.release()
	var parts []part
	switch n := n.(type) {
	case *zarr.Array:
		r, err := coordinates.chosen(ctx, n, items)
		if err != nil {
			return p.fail(err)
		}
		parts = []part{{n, r}}
	case *zarr.Group:
		if parts, err = c.parts(ctx, coordinates, n, items); err != nil {
			return p.fail(err)
		}
	}
	var arrays []*zarr.Array
	for _, x := range parts {
		arrays = append(arrays, x.a)
	}
	if err := s.written(ctx, c.URL, p, arrays...); err != nil {
		return err
	}
	s.far.begin(work{verb: "written", ahead: s.report.BytesUsed.Load})
	for _, x := range parts {
		value, err := missingValue(x.a, c.Raw)
		if err == nil {
			err = setAll(ctx, x.a, x.r, value)
		}
		if err != nil {
			return p.fail(err)
		}
	}
	return nil
}

// part is a selection of an array.
type part struct {
	a *zarr.Array
	r region
}

// parts returns the selection of each array of a group that has all named dimensions. Coordinates
// keep their values: arrays with the name of a dimension, and the boundaries of their cells.
func (c *blankCmd) parts(ctx context.Context, coordinates *coordinates, g *zarr.Group, items []item) ([]part, error) {
	for _, it := range items {
		if it.name == "" {
			return nil, usagef("%s: a selection in a group needs the names of dimensions, such as time=2020-01-01", it.flag)
		}
	}
	var arrays []*zarr.Array
	kept := map[string]bool{}
	for n, err := range g.Members(ctx) {
		if err != nil {
			return nil, err
		}
		a, ok := n.(*zarr.Array)
		if !ok {
			continue
		}
		arrays = append(arrays, a)
		if dims := a.Dims(); len(dims) == 1 && dims[0] == a.Name() {
			kept[a.Name()] = true
			if bounds, ok := a.Attrs()["bounds"].(string); ok {
				kept[bounds] = true
			}
		}
		if names, ok := a.Attrs()["coordinates"].(string); ok {
			for _, name := range strings.Fields(names) {
				kept[name] = true
			}
		}
	}
	if names, ok := g.Attrs()["coordinates"].(string); ok {
		for _, name := range strings.Fields(names) {
			kept[name] = true
		}
	}
	var parts []part
	for _, a := range arrays {
		has := func(it item) bool { return slices.Contains(a.Dims(), it.name) }
		if kept[a.Name()] || !slices.ContainsFunc(items, has) {
			continue
		}
		for _, it := range items {
			if !has(it) {
				return nil, fault.Newf(fault.Selection, "array %q has no dimension %q: select in each array", a.Name(), it.name)
			}
		}
		r, err := coordinates.chosen(ctx, a, items)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part{a, r})
	}
	if len(parts) == 0 {
		return nil, fault.Newf(fault.Selection, "the group has no array with the dimension %q", items[0].name)
	}
	return parts, nil
}

// missingValue returns an element that is missing: the fill value, or the value that attributes
// declare if the fill value is not missing. It returns the fill value if no element is missing, or
// if raw is true.
func missingValue(a *zarr.Array, raw bool) ([]byte, error) {
	fill := slices.Clone(a.Fill())
	if fill == nil {
		fill = a.DType().DefaultFill()
	}
	if raw || a.Attrs()["_FillValue"] == nil && a.Attrs()["missing_value"] == nil {
		return fill, nil
	}
	c, err := codingOf(a, a.Name(), a.Attrs())
	if errors.Is(err, fault.Type) {
		return fill, nil
	}
	if err != nil {
		return nil, err
	}
	e := encoding{a: a, c: c, form: formPacked, from: dtype.Float64, to: a.DType(), name: a.Name()}
	encode, err := e.encoder()
	if err != nil {
		return nil, err
	}
	value, err := encode.of(binary.LittleEndian.AppendUint64(nil, nanBits))
	if err != nil || bytes.Equal(value, fill) || isMissing(c, a, fill) {
		return fill, err
	}
	return slices.Clone(value), nil
}

// nanBits is NaN as a float64.
const nanBits = 0x7ff8000000000000

// isMissing reports whether an element in memory form is missing.
func isMissing(c *cf.Coding, a *zarr.Array, b []byte) bool {
	missing, _ := numeric.Pick(a.DType(), isMissingAs[int8], isMissingAs[int16], isMissingAs[int32], isMissingAs[int64],
		isMissingAs[uint8], isMissingAs[uint16], isMissingAs[uint32], isMissingAs[uint64], isMissingAs[float32], isMissingAs[float64])
	return missing(c, a, b)
}

func isMissingAs[S cf.Number](c *cf.Coding, a *zarr.Array, b []byte) bool {
	v, mask := make([]S, 1), make([]bool, 1)
	if err := dtype.Convert(a.DType(), v, b); err != nil {
		return false
	}
	_, err := cf.Missing(c, mask, v)
	return err == nil && mask[0]
}

// setAll sets all elements of a region to one value. Chunks that then have only the fill value are
// deleted.
func setAll(ctx context.Context, a *zarr.Array, r region, value []byte) error {
	size := max(a.DType().Size(), 16) // of an element of varying length: its handle and its header
	bands, err := bandsToWrite(ctx, a, r, size)
	if err != nil {
		return err
	}
	var buf []byte
	var items [][]byte
	for b := range bands {
		n := b.bytes / size
		if a.DType().Size() == 0 {
			if len(items) < n {
				items = slices.Repeat([][]byte{value}, n)
			}
			if err := a.WriteItems(ctx, items[:n], b.selections()...); err != nil {
				return err
			}
			continue
		}
		if len(buf) < n*len(value) {
			buf = bytes.Repeat(value, n)
		}
		if err := a.WriteBytes(ctx, buf[:n*len(value)], b.selections()...); err != nil {
			return err
		}
	}
	return nil
}
