package main

import (
	"cmp"
	"context"
	"encoding/binary"
	"io"
	"math"

	"github.com/vbauerster/cupwriter"

	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/fault"
)

type plotCmd struct {
	URL    string `arg:"" name:"url" help:"The array."`
	Width  int    `help:"Columns of the plot. The default is the width of the terminal, or 80." placeholder:"N"`
	Height int    `help:"Lines of the plot." default:"20" placeholder:"N"`
	All    bool   `help:"Read more than 200 million elements or 200,000 chunks even if fewer than 1 in 100 chunks are stored. By default that is an error."`
	selFlags
	decodeFlags
	separatorFlag
}

// maxPlot is the maximum width and height of a plot in characters. It bounds the memory of a plot.
const maxPlot = 10_000

// Run plots the decoded values along the only remaining axis of a selection.
func (c *plotCmd) Run(ctx context.Context, s *session) error {
	items, err := c.items()
	if err == nil {
		err = c.check()
	}
	if err != nil {
		return err
	}
	if c.Width < 0 || c.Width > maxPlot || c.Height < 5 || c.Height > maxPlot {
		return usagef("--width must be at most %d, and --height must be 5 to %d", maxPlot, maxPlot)
	}
	p, a, err := s.openArray(ctx, c.URL, c.options()...)
	if err != nil {
		return err
	}
	defer p.release()
	coordinates := s.coordinates(p)
	defer coordinates.release()
	r, err := coordinates.chosen(ctx, a, items)
	if err != nil {
		return p.fail(err)
	}
	if r, err = oneAxis(r); err != nil {
		return p.fail(err)
	}
	if !c.All {
		if err := dense(ctx, a, len(r), r); err != nil {
			return p.fail(err)
		}
	}
	name := lastSegment(p.where)
	attrs, err := coordinates.attrsOf(ctx, a)
	if err != nil {
		return p.fail(err)
	}
	v, err := decodeFloats(a, name, attrs, c.Raw)
	if err != nil {
		return p.fail(err)
	}
	axes, err := coordinates.columns(ctx, a, r)
	if err != nil {
		return p.fail(err)
	}
	width := cmp.Or(c.Width, s.columns)
	line := render.NewLine(axes[0].Count, width)
	write := func(elems []byte) error {
		for ; len(elems) > 0; elems = elems[8:] {
			line.Add(math.Float64frombits(binary.LittleEndian.Uint64(elems)))
		}
		return context.Cause(ctx)
	}
	s.far.reading(a, r, &s.report)
	if err := stream(ctx, a, r, min(maxBand, concurrency.Memory()/4)/v.cost, v.t, v.read, write); err != nil {
		return p.fail(err)
	}
	s.warnOfMissing(ctx, p, a)
	if units, ok := attrs["units"].(string); ok && !c.Raw {
		name += " (" + units + ")"
	}
	return render.Plot{Width: width, Height: c.Height, Name: name, Axis: axes[0].Name, Label: axes[0].Label}.Draw(s.raw, line)
}

// oneAxis drops the axes of length 1 from a region. It returns fault.Selection unless exactly one
// axis remains and the region is not empty.
func oneAxis(r region) (region, error) {
	shape := r.shape()
	out, n := append(region(nil), r...), 0
	for k, along := range out {
		out[k].drop = along.drop || along.count == 1
		if along.count != 1 {
			n++
		}
	}
	if total, err := r.bytes(1); n != 1 || err != nil || total == 0 {
		return nil, fault.Newf(fault.Selection, "a plot needs one axis with at least two elements, but the selection has shape %v: select one element of each other axis with --sel or --isel", shape)
	}
	return out, nil
}

// defaultColumns is the width of output in characters if it is not printed to a terminal.
const defaultColumns = 80

// columnsOf returns the width of the terminal w, or defaultColumns if w is not a terminal.
func columnsOf(w io.Writer) int {
	if !isTerminal(w) {
		return defaultColumns
	}
	if width, _, err := cupwriter.New(w, false).GetTermSize(); err == nil && width > 0 {
		return min(width, maxPlot)
	}
	return defaultColumns
}
