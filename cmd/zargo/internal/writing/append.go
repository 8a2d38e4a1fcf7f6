package writing

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/zargo-io/zargo/cmd/zargo/internal/coding"
	"github.com/zargo-io/zargo/cmd/zargo/internal/cost"
	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/cmd/zargo/internal/progress"
	"github.com/zargo-io/zargo/cmd/zargo/internal/selection"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
	"github.com/zargo-io/zargo/npy"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Append is the command append.
type Append struct {
	URL      string         `arg:"" name:"url" help:"The array, or the group that contains the arrays."`
	Files    []string       `arg:"" optional:"" name:"file" help:"The data to append: FILE.npy, or - for standard input. For a group, ARRAY=FILE.npy for each array that has the dimension."`
	Dim      string         `required:"" help:"The axis to extend: its name or, for an array, its number." placeholder:"NAME"`
	TakeOver *time.Duration `help:"Take over an append or a resize whose process has not renewed its claim for this long. A process that lives renews it every 30 s." placeholder:"TIME"`
	At       *int           `help:"Append only if the array has N rows. If it has more, the exit code is 10, so a job that runs twice appends once." placeholder:"N"`
	Wait     time.Duration  `help:"Wait this long for other appends to end." placeholder:"TIME"`
	IfAbsent bool           `help:"Do nothing if the coordinate has the new labels already, so a job that runs twice appends once. Only for a group."`
	AnyOrder bool           `help:"Accept labels that do not follow the last label of the coordinate in its order, or that it has already. Only for a group."`
	Reserve  bool           `help:"Append rows without data to the arrays for which no file is passed. Only for a group."`
	Rows     *int           `help:"Append this many rows without data to the arrays for which no file is passed." placeholder:"N"`
	DryRun   bool           `name:"dry-run" help:"Print the requests and the cost of the append, without writing."`
	cost.Prices
	coding.EncodeFlags
	session.ConsolidateFlag
}

// Run appends .npy files to an array, or to several arrays of a group.
func (c *Append) Run(ctx context.Context, s *session.Session) error {
	return s.RunOrPlan(ctx, c.DryRun, c.Prices, c.run)
}

func (c *Append) run(ctx context.Context, s *session.Session) error {
	var arrays []string // of a group
	if len(c.Files) > 0 && strings.Contains(c.Files[0], "=") {
		arrays = c.arrays()
	}
	labels := func(text string) bool { return strings.HasPrefix(text, c.Dim+"=") }
	list := arrays != nil && (c.Reserve || c.labelled() && slices.ContainsFunc(c.Files, labels))
	p, n, err := s.OpenAhead(ctx, c.URL, list, arrays...)
	if err != nil {
		return err
	}
	defer p.Release()
	ctx = s.Slow.Waiting(ctx, p.Where, p.Path)
	if n, err = n.Stored(ctx); err != nil {
		return p.Fail(err)
	}
	s.Far.Begin(progress.Work{Verb: "written", Ahead: s.Report.BytesUsed.Load})
	switch n := n.(type) {
	case *zarr.Array:
		return c.array(ctx, s, p, n)
	case *zarr.Group:
		return c.group(ctx, s, p, n)
	}
	return exit.Usagef("%s is neither an array nor a group", p.Where)
}

// options converts the flags to append options.
func (c *Append) options() zarr.AppendOptions {
	return zarr.AppendOptions{At: c.At, Wait: c.Wait, TakeOver: takeOver(c.TakeOver)}
}

// array appends one file to an array.
func (c *Append) array(ctx context.Context, s *session.Session, p *session.Place, a *zarr.Array) error {
	if c.IfAbsent || c.AnyOrder || c.Reserve {
		return exit.Usagef("%s is an array: --if-absent, --any-order and --reserve require a group", p.Where)
	}
	if c.Rows != nil && len(c.Files) == 0 {
		return c.empty(ctx, s, p, a)
	}
	if len(c.Files) != 1 || c.Rows != nil {
		return exit.Usagef("%s is an array: pass one file to append, or --rows N", p.Where)
	}
	axis, err := axisNamed(a, c.Dim)
	if err != nil {
		return p.Fail(err)
	}
	r, err := c.rows(ctx, s, p, c.Files[0], a, axis)
	if err != nil {
		return p.Fail(err)
	}
	out, err := a.AppendFunc(ctx, axis, r.shape[axis], r.write, c.options())
	if err == nil {
		err = grown(ctx, s, p, out, a.Shape())
	}
	if err != nil {
		return p.Fail(err)
	}
	return c.After(ctx, s, p, out)
}

// empty appends rows without data to an array.
func (c *Append) empty(ctx context.Context, s *session.Session, p *session.Place, a *zarr.Array) error {
	axis, err := axisNamed(a, c.Dim)
	if err != nil {
		return p.Fail(err)
	}
	out, err := a.AppendFunc(ctx, axis, *c.Rows, c.reserve(s, a, axis, *c.Rows), c.options())
	if err == nil {
		err = grown(ctx, s, p, out, a.Shape())
	}
	if err != nil {
		return p.Fail(err)
	}
	return c.After(ctx, s, p, out)
}

// fileRows holds the rows of a .npy file.
type fileRows struct {
	s       *session.Session
	name    string
	axis    int
	shape   []int
	encoder *coding.Encoder
	in      io.Reader // standard input after the header; nil after it was read
	head    npy.Header
}

// rows reads the header of a file. The file's data is read when it is appended.
func (c *Append) rows(ctx context.Context, s *session.Session, p *session.Place, name string, a *zarr.Array, axis int) (*fileRows, error) {
	r := &fileRows{s: s, name: name, axis: axis}
	in, done, err := r.open()
	if err != nil {
		return nil, err
	}
	defer done()
	if r.head, err = npy.ReadHeader(in); err != nil {
		return nil, exit.At(r.name, err)
	}
	if name == "-" {
		r.in = in
	}
	attrs, err := selection.AttrsOf(ctx, s, p, a)
	if err != nil {
		return nil, err
	}
	if r.encoder, err = c.Encoder(s, a, attrs, r.head.Type, r.name, a.Name()); err != nil {
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
	s.Far.Expect(selection.BytesOf(r.where(0), a.DType()))
	return r, nil
}

// open opens the file.
func (r *fileRows) open() (io.Reader, func(), error) {
	if r.name == "-" {
		r.name = "standard input"
		return r.s.In, func() {}, nil
	}
	f, err := os.Open(r.name)
	if err != nil {
		return nil, nil, err
	}
	return f, func() { _ = f.Close() }, nil // opened for reading only
}

// where returns the region that the rows fill if the first of them is row from of the array.
func (r *fileRows) where(from int) selection.Region {
	where := make(selection.Region, len(r.shape))
	for k, n := range r.shape {
		where[k] = selection.Axis{Step: 1, Count: n}
	}
	where[r.axis].Start = from
	return where
}

// write writes the rows to an array, starting at row from.
func (r *fileRows) write(ctx context.Context, a *zarr.Array, from int) error {
	if dry := r.s.Rehearsed; dry != nil {
		return selection.PlanWrite(ctx, dry, a, r.where(from), max(a.DType().Size(), r.head.Type.Size()))
	}
	in, done, err := r.elements()
	if err != nil {
		return err
	}
	defer done()
	return putFile(ctx, r.s.Far, a, r.where(from), in, r.head, r.name, r.encoder, func(err error) error { return err })
}

// elements returns a reader at the first element of the file.
func (r *fileRows) elements() (io.Reader, func(), error) {
	if in := r.in; in != nil {
		r.in = nil
		return in, func() {}, nil
	}
	if r.name == "standard input" {
		return nil, nil, fmt.Errorf("%s cannot be read a second time", r.name)
	}
	f, done, err := r.open()
	if err != nil {
		return nil, nil, err
	}
	if r.head, err = npy.ReadHeader(f); err != nil {
		err = exit.At(r.name, err)
	} else if !slices.Equal(r.head.Shape, r.shape) {
		err = fault.Newf(fault.Conflict, "%s was changed concurrently", r.name)
	}
	if err != nil {
		done()
		return nil, nil, err
	}
	return f, done, nil
}

// stored reads a file with one axis, and returns its stored elements: in memory form, or as texts
// if they vary in length.
func (r *fileRows) stored() (elems []byte, texts []string, err error) {
	in, done, err := r.elements()
	if err != nil {
		return nil, nil, err
	}
	defer done()
	buf := make([]byte, r.shape[r.axis]*r.head.Type.Size())
	if err := r.head.ReadBytes(in, buf); err != nil {
		return nil, nil, exit.At(r.name, err)
	}
	if r.encoder.Items != nil {
		for _, item := range r.encoder.Items(buf) {
			texts = append(texts, string(item))
		}
		return nil, texts, nil
	}
	elems, err = r.encoder.Of(buf)
	return elems, nil, exit.At(r.name, err)
}
