package reading

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/cmd/zargo/internal/argument"
	"github.com/zargo-io/zargo/cmd/zargo/internal/coding"
	"github.com/zargo-io/zargo/cmd/zargo/internal/cost"
	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/cmd/zargo/internal/progress"
	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/cmd/zargo/internal/selection"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr"
)

// Cat is the command cat.
type Cat struct {
	URL    string `arg:"" name:"url" help:"The array."`
	Format string `help:"One of ${enum}." enum:"text,json,raw,npy,csv" default:"text"`
	Output string `short:"o" help:"Write to this file, which appears only if the command succeeds." placeholder:"FILE"`
	Header bool   `help:"Start CSV with a line of column names."`
	Labels bool   `help:"Print CSV with one line for each element: the labels of its coordinates, and its value. The first line has the names of the columns."`
	All    bool   `help:"Print more than 200 million elements or 200,000 chunks even if fewer than 1 in 100 chunks are stored. By default that is an error."`
	MaxMem string `name:"max-mem" help:"Maximum memory for the printed elements, such as 512MiB. If a row of chunks is longer, more memory means that chunks are read fewer times. The default is 128MiB." placeholder:"BYTES"`
	Stats  bool   `help:"Print the number of requests and bytes on standard error afterwards, in the form of plan."`
	selection.Flags
	coding.DecodeFlags
	cost.Prices
	session.SeparatorFlag
	session.FieldFlag
}

// printHeader prints the header of CSV output. For one axis, the header is the name of the values.
// For two axes, it consists of the positions along the second axis. For more axes, it consists of
// the name of each axis and the name of the values. Unnamed axes are called dim_0 and so on, as in
// xarray.
func printHeader(w io.Writer, a *zarr.Array, r selection.Region, values string) error {
	b := bufio.NewWriterSize(w, 1<<15)
	var names []string
	last := 0
	for i, x := range r {
		if !x.Drop {
			names, last = append(names, selection.AxisName(a, i)), x.Count
		}
	}
	cell := func(i int, text string) error {
		if i > 0 {
			_ = b.WriteByte(',') // WriteString returns the same error
		}
		_, err := b.WriteString(string(render.AppendCell(nil, text)))
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
		_ = cell(i, name)
	}
	_ = b.WriteByte('\n')
	return b.Flush() // returns the first error of all writes
}

// nameOf returns the name of an array's values: the last segment of its URL, followed by the field.
func (c *Cat) nameOf(p *session.Place) string {
	name := session.LastSegment(strings.TrimSuffix(p.Where, "|zip:"))
	if c.Field != "" {
		name += "." + c.Field
	}
	return name
}

// Run prints an array. The text format omits elements of large arrays. The other formats print all
// elements.
func (c *Cat) Run(ctx context.Context, s *session.Session) error {
	items, err := c.Items()
	if err != nil {
		return err
	}
	switch {
	case c.Header && c.Format != "csv":
		return exit.Usagef("--header requires --format csv")
	case c.Labels && c.Format != "csv":
		return exit.Usagef("--labels requires --format csv")
	case c.Decode && c.Field != "":
		return exit.Usagef("--decode and --field cannot be combined")
	case c.Decode && c.Format == "raw":
		return exit.Usagef("--format raw prints the stored elements: --decode requires another format")
	}
	if err := cmp.Or(c.DecodeFlags.Check(), c.Prices.Check()); err != nil {
		return err
	}
	if c.Prices.Given() && !c.Stats {
		return exit.Usagef("prices require --stats")
	}
	most, err := argument.SizeOr("--max-mem", c.MaxMem, min(selection.MaxBand, concurrency.Memory()/4))
	if err != nil {
		return err
	}
	p, a, err := s.OpenArray(ctx, c.URL, c.Options()...)
	if err != nil {
		return err
	}
	defer p.Release()
	rank := len(a.Shape())
	if a, err = c.Of(session.Local(a)); err != nil {
		return p.Fail(err)
	}
	coordinates := selection.NewCoordinates(s, p)
	defer coordinates.Release()
	r, err := coordinates.Chosen(ctx, a, items)
	if err != nil {
		return p.Fail(err)
	}
	if c.Format != "text" && !c.All {
		if err := selection.Dense(ctx, a, rank, r); err != nil {
			return p.Fail(err)
		}
	}
	v, err := c.values(ctx, coordinates, p, a)
	if err != nil {
		return p.Fail(err)
	}
	var columns []render.Column
	if c.Labels {
		if columns, err = coordinates.Columns(ctx, a, r); err != nil {
			return p.Fail(err)
		}
	}
	if c.Stats {
		opened := s.Report.Amount()
		defer func() { s.Stats = &cost.Stats{Opened: opened, Read: s.Report.Amount().Sub(opened), Prices: c.Prices} }()
	}
	toFile := c.Output != "" && c.Output != "-"
	if c.Format != "text" && (toFile || s.InPipe && s.Progress == progress.Always) {
		selection.ShowReading(s.Far, a, r, &s.Report)
	}
	fill := func(w io.Writer) error {
		if c.Header && !c.Labels {
			if err := printHeader(render.Interruptible(ctx, w), a, r, c.nameOf(p)); err != nil {
				return p.Fail(err)
			}
		}
		if err := c.print(ctx, s, w, p, a, r, v, columns, most); err != nil {
			return p.Fail(err)
		}
		s.WarnOfMissing(ctx, p, a)
		return nil
	}
	switch {
	case toFile:
	case c.Format == "text", c.Format == "json", c.Format == "csv" && !s.InPipe:
		return fill(s.Out)
	default:
		return fill(s.Raw)
	}
	return session.WriteFile(c.Output, func(w io.Writer) error {
		b := bufio.NewWriterSize(w, 1<<16)
		if err := fill(b); err != nil {
			return err
		}
		return b.Flush()
	})
}

// values returns the reader of the elements that the flags determine.
func (c *Cat) values(ctx context.Context, in *selection.Coordinates, p *session.Place, a *zarr.Array) (coding.Decoded, error) {
	if c.Raw || c.Field != "" || c.Format == "raw" {
		return coding.AsStored(a), nil
	}
	attrs, err := in.AttrsOf(ctx, a)
	if err != nil {
		return coding.Decoded{}, err
	}
	return coding.Decode(a, c.nameOf(p), attrs, c.Format == "npy")
}

func (c *Cat) print(ctx context.Context, s *session.Session, w io.Writer, p *session.Place, a *zarr.Array, r selection.Region, v coding.Decoded, columns []render.Column, most int64) error {
	if c.Format == "text" {
		return printText(ctx, w, r, v)
	}
	var out render.Sink
	var err error
	if w = render.Interruptible(ctx, w); c.Labels {
		out, err = render.NewLongSink(w, v.T, columns, c.nameOf(p))
	} else {
		out, err = render.NewSink(c.Format, w, v.T, r.Shape())
	}
	if err != nil {
		return err
	}
	return printTo(ctx, s.Far, out, a, r, v, most)
}

// printTo writes the elements that r selects to a sink. most is the approximate maximum number of
// bytes of elements in memory.
func printTo(ctx context.Context, far *progress.Display, out render.Sink, a *zarr.Array, r selection.Region, v coding.Decoded, most int64) error {
	if err := out.Begin(); err != nil {
		return err
	}
	write := func(elems []byte) error {
		err := out.Write(elems)
		far.Add(int64(selection.UnitsOf(a, v.T, elems)))
		return err
	}
	if err := selection.Stream(ctx, a, r, max(most/v.Cost, 1), v.T, v.Read, write); err != nil {
		return err
	}
	return out.End()
}

// printText prints a region in the text format. It reads only the elements that it prints.
func printText(ctx context.Context, w io.Writer, r selection.Region, v coding.Decoded) error {
	axes := make([]render.Axis, len(r))
	for k, x := range r {
		axes[k] = render.Axis{Count: x.Count, Drop: x.Drop}
	}
	return render.Text(w, v.T, axes, func(buf []byte, part [][2]int) error {
		of := r
		for k, p := range part {
			of = of.Part(k, p[0], p[1])
		}
		return v.Read(ctx, buf, of.Selections()...)
	})
}

// PrintValues prints an array in the format of the Zarr conformance tests.
func PrintValues(ctx context.Context, s *session.Session, url string) error {
	p, a, err := s.OpenArray(ctx, url)
	if err != nil {
		return err
	}
	defer p.Release()
	all, err := selection.Resolve(nil, a.Shape(), a.Dims())
	if err != nil {
		return p.Fail(err)
	}
	if err := selection.Dense(ctx, a, len(a.Shape()), all); err != nil {
		return p.Fail(err)
	}
	v := coding.AsStored(a)
	out, err := render.NewSink("csv", render.Interruptible(ctx, s.Raw), v.T, []int{a.Len()})
	if err != nil {
		return p.Fail(err)
	}
	return p.Fail(printTo(ctx, s.Far, out, a, all, v, selection.MaxBand))
}
