package main

import (
	"bufio"
	"context"
	"io"

	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr"
)

type catCmd struct {
	URL    string `arg:"" name:"url" help:"The array."`
	Format string `help:"One of ${enum}." enum:"text,json,raw,npy,csv" default:"text"`
	Output string `short:"o" help:"Write to this file, which appears only if the command succeeds." placeholder:"FILE"`
	Header bool   `help:"Start CSV with a line of column names."`
	Labels bool   `help:"Print CSV with one line for each element: the labels of its coordinates, and its value. The first line has the names of the columns."`
	All    bool   `help:"Print more than 200 million elements or 200,000 chunks even if fewer than 1 in 100 chunks are stored. By default that is an error."`
	MaxMem string `name:"max-mem" help:"Maximum memory for the printed elements, such as 512MiB. If a row of chunks is longer, more memory means that chunks are read fewer times. The default is 128MiB." placeholder:"BYTES"`
	Stats  bool   `help:"Print the number of requests and bytes on standard error afterwards, in the form of plan."`
	selFlags
	decodeFlags
	priceFlags
	separatorFlag
	fieldFlag
}

// Run prints an array. The text format omits elements of large arrays. The other formats print all
// elements.
func (c *catCmd) Run(ctx context.Context, s *session) error {
	items, err := c.items()
	if err != nil {
		return err
	}
	if c.Header && c.Format != "csv" {
		return usagef("--header requires --format csv")
	}
	if c.Labels && c.Format != "csv" {
		return usagef("--labels requires --format csv")
	}
	if c.Decode && c.Field != "" {
		return usagef("--decode and --field cannot be combined")
	}
	if c.Decode && c.Format == "raw" {
		return usagef("--format raw prints the stored elements: --decode requires another format")
	}
	if err := c.decodeFlags.check(); err != nil {
		return err
	}
	if err := c.priceFlags.check(); err != nil {
		return err
	}
	if c.priceFlags.given() && !c.Stats {
		return usagef("prices require --stats")
	}
	most := min(maxBand, concurrency.Memory()/4)
	if c.MaxMem != "" {
		n, err := parseSize("--max-mem", c.MaxMem)
		if err != nil {
			return err
		}
		most = int64(n)
	}
	p, a, err := s.openArray(ctx, c.URL, c.options()...)
	if err != nil {
		return err
	}
	defer p.release()
	rank := len(a.Shape())
	if a, err = c.of(a); err != nil {
		return p.fail(err)
	}
	coordinates := s.coordinates(p)
	defer coordinates.release()
	r, err := coordinates.chosen(ctx, a, items)
	if err != nil {
		return p.fail(err)
	}
	if c.Format != "text" && !c.All {
		if err := dense(ctx, a, rank, r); err != nil {
			return p.fail(err)
		}
	}
	v, err := c.values(ctx, coordinates, p, a)
	if err != nil {
		return p.fail(err)
	}
	var columns []render.Column
	if c.Labels {
		if columns, err = coordinates.columns(ctx, a, r); err != nil {
			return p.fail(err)
		}
	}
	if c.Stats {
		opened := s.report.Amount()
		defer func() { s.stats = &stats{opened, s.report.Amount().Sub(opened), c.priceFlags} }()
	}
	toFile := c.Output != "" && c.Output != "-"
	if c.Format != "text" && (toFile || s.inPipe && s.Progress == progressAlways) {
		s.far.reading(a, r, &s.report)
	}
	fill := func(w io.Writer) error {
		if c.Header && !c.Labels {
			if err := printHeader(render.Interruptible(ctx, w), a, r, c.nameOf(p)); err != nil {
				return p.fail(err)
			}
		}
		if err := c.print(ctx, s, w, p, a, r, v, columns, most); err != nil {
			return p.fail(err)
		}
		s.warnOfMissing(ctx, p, a)
		return nil
	}
	switch {
	case toFile:
	case c.Format == "text", c.Format == "json", c.Format == "csv" && !s.inPipe:
		return fill(s.out)
	default:
		return fill(s.raw)
	}
	return writeFile(c.Output, func(w io.Writer) error {
		b := bufio.NewWriterSize(w, 1<<16)
		if err := fill(b); err != nil {
			return err
		}
		return b.Flush()
	})
}

// values returns the reader of the elements that the flags determine.
func (c *catCmd) values(ctx context.Context, in *coordinates, p *place, a *zarr.Array) (decoded, error) {
	if c.Raw || c.Field != "" || c.Format == "raw" {
		return asStored(a), nil
	}
	attrs, err := in.attrsOf(ctx, a)
	if err != nil {
		return decoded{}, err
	}
	return decode(a, c.nameOf(p), attrs, c.Format == "npy")
}

func (c *catCmd) print(ctx context.Context, s *session, w io.Writer, p *place, a *zarr.Array, r region, v decoded, columns []render.Column, most int64) error {
	if c.Format == "text" {
		return printText(ctx, w, r, v)
	}
	var out render.Sink
	var err error
	if w = render.Interruptible(ctx, w); c.Labels {
		out, err = render.NewLongSink(w, v.t, columns, c.nameOf(p))
	} else {
		out, err = render.NewSink(c.Format, w, v.t, r.shape())
	}
	if err != nil {
		return err
	}
	return printTo(ctx, s.far, out, a, r, v, most)
}

// printTo writes the elements that r selects to a sink. most is the approximate maximum number of
// bytes of elements in memory.
func printTo(ctx context.Context, far *progress, out render.Sink, a *zarr.Array, r region, v decoded, most int64) error {
	if err := out.Begin(); err != nil {
		return err
	}
	write := func(elems []byte) error {
		err := out.Write(elems)
		far.add(int64(unitsOf(a, v.t, elems)))
		return err
	}
	if err := stream(ctx, a, r, max(most/v.cost, 1), v.t, v.read, write); err != nil {
		return err
	}
	return out.End()
}

// printText prints a region in the text format. It reads only the elements that it prints.
func printText(ctx context.Context, w io.Writer, r region, v decoded) error {
	axes := make([]render.Axis, len(r))
	for k, x := range r {
		axes[k] = render.Axis{Count: x.count, Drop: x.drop}
	}
	return render.Text(w, v.t, axes, func(buf []byte, part [][2]int) error {
		of := r
		for k, p := range part {
			of = of.part(k, p[0], p[1])
		}
		return v.read(ctx, buf, of.selections()...)
	})
}
