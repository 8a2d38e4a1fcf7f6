package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zargo-io/zargo/internal/npy"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

type appendCmd struct {
	URL      string         `arg:"" name:"url" help:"The array, or the group that contains the arrays."`
	Files    []string       `arg:"" name:"file" help:"The data to append: FILE.npy, or - for standard input. For a group, ARRAY=FILE.npy for each array that has the dimension."`
	Dim      string         `required:"" help:"The axis to extend: its name or, for an array, its number." placeholder:"NAME"`
	TakeOver *time.Duration `help:"Take over an append or a resize that started at least this long ago and has not ended. Use it only if its process was killed." placeholder:"TIME"`
	At       *int           `help:"Append only if the array has N rows. If it has more, the exit code is 10, so a job that runs twice appends once." placeholder:"N"`
	Wait     time.Duration  `help:"Wait this long for other appends to end." placeholder:"TIME"`
	encodeFlags
	consolidateFlag
}

// Help returns examples.
func (appendCmd) Help() string {
	return examples(
		"zargo append weather.zarr/t2m january.npy --dim time",
		"zargo append 's3://bucket/weather.zarr?region=eu-central-1' --dim time t2m=day.npy time=hours.npy --wait 5m",
		"zargo append 's3://bucket/weather.zarr?region=eu-central-1' --dim time t2m=day.npy time=hours.npy --take-over 1h",
		"zargo append 's3://bucket/weather.zarr?region=eu-central-1' --dim time t2m=day.npy time=hours.npy --at 24 --wait 5m",
	)
}

// Run appends .npy files to an array, or to several arrays of a group.
func (c *appendCmd) Run(ctx context.Context, s *session) error {
	p, n, err := s.openRooted(ctx, c.URL)
	if err != nil {
		return err
	}
	defer p.release()
	s.far.begin(work{verb: "written", ahead: s.report.BytesUsed.Load})
	switch n := n.(type) {
	case *zarr.Array:
		return c.array(ctx, s, p, n)
	case *zarr.Group:
		return c.group(ctx, s, p, n)
	}
	return usagef("%s is neither an array nor a group", p.where)
}

// options converts the flags to append options. --take-over 0s becomes a negative TakeOver, which
// takes over every change.
func (c *appendCmd) options() zarr.AppendOptions {
	o := zarr.AppendOptions{At: c.At, Wait: c.Wait}
	if c.TakeOver != nil {
		o.TakeOver = *c.TakeOver
		if o.TakeOver == 0 {
			o.TakeOver = -1
		}
	}
	return o
}

// array appends one file to an array.
func (c *appendCmd) array(ctx context.Context, s *session, p *place, a *zarr.Array) error {
	if len(c.Files) != 1 {
		return usagef("%s is an array: pass one file to append", p.where)
	}
	axis, err := c.axis(a)
	if err != nil {
		return p.fail(err)
	}
	r, err := c.rows(ctx, s, p, c.Files[0], a, axis)
	if err != nil {
		return p.fail(err)
	}
	out, err := a.AppendFunc(ctx, axis, r.shape[axis], r.write, c.options())
	if err != nil {
		return p.fail(err)
	}
	return c.after(ctx, s, p, out)
}

// group appends files to arrays of a group.
func (c *appendCmd) group(ctx context.Context, s *session, p *place, g *zarr.Group) error {
	rows := make([]zarr.Rows, len(c.Files))
	for i, text := range c.Files {
		path, file, ok := strings.Cut(text, "=")
		if !ok {
			return usagef("%s is a group: each argument must be ARRAY=FILE.npy, not %q", p.where, text)
		}
		a, err := g.OpenArray(ctx, path)
		if err != nil {
			return p.fail(err)
		}
		axis, err := c.axis(a)
		if err != nil {
			return p.fail(err)
		}
		r, err := c.rows(ctx, s, p, file, a, axis)
		if err != nil {
			return p.fail(err)
		}
		rows[i] = zarr.Rows{Path: path, N: r.shape[axis], Write: r.write}
	}
	out, err := g.Append(ctx, c.Dim, c.options(), rows...)
	if err != nil {
		return p.fail(err)
	}
	return c.after(ctx, s, p, out)
}

// axis returns the index of the axis to extend.
func (c *appendCmd) axis(a *zarr.Array) (int, error) {
	dims := a.Dims()
	if i := slices.Index(dims, c.Dim); i >= 0 {
		return i, nil
	}
	i, err := strconv.Atoi(c.Dim)
	if err != nil || i < 0 || i >= len(a.Shape()) {
		return 0, fault.Newf(fault.Selection, "--dim must be one of the axes %[2]q or a number from 0 to %[3]d, is %[1]q", c.Dim, dims, len(a.Shape())-1)
	}
	return i, nil
}

// fileRows holds the rows of a .npy file.
type fileRows struct {
	s       *session
	name    string
	axis    int
	shape   []int
	encoder *encoder
	in      io.Reader // standard input after the header; nil after it was read
	head    npy.Header
}

// rows reads the header of a file. The file's data is read when it is appended.
func (c *appendCmd) rows(ctx context.Context, s *session, p *place, name string, a *zarr.Array, axis int) (*fileRows, error) {
	r := &fileRows{s: s, name: name, axis: axis}
	in, done, err := r.open()
	if err != nil {
		return nil, err
	}
	defer done()
	if r.head, err = npy.ReadHeader(in); err != nil {
		return nil, at(r.name, err)
	}
	if name == "-" {
		r.in = in
	}
	attrs, err := s.attrsOf(ctx, p, a)
	if err != nil {
		return nil, err
	}
	if r.encoder, err = c.encoder(s, a, attrs, r.head.Type, r.name, a.Name()); err != nil {
		return nil, err
	}
	r.shape = r.head.Shape
	want := a.Shape()
	if len(r.shape) == len(want) {
		want[axis] = r.shape[axis]
	}
	if !slices.Equal(r.shape, want) {
		return nil, fault.Newf(fault.Selection, "the array has shape %v and is extended along axis %d, but %s has shape %v", a.Shape(), axis, r.name, r.shape)
	}
	s.far.expect(bytesOf(r.where(0), a.DType()))
	return r, nil
}

// open opens the file.
func (r *fileRows) open() (io.Reader, func(), error) {
	if r.name == "-" {
		r.name = "standard input"
		return r.s.in, func() {}, nil
	}
	f, err := os.Open(r.name)
	if err != nil {
		return nil, nil, err
	}
	return f, func() { _ = f.Close() }, nil // opened for reading only
}

// where returns the region that the rows fill if the first of them is row from of the array.
func (r *fileRows) where(from int) region {
	where := make(region, len(r.shape))
	for k, n := range r.shape {
		where[k] = axis{step: 1, count: n}
	}
	where[r.axis].start = from
	return where
}

// write writes the rows to an array, starting at row from.
func (r *fileRows) write(ctx context.Context, a *zarr.Array, from int) error {
	in := r.in
	switch {
	case in != nil:
		r.in = nil
	case r.name == "standard input":
		return fmt.Errorf("%s cannot be read a second time", r.name)
	default:
		f, done, err := r.open()
		if err != nil {
			return err
		}
		defer done()
		in = f
		if r.head, err = npy.ReadHeader(in); err != nil {
			return at(r.name, err)
		}
		if !slices.Equal(r.head.Shape, r.shape) {
			return fault.Newf(fault.Conflict, "%s was changed concurrently", r.name)
		}
	}
	return putFile(ctx, r.s.far, a, r.where(from), in, r.head, r.name, r.encoder, func(err error) error { return err })
}
