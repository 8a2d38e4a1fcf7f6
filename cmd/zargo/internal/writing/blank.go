package writing

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/cmd/zargo/internal/coding"
	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/cmd/zargo/internal/progress"
	"github.com/zargo-io/zargo/cmd/zargo/internal/selection"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Blank is the command blank.
type Blank struct {
	URL string `arg:"" name:"url" help:"The array, or the group that contains the arrays."`
	Raw bool   `help:"Set elements to the fill value, even if the array declares another missing value."`
	selection.Flags
	session.SeparatorFlag
}

// Run sets the selected elements of an array, or of the arrays of a group, to missing values.
func (c *Blank) Run(ctx context.Context, s *session.Session) error {
	items, err := c.Items()
	if err != nil {
		return err
	}
	if len(items) == 0 {
		return exit.Usagef("select the elements with --sel or --isel; ... selects all")
	}
	p, n, err := s.OpenStored(ctx, c.URL, c.Options()...)
	if err != nil {
		return err
	}
	defer p.Release()
	coordinates := selection.NewCoordinates(s, p)
	defer coordinates.Release()
	var parts []part
	switch n := n.(type) {
	case *zarr.Array:
		r, err := coordinates.Chosen(ctx, n, items)
		if err != nil {
			return p.Fail(err)
		}
		parts = []part{{n, r}}
	case *zarr.Group:
		if parts, err = c.parts(ctx, coordinates, n, items); err != nil {
			return p.Fail(err)
		}
	}
	var arrays []*zarr.Array
	for _, x := range parts {
		arrays = append(arrays, x.a)
	}
	if err := written(ctx, s, c.URL, p, arrays...); err != nil {
		return err
	}
	s.Far.Begin(progress.Work{Verb: "written", Ahead: s.Report.BytesUsed.Load})
	for _, x := range parts {
		value, err := coding.MissingValue(x.a, c.Raw)
		if err == nil {
			err = setAll(ctx, x.a, x.r, value)
		}
		if err != nil {
			return p.Fail(err)
		}
	}
	return nil
}

// part is a selection of an array.
type part struct {
	a *zarr.Array
	r selection.Region
}

// parts returns the selection of each array of a group that has all named dimensions. Coordinates
// keep their values: arrays with the name of a dimension, and the boundaries of their cells.
func (c *Blank) parts(ctx context.Context, coordinates *selection.Coordinates, g *zarr.Group, items []selection.Item) ([]part, error) {
	for _, it := range items {
		if it.Name == "" {
			return nil, exit.Usagef("%s: a selection in a group needs the names of dimensions, such as time=2020-01-01", it.Flag)
		}
	}
	var arrays []*zarr.Array
	kept := map[string]bool{}
	keep := func(attrs map[string]any) {
		names, _ := attrs["coordinates"].(string)
		for _, name := range strings.Fields(names) {
			kept[name] = true
		}
	}
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
		keep(a.Attrs())
	}
	keep(g.Attrs())
	var parts []part
	for _, a := range arrays {
		has := func(it selection.Item) bool { return slices.Contains(a.Dims(), it.Name) }
		if kept[a.Name()] || !slices.ContainsFunc(items, has) {
			continue
		}
		for _, it := range items {
			if !has(it) {
				return nil, fault.Newf(fault.Selection, "array %q has no dimension %q: select in each array", a.Name(), it.Name)
			}
		}
		r, err := coordinates.Chosen(ctx, a, items)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part{a, r})
	}
	if len(parts) == 0 {
		return nil, fault.Newf(fault.Selection, "the group has no array with the dimension %q", items[0].Name)
	}
	return parts, nil
}

// setAll sets all elements of a region to one value. Chunks that then have only the fill value are
// deleted.
func setAll(ctx context.Context, a *zarr.Array, r selection.Region, value []byte) error {
	size := max(a.DType().Size(), 16) // of an element of varying length: its handle and its header
	bands, err := selection.BandsToWrite(ctx, a, r, size)
	if err != nil {
		return err
	}
	var buf []byte
	var items [][]byte
	for b := range bands {
		n := b.Bytes / size
		if a.DType().Size() == 0 {
			if len(items) < n {
				items = slices.Repeat([][]byte{value}, n)
			}
			err = a.WriteItems(ctx, items[:n], b.Selections()...)
		} else {
			if len(buf) < n*len(value) {
				buf = bytes.Repeat(value, n)
			}
			err = a.WriteBytes(ctx, buf[:n*len(value)], b.Selections()...)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
