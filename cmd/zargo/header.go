package main

import (
	"bufio"
	"io"
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/zarr"
)

// printHeader prints the header of CSV output. For one axis, the header is the name of the values.
// For two axes, it consists of the positions along the second axis. For more axes, it consists of
// the name of each axis and the name of the values. Unnamed axes are called dim_0 and so on, as in
// xarray.
func printHeader(w io.Writer, a *zarr.Array, r region, values string) error {
	b := bufio.NewWriterSize(w, 1<<15)
	var names []string
	last := 0
	for i, x := range r {
		if !x.drop {
			names, last = append(names, axisName(a, i)), x.count
		}
	}
	cell := func(i int, text string) error {
		if i > 0 {
			text = "," + string(render.AppendCell(nil, text))
		} else {
			text = string(render.AppendCell(nil, text))
		}
		_, err := b.WriteString(text)
		return err
	}
	switch len(names) {
	case 0, 1:
		names = []string{values}
	case 2:
		for i := range last {
			if err := cell(i, names[1]+"="+strconv.Itoa(i)); err != nil {
				return err
			}
		}
		names = nil
	default:
		names = append(names, values)
	}
	for i, name := range names {
		if err := cell(i, name); err != nil {
			return err
		}
	}
	if err := b.WriteByte('\n'); err != nil {
		return err
	}
	return b.Flush()
}

// axisName returns the name of an axis, or dim_0 and so on.
func axisName(a *zarr.Array, k int) string {
	if dims := a.Dims(); k < len(dims) && dims[k] != "" {
		return dims[k]
	}
	return "dim_" + strconv.Itoa(k)
}

// nameOf returns the name of an array's values: the last segment of its URL, followed by the field.
func (c *catCmd) nameOf(p *place) string {
	name := lastSegment(strings.TrimSuffix(p.where, "|zip:"))
	if c.Field != "" {
		name += "." + c.Field
	}
	return name
}
