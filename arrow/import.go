package arrow

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// ImportOptions are the options of [Import]. Only Labels is required.
type ImportOptions struct {
	// Labels are the columns with the labels of the dimensions, in the order of the dimensions of a
	// new dataset.
	Labels []string

	// Columns are the columns that become variables. By default all other columns do.
	Columns []string

	// Extend is a dimension of an existing dataset that grows by the labels that it lacks. These
	// must follow its last label in the order of the coordinate.
	Extend string

	// LastWins accepts several rows with the same labels: the last one is stored. By default the
	// second is an error.
	LastWins bool

	Format int            // Zarr format of a new dataset: 2 or 3; 0 is 3
	Chunks map[string]int // lengths of the chunks of a new dataset along its dimensions

	// MaxLabels is the maximum number of labels of a dimension in the table. The default is 2²⁰.
	MaxLabels int

	// Memory is the maximum memory for rows whose chunks are not written yet. The default is a
	// quarter of the memory budget of the dataset, and at most 256 MiB.
	Memory int64

	// Progress is called after each batch with the number of rows so far. May be nil.
	Progress func(rows int64)

	Wait, TakeOver time.Duration // of another append, as in dataset.AppendOptions

	Zarr []zarr.Option
}

// Import writes the rows of tables to the dataset at a path of a store, and returns it. See the
// documentation of the package.
func Import(ctx context.Context, st store.Store, path string, o ImportOptions, from ...Source) (*dataset.Dataset, error) {
	j, err := newJob(ctx, st, path, o, from)
	if err != nil {
		return nil, err
	}
	d, err := j.ready(ctx)
	if err != nil {
		return nil, err
	}
	return d, j.write(ctx, d)
}

// job is an import.
type job struct {
	st     store.Store
	path   string
	o      ImportOptions
	from   []Source
	labels []*coder
	types  map[string]arrow.DataType // of the columns
	vars   []string
	rows   int64
	holes  map[string]bool // variables of integers and booleans with nulls
	used   map[string]bool // variables of integers that have the value that would mark missing ones
	old    *dataset.Dataset
	begun  bool // old is not complete: an import is creating it
}

// newJob checks the options, opens the dataset, and reads the labels of all rows.
func newJob(ctx context.Context, st store.Store, path string, o ImportOptions, from []Source) (*job, error) {
	if o.MaxLabels == 0 {
		o.MaxLabels = maxDictionary
	}
	if o.Format == 0 {
		o.Format = 3
	}
	if o.Extend != "" && !slices.Contains(o.Labels, o.Extend) {
		return nil, fault.Newf(fault.Selection, "the dimension %q that grows is not among the labels %q", o.Extend, o.Labels)
	}
	if st == nil || len(from) == 0 || len(o.Labels) == 0 || o.MaxLabels < 1 || o.MaxLabels > math.MaxInt32 {
		return nil, fault.Newf(fault.Selection, "an import needs a store, a table, names of label columns, and MaxLabels from 1 to 2³¹-1")
	}
	j := &job{st: st, path: path, o: o, from: from, types: map[string]arrow.DataType{}, holes: map[string]bool{}, used: map[string]bool{}}
	for i, name := range o.Labels {
		if slices.Contains(o.Labels[:i], name) {
			return nil, fault.Newf(fault.Selection, "the label column %q is named twice", name)
		}
		j.labels = append(j.labels, &coder{name: name, most: o.MaxLabels, codes: map[key]int32{}})
	}
	if j.vars = o.Columns; j.vars == nil {
		for _, f := range from[0].Schema().Fields() {
			if !slices.Contains(o.Labels, f.Name) {
				j.vars = append(j.vars, f.Name)
			}
		}
	}
	for _, s := range from {
		if err := j.check(s.Schema()); err != nil {
			return nil, err
		}
	}
	j.o.Zarr = append(slices.Clone(o.Zarr), zarr.IgnoreConsolidated()) // others may append meanwhile
	d, err := dataset.Open(ctx, st, path, dataset.Options{}, j.o.Zarr...)
	switch {
	case err == nil:
		j.old, j.begun = d, unfinished(d)
	case !errors.Is(err, fault.NotFound):
		return nil, err
	}
	if err = j.scan(ctx); err == nil && j.begun {
		err = j.mine(d)
	}
	return j, err
}

// check checks the columns of a table.
func (j *job) check(s *arrow.Schema) error {
	for i, name := range slices.Concat(j.o.Labels, j.vars) {
		at := s.FieldIndices(name)
		if len(at) != 1 {
			return fault.Newf(fault.Selection, "the table has %d columns %q", len(at), name)
		}
		t := s.Field(at[0]).Type
		c, ok := classOf(t)
		if !ok || i < len(j.labels) && c == blobs {
			return fault.Newf(fault.Type, "column %q has the type %v, which cannot be imported: choose other columns, or convert it", name, t)
		}
		if i >= len(j.labels) && slices.Contains(j.o.Labels, name) || slices.Index(j.vars, name) < i-len(j.labels) {
			return fault.Newf(fault.Selection, "column %q is chosen twice", name)
		}
		if d, ok := t.(*arrow.DictionaryType); ok {
			t = d.ValueType
		}
		if before := j.types[name]; before != nil {
			if j.types[name], ok = common(before, t); !ok {
				return fault.Newf(fault.Type, "column %q has the type %v in a table, and %v in another one", name, before, t)
			}
			continue
		}
		j.types[name] = t
	}
	return nil
}

// class returns the class of a column.
func (j *job) class(name string) class {
	c, _ := classOf(j.types[name])
	return c
}

// scan numbers the labels, and counts the rows. For a new dataset it also searches integers and
// booleans for nulls.
func (j *job) scan(ctx context.Context) error {
	var searched []string
	for _, name := range j.vars {
		if c := j.class(name); j.fresh() && (c == ints || c == uints || c == truths) {
			searched = append(searched, name)
		}
	}
	return j.each(ctx, slices.Concat(j.o.Labels, searched), func(row int64, batch []vector) error {
		for i, x := range j.labels {
			if _, err := x.number(batch[i], row); err != nil {
				return err
			}
		}
		for i, name := range searched {
			x := batch[len(j.labels)+i]
			low, high := missingOf(j.types[name])
			for k := range x.Len() {
				if x.IsNull(k) {
					j.holes[name] = true
				} else if x.class == ints && x.i(k) == low || x.class == uints && x.u(k) == high {
					j.used[name] = true
				}
			}
		}
		j.rows = row + int64(batch[0].Len()) - 1
		return nil
	}, func() error { return nil })
}

// fresh reports whether the import creates the dataset.
func (j *job) fresh() bool { return j.old == nil || j.begun }

// each calls f with each batch of some columns of all tables, and the number of its first row,
// counted from 1, and then after. Panics and errors of f are faults of the table.
func (j *job) each(ctx context.Context, names []string, f func(row int64, batch []vector) error, after func() error) error {
	row := int64(1)
	for _, s := range j.from {
		columns := make([]int, len(names))
		for i, name := range names {
			columns[i] = s.Schema().FieldIndices(name)[0]
		}
		for b, err := range s.Rows(ctx, columns) {
			if err != nil {
				return fmt.Errorf("row %d: %w", row, err)
			}
			batch := make([]vector, len(names))
			err = guard(func() error {
				for i := range names {
					x, err := vectorOf(b.Column(i))
					if err != nil {
						return fmt.Errorf("column %q: %w", names[i], err)
					}
					batch[i] = x
				}
				return f(row, batch)
			})
			for _, x := range batch {
				if x.Array != nil {
					x.Release()
				}
			}
			if err == nil {
				err = after()
			}
			if err != nil {
				return err
			}
			row += b.NumRows()
		}
	}
	return nil
}

// ready returns the dataset with all labels: an existing one, an extended one, or a new one.
func (j *job) ready(ctx context.Context) (*dataset.Dataset, error) {
	d := j.old
	if j.fresh() {
		var err error
		if d, err = j.create(ctx); err != nil {
			return nil, err
		}
	}
	for {
		labels, err := j.unknown(d)
		if err != nil || j.o.Extend == "" {
			return d, err
		}
		if len(labels) == 0 {
			labels, err = j.last(d) // waits for its append to end, or ends it if it was interrupted
		} else {
			err = j.dense(d, labels)
		}
		if err != nil || len(labels) == 0 {
			return d, err
		}
		before := dimOf(d, j.o.Extend).Len
		next, err := j.extend(ctx, d, labels)
		if err == nil {
			return next, nil
		}
		// Another import may have appended some of the labels.
		if next, again := d.Refresh(ctx); again == nil && dimOf(next, j.o.Extend).Len > before {
			d = next
			continue
		}
		return nil, err
	}
}

// last returns the last label of the dimension to extend that the table has.
func (j *job) last(d *dataset.Dataset) ([]key, error) {
	x := j.labels[slices.Index(j.o.Labels, j.o.Extend)]
	at, err := x.positions(d, dimOf(d, x.name))
	if err != nil || len(at) == 0 {
		return nil, err
	}
	return []key{x.keys[slices.Index(at, slices.Max(at))]}, nil
}

// dimOf returns a dimension of a dataset, with the length -1 if it lacks the dimension.
func dimOf(d *dataset.Dataset, name string) dataset.Dim {
	for _, x := range d.Dims() {
		if x.Name == name {
			return x
		}
	}
	return dataset.Dim{Name: name, Len: -1}
}

// unknown returns the labels that the dimension to extend lacks, in the order of the coordinate.
// The error is fault.Selection for a label that another dimension lacks.
func (j *job) unknown(d *dataset.Dataset) (unknown []key, err error) {
	for _, x := range j.labels {
		dim := dimOf(d, x.name)
		if dim.Len < 0 {
			return nil, fault.Newf(fault.Selection, "the dataset has no dimension %q; it has %v", x.name, d.Dims())
		}
		at, err := x.positions(d, dim)
		if err != nil {
			return nil, err
		}
		for i, p := range at {
			switch {
			case p >= 0:
			case x.name != j.o.Extend:
				return nil, fault.Newf(fault.Selection, "row %d: dimension %s has no label %v", x.rows[i], x.name, x.keys[i])
			default:
				unknown = append(unknown, x.keys[i])
			}
		}
	}
	slices.SortFunc(unknown, key.compare)
	if v, err := d.Var(j.o.Extend); err == nil && len(unknown) > 0 {
		if labels := v.Index(j.o.Extend); labels != nil && labels.Len() > 1 {
			first, _ := keyOf(labels.Value(0))
			last, _ := keyOf(labels.Value(labels.Len() - 1))
			if first.compare(last) > 0 {
				slices.Reverse(unknown)
			}
		}
	}
	return unknown, nil
}

// labelData returns labels as data of their coordinate.
func (j *job) labelData(d *dataset.Dataset, name string, keys []key) (dataset.Data, error) {
	v, err := d.Var(name)
	if err != nil {
		return dataset.Data{}, err
	}
	encode, _, _, err := encoderOf(v, j.class(name))
	if err != nil {
		return dataset.Data{}, err
	}
	values, err := encode(vectorOfKeys(j.class(name), keys))
	if err != nil {
		return dataset.Data{}, err
	}
	order := make([]int32, len(keys))
	for i := range order {
		order[i] = int32(i) //nolint:gosec // at most MaxLabels
	}
	return values.data(order), nil
}
