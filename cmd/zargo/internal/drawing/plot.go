package drawing

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"

	"github.com/zargo-io/zargo/cmd/zargo/internal/coding"
	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/cmd/zargo/internal/progress"
	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/cmd/zargo/internal/selection"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Plot is the command plot.
type Plot struct {
	URL    string `arg:"" name:"url" help:"The array."`
	Width  int    `help:"Columns of the plot. The default is the width of the terminal, or 80." placeholder:"N"`
	Height int    `help:"Lines of the plot." default:"20" placeholder:"N"`
	All    bool   `help:"Read more than 200 million elements or 200,000 chunks even if fewer than 1 in 100 chunks are stored. By default that is an error."`
	selection.Flags
	coding.DecodeFlags
	session.SeparatorFlag
}

// Run plots the decoded values along the only remaining axis of a selection.
func (c *Plot) Run(ctx context.Context, s *session.Session) error {
	items, err := c.Items()
	if err == nil {
		err = c.Check()
	}
	if err != nil {
		return err
	}
	if c.Width < 0 || c.Width > progress.MaxColumns || c.Height < 5 || c.Height > progress.MaxColumns {
		return exit.Usagef("--width must be at most %d, and --height must be 5 to %d", progress.MaxColumns, progress.MaxColumns)
	}
	p, a, err := s.OpenArray(ctx, c.URL, c.Options()...)
	if err != nil {
		return err
	}
	defer p.Release()
	coordinates := selection.NewCoordinates(s, p)
	defer coordinates.Release()
	r, err := coordinates.Chosen(ctx, a, items)
	if err != nil {
		return p.Fail(err)
	}
	if r, err = oneAxis(r); err != nil {
		return p.Fail(err)
	}
	if !c.All {
		if err := selection.Dense(ctx, a, len(r), r); err != nil {
			return p.Fail(err)
		}
	}
	name := session.LastSegment(p.Where)
	attrs, err := coordinates.AttrsOf(ctx, a)
	if err != nil {
		return p.Fail(err)
	}
	v, err := coding.DecodeFloats(a, name, attrs, c.Raw)
	if err != nil {
		return p.Fail(err)
	}
	axes, err := coordinates.Columns(ctx, a, r)
	if err != nil {
		return p.Fail(err)
	}
	width := cmp.Or(c.Width, s.Columns)
	line := render.NewLine(axes[0].Count, width)
	write := func(elems []byte) error {
		for ; len(elems) > 0; elems = elems[8:] {
			line.Add(math.Float64frombits(binary.LittleEndian.Uint64(elems)))
		}
		return context.Cause(ctx)
	}
	selection.ShowReading(s.Far, a, r, &s.Report)
	if err := selection.Stream(ctx, a, r, min(selection.MaxBand, concurrency.Memory()/4)/v.Cost, v.T, v.Read, write); err != nil {
		return p.Fail(err)
	}
	s.WarnOfMissing(ctx, p, a)
	if units, ok := attrs["units"].(string); ok && !c.Raw {
		name += " (" + units + ")"
	}
	return render.Plot{Width: width, Height: c.Height, Name: name, Axis: axes[0].Name, Label: axes[0].Label}.Draw(s.Raw, line)
}

// oneAxis drops the axes of length 1 from a region. It returns fault.Selection unless exactly one
// axis remains and the region is not empty.
func oneAxis(r selection.Region) (selection.Region, error) {
	shape := r.Shape()
	out, n := append(selection.Region(nil), r...), 0
	for k, along := range out {
		out[k].Drop = along.Drop || along.Count == 1
		if along.Count != 1 {
			n++
		}
	}
	if total, err := r.Bytes(1); n != 1 || err != nil || total == 0 {
		return nil, fault.Newf(fault.Selection, "a plot needs one axis with at least two elements, but the selection has shape %v: select one element of each other axis with --sel or --isel", shape)
	}
	return out, nil
}
