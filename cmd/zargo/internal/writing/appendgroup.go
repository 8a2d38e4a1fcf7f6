package writing

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/cmd/zargo/internal/coding"
	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/cmd/zargo/internal/selection"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/internal/attributes/follow"
	"github.com/zargo-io/zargo/internal/attributes/numeric"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// group appends files to arrays of a group. If the dimension has an index coordinate, it compares
// the new labels with those of the coordinate, as [dataset.Dataset.Append] does.
func (c *Append) group(ctx context.Context, s *session.Session, p *session.Place, g *zarr.Group) error {
	switch {
	case c.At != nil && c.IfAbsent:
		return exit.Usagef("--at and --if-absent cannot be combined")
	case len(c.Files) == 0 && c.Rows == nil:
		return exit.Usagef("%s is a group: pass ARRAY=FILE.npy for each array, or --rows N", p.Where)
	}
	for _, text := range c.Files {
		if !strings.Contains(text, "=") {
			return exit.Usagef("%s is a group: each argument must be ARRAY=FILE.npy, not %q", p.Where, text)
		}
	}
	ctx, err := c.open(ctx, g)
	if err != nil {
		return p.Fail(err)
	}
	index, err := c.index(ctx, g)
	if err != nil {
		return p.Fail(err)
	}
	rows, err := c.groupRows(ctx, s, p, g, index)
	if err != nil {
		return p.Fail(err)
	}
	if index == nil {
		var of []zarr.Rows
		for _, r := range rows {
			of = append(of, r.Rows)
		}
		out, err := g.Append(ctx, c.Dim, c.options(), of...)
		if err == nil {
			err = c.follow(ctx, s, p, out, of)
		}
		if err != nil {
			return p.Fail(err)
		}
		return c.After(ctx, s, p, out)
	}
	d, err := dataset.OpenGroup(ctx, g, dataset.Options{Indexes: []string{c.Dim}})
	if err != nil {
		return p.Fail(err)
	}
	var data []dataset.Data
	for _, r := range rows {
		if r.Path != c.Dim {
			data = append(data, dataset.Func(r.Path, r.N, r.Write))
			continue
		}
		labels, err := readLabels(index, r)
		if err != nil {
			return p.Fail(err)
		}
		data = append(data, labels)
	}
	o := c.options()
	d, err = d.Append(ctx, c.Dim, dataset.AppendOptions{IfAbsent: c.IfAbsent, AnyOrder: c.AnyOrder, At: o.At, Wait: o.Wait, TakeOver: o.TakeOver}, data...)
	if err != nil {
		return p.Fail(err)
	}
	return c.After(ctx, s, p, d.Group())
}

// open opens the arrays to append to concurrently, and returns a context in which they are not read
// again. An array that cannot be opened is an error when it is needed.
func (c *Append) open(ctx context.Context, g *zarr.Group) (context.Context, error) {
	known := &node.Known{}
	known.Add(node.Of(g))
	ctx = node.Knowing(ctx, known)
	paths := c.arrays()
	err := concurrency.EachN(ctx, len(paths), len(paths), func(ctx context.Context, i int) error {
		if a, err := g.OpenArray(ctx, paths[i]); err == nil {
			known.Add(node.Of(a))
		}
		return nil
	})
	return ctx, err
}

// arrays returns the paths of the arrays with files, and of the coordinate whose labels are read.
func (c *Append) arrays() (paths []string) {
	for _, text := range c.Files {
		path, _, _ := strings.Cut(text, "=")
		paths = append(paths, path)
	}
	if c.labelled() && !slices.Contains(paths, c.Dim) {
		paths = append(paths, c.Dim)
	}
	return paths
}

// labelled reports whether the append reads the labels of the dimension.
func (c *Append) labelled() bool {
	return (c.IfAbsent || !c.AnyOrder) && !strings.Contains(c.Dim, "/")
}

// index returns the index coordinate of the dimension. It returns nil if the group does not have
// it, or if the labels do not matter.
func (c *Append) index(ctx context.Context, g *zarr.Group) (*zarr.Array, error) {
	var none error
	if c.IfAbsent {
		none = fault.Newf(fault.Selection, "--if-absent requires the array %q with the labels of the dimension", c.Dim)
	}
	if !c.labelled() {
		return nil, none
	}
	a, err := g.OpenArray(ctx, c.Dim)
	switch {
	case errors.Is(err, fault.NotFound):
		return nil, none
	case err != nil:
		return nil, fmt.Errorf("%w; --any-order appends without its labels", err)
	case !slices.Equal(a.Dims(), []string{c.Dim}):
		return nil, none
	}
	return a, nil
}

// newRows are the rows to append to one array.
type newRows struct {
	zarr.Rows
	file *fileRows // nil for reserved rows
}

// groupRows returns the rows of the files, and of the arrays for which rows are reserved.
func (c *Append) groupRows(ctx context.Context, s *session.Session, p *session.Place, g *zarr.Group, index *zarr.Array) ([]newRows, error) {
	rows := make([]newRows, len(c.Files))
	for i, text := range c.Files {
		path, file, _ := strings.Cut(text, "=")
		a, err := g.OpenArray(ctx, path)
		if err != nil {
			return nil, err
		}
		axis, err := axisNamed(a, c.Dim)
		if err != nil {
			return nil, err
		}
		r, err := c.rows(ctx, s, p, file, a, axis)
		if err != nil {
			return nil, err
		}
		rows[i] = newRows{zarr.Rows{Path: path, N: r.shape[axis], Write: r.write}, r}
	}
	if !c.Reserve && c.Rows == nil {
		return rows, nil
	}
	n := 0
	if len(rows) > 0 {
		n = rows[0].N
	}
	if c.Rows != nil {
		n = *c.Rows
	}
	if n < 0 {
		return nil, exit.Usagef("--rows must be at least 0, is %d", n)
	}
	for m, err := range g.Members(ctx) {
		if err != nil {
			return nil, err
		}
		a, ok := m.(*zarr.Array)
		if !ok || slices.ContainsFunc(rows, func(r newRows) bool { return r.Path == a.Name() }) {
			continue
		}
		axis := slices.Index(a.Dims(), c.Dim)
		switch {
		case axis < 0:
			continue
		case index != nil && a.Name() == c.Dim:
			return nil, exit.Usagef("new rows need labels: pass %s=FILE.npy", c.Dim)
		}
		rows = append(rows, newRows{zarr.Rows{Path: a.Name(), N: n, Write: c.reserve(s, a, axis, n)}, nil})
	}
	return rows, nil
}

// reserve returns a function that sets n new rows to missing values. A failed append, or an earlier
// larger shape, may have left other values in their chunks.
func (c *Append) reserve(s *session.Session, a *zarr.Array, axis, n int) func(ctx context.Context, view *zarr.Array, from int) error {
	return func(ctx context.Context, view *zarr.Array, from int) error {
		if s.Rehearsed != nil {
			return selection.PlanWrite(ctx, s.Rehearsed, view, rowsAt(view.Shape(), axis, from, n), max(view.DType().Size(), 16))
		}
		value, err := coding.MissingValue(a, false)
		if err != nil {
			return err
		}
		return setAll(ctx, view, rowsAt(view.Shape(), axis, from, n), value)
	}
}

// rowsAt returns the region of n rows along an axis of an array.
func rowsAt(shape []int, k, from, n int) selection.Region {
	r := make(selection.Region, len(shape))
	for i, length := range shape {
		r[i] = selection.Axis{Step: 1, Count: length}
	}
	r[k].Start, r[k].Count = from, n
	return r
}

// maxLabels is the maximum number of labels that one append reads into memory.
const maxLabels = 1 << 26

// readLabels returns the rows of an index coordinate with their stored values.
func readLabels(a *zarr.Array, r newRows) (dataset.Data, error) {
	if r.N > maxLabels {
		return dataset.Data{}, fault.Newf(fault.Limit, "an append of %d labels exceeds the maximum of %d", r.N, maxLabels)
	}
	elems, texts, err := r.file.stored()
	if err != nil {
		return dataset.Data{}, err
	}
	switch a.DType().(type) {
	case dtype.VarLen:
		return dataset.Stored(r.Path, texts), nil
	case dtype.DateTime:
		return labelsOf[dtype.Instant](r.Path, elems), nil
	case dtype.TimeDelta:
		return labelsOf[dtype.Span](r.Path, elems), nil
	}
	of, ok := numeric.Pick(a.DType(), labelsOf[int8], labelsOf[int16], labelsOf[int32], labelsOf[int64],
		labelsOf[uint8], labelsOf[uint16], labelsOf[uint32], labelsOf[uint64], labelsOf[float32], labelsOf[float64])
	switch a.DType() {
	case dtype.Bool:
		of, ok = labelsOf[bool], true
	case dtype.Float16:
		ok = false
	}
	if ok {
		return of(r.Path, elems), nil
	}
	return dataset.Data{}, fault.Newf(errors.ErrUnsupported, "labels of %v cannot be compared: --any-order appends without the labels", a.DType())
}

// labelsOf returns data of elements in memory form.
func labelsOf[T any](name string, b []byte) dataset.Data {
	var zero T
	values := make([]T, len(b)/binary.Size(zero))
	_, _ = binary.Decode(b, binary.LittleEndian, values) // numbers of a fixed size
	return dataset.Stored(name, values)
}

// follow changes the attributes that an append to arrays of a group made untrue.
func (c *Append) follow(ctx context.Context, s *session.Session, p *session.Place, g *zarr.Group, rows []zarr.Rows) error {
	groups, unread, err := follow.Above(ctx, g)
	if err != nil {
		return err
	}
	groups = append([]*zarr.Group{g}, groups...)
	var changes []follow.Change
	extended := func(a *zarr.Array) {
		shape := a.Shape()
		shape[slices.Index(a.Dims(), c.Dim)] = 0 // fewer rows than now
		changes = append(changes, follow.Change{Array: a, Was: shape})
	}
	for n, err := range g.Members(ctx) {
		if err != nil {
			return err
		}
		if a, ok := n.(*zarr.Array); ok && slices.Contains(a.Dims(), c.Dim) {
			extended(a)
		}
	}
	for _, r := range rows {
		if !strings.Contains(r.Path, "/") {
			continue
		}
		a, err := g.OpenArray(ctx, r.Path)
		if err != nil {
			return err
		}
		extended(a)
	}
	return followArrays(ctx, s, p, groups, unread, changes...)
}
