package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"text/tabwriter"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/cmd/zargo/internal/summary"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

type statsCmd struct {
	URL string `arg:"" name:"url" help:"The array, or a group: one line for each array in it."`
	valueFlags
	JSON bool `name:"json" help:"Print one JSON object, or a list for a group."`
}

// valueFlags are the flags that select and decode the elements for stats and hist.
type valueFlags struct {
	selFlags
	decodeFlags
	All bool `help:"Read more than 200 million elements or 200,000 chunks even if fewer than 1 in 100 chunks are stored. By default that is an error."`
	separatorFlag
}

// statsInfo is the JSON object that stats prints, documented in docs/reference/cli.md. Members may
// be added but must never be removed or change their meaning.
type statsInfo struct {
	URL      string   `json:"url"`
	Units    string   `json:"units,omitempty"`
	Decoded  bool     `json:"decoded"`
	Elements int64    `json:"elements"`
	Missing  int64    `json:"missing"`
	NaN      int64    `json:"nan"`
	Infinite int64    `json:"infinite"`
	Count    int64    `json:"count"`
	Min      any      `json:"min"` // null if count is 0
	Max      any      `json:"max"`
	Mean     *float64 `json:"mean"`
	Std      *float64 `json:"std"`
}

// Run prints statistics of an array.
func (c *statsCmd) Run(ctx context.Context, s *session) error {
	items, err := c.checked()
	if err != nil {
		return err
	}
	p, a, err := s.openArray(ctx, c.URL, c.options()...)
	if errors.Is(err, fault.NotFound) {
		q, n, grouped := s.openStored(ctx, c.URL, c.options()...)
		if grouped == nil {
			defer q.release()
		}
		if g, ok := n.(*zarr.Group); ok {
			return c.group(ctx, s, q, g, items)
		}
	}
	if err != nil {
		return err
	}
	defer p.release()
	v, err := c.values(ctx, s, p, a, items)
	if err != nil {
		return p.fail(err)
	}
	info, err := v.stats(ctx, s)
	if err != nil {
		return v.fail(err)
	}
	if c.JSON {
		return v.fail(render.JSON(s.out, info))
	}
	return v.fail(info.print(s.out))
}

// values is the selected part of an array with its coding.
type values struct {
	*place
	a      *zarr.Array
	r      region
	coding *cf.Coding // nil to summarize the stored elements
	units  string
}

// checked returns the items of the selection, and an error for flags that contradict each other.
func (f *valueFlags) checked() ([]item, error) {
	items, err := f.items()
	if err == nil {
		err = f.check()
	}
	return items, err
}

// open opens the array at a URL. The caller closes the place.
func (f *valueFlags) open(ctx context.Context, s *session, url string) (*values, error) {
	items, err := f.checked()
	if err != nil {
		return nil, err
	}
	p, a, err := s.openArray(ctx, url, f.options()...)
	if err != nil {
		return nil, err
	}
	v, err := f.values(ctx, s, p, a, items)
	if err != nil {
		p.release()
		return nil, p.fail(err)
	}
	return v, nil
}

// values returns the selected part of an array.
func (f *valueFlags) values(ctx context.Context, s *session, p *place, a *zarr.Array, items []item) (_ *values, err error) {
	v := &values{place: p, a: a}
	if v.r, err = s.chosen(ctx, p, a, items); err == nil && !f.All {
		err = dense(ctx, a, len(a.Shape()), v.r)
	}
	if err == nil && !f.Raw && a.DType() != dtype.Bool {
		err = v.decode(ctx, s)
	}
	return v, err
}

// decode sets v.coding and v.units. The attribute units applies to decoded values.
func (v *values) decode(ctx context.Context, s *session) error {
	attrs, err := s.attrsOf(ctx, v.place, v.a)
	if err != nil {
		return err
	}
	v.coding, err = codingOf(v.a, cmp.Or(v.a.Name(), lastSegment(v.where)), attrs)
	if errors.Is(err, fault.Type) {
		err = fault.Newf(fault.Type, "the elements must be numbers, the data type is %v", v.a.DType())
	}
	v.units, _ = attrs["units"].(string)
	return err
}

// each reads the selected elements in C order and calls add for each band.
func (v *values) each(ctx context.Context, s *session, add func(ctx context.Context, elems []byte) error) error {
	s.far.reading(v.a, v.r, &s.report)
	t, read := render.ReaderOf(v.a)
	return stream(ctx, v.a, v.r, bandBytes, t, read, func(elems []byte) error {
		s.far.add(int64(len(elems)))
		return add(ctx, elems)
	})
}

// summary returns the statistics of the selected elements.
func (v *values) summary(ctx context.Context, s *session) (summary.Result, error) {
	sum, err := summary.New(v.a.DType(), v.coding)
	if err == nil {
		err = v.each(ctx, s, sum.Add)
	}
	if err != nil {
		return summary.Result{}, err
	}
	return sum.Result()
}

// stats returns the statistics of the selected elements.
func (v *values) stats(ctx context.Context, s *session) (statsInfo, error) {
	r, err := v.summary(ctx, s)
	if err != nil {
		return statsInfo{}, err
	}
	s.warnOfMissing(ctx, v.place, v.a)
	return statsInfo{v.where, v.units, v.coding != nil, r.Elements, r.Missing, r.NaN, r.Infinite, r.Count, r.Min, r.Max, numberOrNil(r.Mean), numberOrNil(r.Std)}, nil
}

// numberOrNil returns nil for NaN and infinities, which JSON cannot represent.
func numberOrNil(f float64) *float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil
	}
	return &f
}

func (i *statsInfo) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(name, text string) { fmt.Fprintf(w, "%s\t%s\n", name, render.OneLine(text)) }
	row("array", i.URL)
	if i.Units != "" {
		row("units", i.Units)
	}
	row("elements", strconv.FormatInt(i.Elements, 10))
	missing := strconv.FormatInt(i.Missing, 10)
	if i.NaN > 0 {
		missing += fmt.Sprintf(", of which %d are stored as NaN", i.NaN)
	}
	row("missing", missing)
	if i.Infinite > 0 {
		row("infinite", strconv.FormatInt(i.Infinite, 10))
	}
	row("count", strconv.FormatInt(i.Count, 10))
	if i.Count > 0 {
		row("min", fmt.Sprint(i.Min))
		row("max", fmt.Sprint(i.Max))
		row("mean", orUnknown(i.Mean))
		row("std", orUnknown(i.Std))
	}
	return w.Flush()
}

// orUnknown formats a number. It returns "overflow" for nil.
func orUnknown(f *float64) string {
	if f == nil {
		return "overflow"
	}
	return fmt.Sprint(*f)
}
