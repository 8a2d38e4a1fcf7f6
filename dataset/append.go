package dataset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"time"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/attributes/follow"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/internal/node/claim"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

// AppendOptions are the options of [Dataset.Append]. The zero value appends labels that follow the
// existing ones, and fails with fault.Conflict if another process appends.
type AppendOptions struct {
	// IfAbsent makes an append do nothing if the coordinate already has the new labels. A job that
	// runs twice, or two jobs that run concurrently, then append once. If the coordinate has only
	// some of the labels, the error is fault.Conflict. If the dimension has no index coordinate of
	// its own in the group, the error is fault.Selection.
	IfAbsent bool

	// AnyOrder accepts labels that do not follow the existing ones in the order of the coordinate,
	// and labels that the coordinate already has.
	AnyOrder bool

	// At is the row at which the append must begin, as in zarr.AppendOptions: if the dimension is
	// longer, the error is fault.Exists. nil appends at the end.
	At *int

	// Wait and TakeOver have the meaning of the same fields of zarr.AppendOptions.
	Wait, TakeOver time.Duration
}

// Append extends all variables that have a dimension by the same number of rows, as one change (see
// zarr.Group.Append). It returns the dataset with the new rows. There must be data for each
// variable and coordinate with the dimension, in C order. Append ignores the selections of d.
//
// The labels in the data of the index coordinate must be in the order of the coordinate and follow
// its last label, unless AppendOptions.AnyOrder is set. The error is fault.Selection for labels in
// another order or of unknown order, for missing data, and for data of different lengths;
// fault.Exists if the dataset
// already has the first label; fault.Type for values that cannot be stored. Other errors are those
// of zarr.Group.Append.
//
// After an error, the rows may be stored: Append may have to open the dataset again after it stored
// them. An append of the same data with IfAbsent then completes the work.
func (d *Dataset) Append(ctx context.Context, dim string, o AppendOptions, data ...Data) (*Dataset, error) {
	return d.append(ctx, dim, o, nil, data)
}

// append is Append. If p is not nil, it plans the rows, except for labels, instead of writing them.
func (d *Dataset) append(ctx context.Context, dim string, o AppendOptions, p *plannedRows, data []Data) (*Dataset, error) {
	if err := d.usable(); err != nil {
		return nil, err
	}
	end := time.Now().Add(o.Wait)
	ctx = d.knowing(ctx)
	var above *above
	read := func(ctx context.Context) { above = readAbove(ctx, d.group) }
	node.KnownIn(ctx).WithLast(read)
	for {
		rows, labels, err := d.rows(dim, data, p)
		if err != nil {
			return nil, err
		}
		at, has, err := d.place(dim, labels, o)
		if err != nil {
			return nil, err
		}
		if has {
			return d, d.settle(ctx, dim, at, end, o.TakeOver)
		}
		first := &at
		if o.At != nil {
			first = o.At
		}
		g, err := d.group.Append(ctx, dim, zarr.AppendOptions{At: first, Wait: o.Wait, TakeOver: o.TakeOver}, rows...)
		again := errors.Is(err, fault.Exists) && o.At == nil
		if again {
			// Another process appended since d was opened, possibly the same labels.
			// Consolidated metadata may be older than the arrays.
			g, err = d.reopen(ctx)
		}
		if err != nil {
			return nil, err
		}
		var next *Dataset
		if !again {
			next = d.extended(ctx, g, dim, rows, labels)
		}
		if next == nil {
			if next, err = OpenGroup(ctx, g, d.options); err != nil {
				return nil, err
			}
		}
		was := d
		if d = next; !again {
			if above == nil {
				read(ctx)
			}
			return d, d.follow(ctx, was, dim, above)
		}
	}
}

// above are the groups above a group, as [follow.Above] returns them.
type above struct {
	groups []*zarr.Group
	unread []error
	err    error
}

func readAbove(ctx context.Context, g *zarr.Group) *above {
	groups, unread, err := follow.Above(ctx, g)
	return &above{groups, unread, err}
}

// follow changes the attributes that an append to a dimension made untrue, such as actual_range and
// time_coverage_end. It adds a finding for each dropped attribute.
func (d *Dataset) follow(ctx context.Context, was *Dataset, dim string, above *above) error {
	if above.err != nil {
		return above.err
	}
	var changes []follow.Change
	for name, s := range d.vars {
		if old, ok := was.vars[name]; ok && slices.Contains(s.dims, dim) {
			changes = append(changes, follow.Change{Array: s.array, Was: old.array.Shape()})
		}
	}
	r, err := follow.Attributes(ctx, append([]*zarr.Group{d.group}, above.groups...), changes...)
	d.followed(r, above.unread)
	return err
}

// followed adds a finding for each dropped attribute and for each group whose attributes could not
// be read.
func (d *Dataset) followed(r follow.Result, unread []error) {
	for _, x := range r.Dropped {
		d.find(x.Path, "%s", x)
	}
	for _, err := range append(unread, r.Unread...) {
		d.find("", "attributes may describe the elements before the change, because this could not be read: %v", err)
	}
}

// rows returns the rows of each variable with the dimension, and an index of the new labels. The
// index is nil if the dimension has no coordinate. If p is not nil, it plans the rows instead.
func (d *Dataset) rows(dim string, data []Data, p *plannedRows) ([]zarr.Rows, index, error) {
	if !slices.ContainsFunc(d.dims, func(x Dim) bool { return x.Name == dim }) {
		return nil, nil, fault.Newf(fault.Selection, "the dataset has no dimension %q; it has %v", dim, d.dims)
	}
	for name, err := range d.left {
		var known *leftOut
		if !errors.As(err, &known) || slices.Contains(known.dims, dim) {
			return nil, nil, fmt.Errorf("dataset %s: variable %q is left out, so the append would leave it shorter: %w", d.where(), name, err)
		}
	}
	var rows []zarr.Rows
	var labels index
	n, first := -1, ""
	for _, x := range data {
		if x.store == nil {
			return nil, nil, noData()
		}
		s, ok := d.vars[x.name]
		if !ok || !slices.Contains(s.dims, dim) {
			return nil, nil, fault.Newf(fault.Selection, "the dataset has no variable %q with the dimension %q", x.name, dim)
		}
		v := &Variable{d, x.name, s}
		c, err := x.store(v)
		if err != nil {
			return nil, nil, err
		}
		each := 1
		if s.chars {
			each = s.array.Shape()[len(s.dims)]
		}
		for i, name := range s.dims {
			if name != dim {
				each *= s.array.Shape()[i]
			}
		}
		if c.byRows {
			c.n = c.rows.N * each
		}
		switch {
		case c.byRows && each == 0:
			return nil, nil, fault.Newf(fault.Selection, "variable %s has no elements in a row", x.name)
		case each == 0 || c.n%each != 0:
			return nil, nil, fault.Newf(fault.Selection, "variable %s has %d values, want a multiple of %d", x.name, c.n, each)
		case n < 0:
			n, first = c.n/each, x.name
		case c.n != n*each:
			return nil, nil, fault.Newf(fault.Selection, "variable %s has %d values, want %d: the variable %s has %d rows, and a row of %s has %d values", x.name, c.n, n*each, first, n, x.name, each)
		}
		if s.indexes(dim) {
			labels = c.labels
		} else if p != nil {
			c.rows = p.rows(x.name, s.dims, dim, c.n/each)
		}
		rows = append(rows, c.rows)
	}
	for name, s := range d.vars {
		if slices.Contains(s.dims, dim) && !slices.ContainsFunc(data, func(x Data) bool { return x.name == name }) {
			return nil, nil, fault.Newf(fault.Selection, "variable %s has the dimension %q and no data", name, dim)
		}
	}
	return rows, labels, nil
}

// reopen opens the group from its own documents, without consolidated metadata.
func (d *Dataset) reopen(ctx context.Context) (*zarr.Group, error) {
	return zarr.OpenGroup(ctx, d.group.Store(), d.group.Path(), append(d.group.Options(), zarr.IgnoreConsolidated())...)
}

// settle waits until no append is in progress that contains the row at of a dimension. All arrays
// have this row, but while the claim of its append exists, another process may take over the append
// and replace the row. settle ends a claim that is older than over, as zarr.AppendOptions
// describes.
func (d *Dataset) settle(ctx context.Context, dim string, at int, end time.Time, over time.Duration) error {
	w := node.Waiting{Until: end, Over: node.TakeOver{May: over != 0, Age: over}}
	for {
		g, err := d.reopen(ctx)
		if err != nil {
			return err
		}
		doc := node.Of(g).Claimed()
		c, err := node.ClaimIn(doc)
		if err != nil || c.What != claim.Append || c.Dim != dim || c.From > at {
			return err
		}
		if over != 0 {
			if _, err := upkeep.DropClaim(ctx, g, max(0, over)); err == nil || !errors.Is(err, fault.Conflict) {
				return err
			}
		}
		left := time.Until(end)
		err = node.ClaimedBy(doc.Key, c, "%v contains the rows from %d on and has not ended", c, at)
		if left <= 0 {
			return err
		}
		w.Pause(ctx, err)
		if err := concurrency.Sleep(ctx, min(left, 50*time.Millisecond+rand.N(200*time.Millisecond))); err != nil {
			return err
		}
	}
}

// place returns the first row of the labels, and whether the coordinate of the dimension has them
// already. It returns an error if the labels may not be appended.
func (d *Dataset) place(dim string, labels index, o AppendOptions) (at int, has bool, err error) {
	at = d.dims[slices.IndexFunc(d.dims, func(x Dim) bool { return x.Name == dim })].Len
	old := d.index[dim]
	own, cause := d.coordinate(dim)
	if cause == nil {
		cause = d.refused[dim]
	}
	switch {
	case o.AnyOrder && !o.IfAbsent:
		return at, false, nil
	case cause != nil:
		return at, false, fmt.Errorf("dataset %s: coordinate of dimension %q: %w", d.where(), dim, cause)
	case o.IfAbsent && (own == nil || old == nil || labels == nil):
		return at, false, fault.Newf(fault.Selection, "dataset %s: IfAbsent needs an index coordinate of the dimension %q, which shows what is appended already", d.where(), dim)
	case old == nil || own == nil:
		return at, false, nil
	case labels == nil:
		return at, false, fault.Newf(fault.Selection, "dimension %q: the order of the labels in this data cannot be checked; AnyOrder appends them", dim)
	case labels.len() == 0:
		return at, false, nil
	}
	first, one, err := old.find(labels.label(0))
	found := err == nil
	if found && o.IfAbsent {
		for i := range labels.len() {
			if j := first.at(0) + i; !one || j >= old.len() || old.label(j) != labels.label(i) {
				return at, false, fault.Newf(fault.Conflict, "dimension %q has the label %v, and not the %d labels from it to %v in this order", dim, labels.label(0), labels.len(), labels.label(labels.len()-1))
			}
		}
		return first.at(0), true, nil
	}
	if o.AnyOrder && o.IfAbsent {
		for i := 1; i < labels.len(); i++ {
			if _, _, err := old.find(labels.label(i)); err == nil {
				return at, false, fault.Newf(fault.Conflict, "dimension %q has the label %v, and not the label %v", dim, labels.label(i), labels.label(0))
			}
		}
	}
	if o.AnyOrder {
		return at, false, nil
	}
	if found {
		return at, false, fault.Newf(fault.Exists, "dimension %q has the label %v already", dim, labels.label(0))
	}
	order := old.direction()
	if old.len() < 2 {
		order = labels.direction()
	}
	if !labels.sorted(order) || old.len() > 0 && !old.follows(labels.label(0), order) {
		last := any("none")
		if old.len() > 0 {
			last = old.label(old.len() - 1)
		}
		return at, false, fault.Newf(fault.Selection, "dimension %q: the labels %v to %v do not follow the last label %v in order", dim, labels.label(0), labels.label(labels.len()-1), last)
	}
	return at, false, nil
}

// Data contains the values to write to one variable.
type Data struct {
	name  string
	store func(v *Variable) (column, error)
}

// column contains the values of a Data in their stored form.
type column struct {
	rows   zarr.Rows
	n      int
	write  func(ctx context.Context, a *zarr.Array, sel ...zarr.Selection) error
	labels index // of an index coordinate
	byRows bool  // rows has the number of rows, and n is unknown
}

// noData returns the error for the zero Data.
func noData() error { return fault.Newf(fault.Selection, "the zero Data has no values") }

// Floats returns data for the variable with the given name. The values are encoded by the CF
// conventions (see cf.Encode): NaN becomes the missing value of the variable, and values of packed
// variables are scaled.
func Floats[T cf.Float](name string, values []T) Data {
	return Data{name, func(v *Variable) (column, error) {
		if err := v.encoded(); err != nil {
			return column{}, err
		}
		return goType(v.stored.array.DType()).encode(v, as[float64](values))
	}}
}

// Times returns data for the time coordinate with the given name. Each time must be an integer
// number of units after the reference time, unless the coordinate stores floating-point numbers.
func Times(name string, values []cf.Time) Data {
	return Data{name, func(v *Variable) (column, error) { return v.times(values) }}
}

// times returns the column of encoded times.
func (v *Variable) times(values []cf.Time) (column, error) {
	if err := v.encoded(); err != nil {
		return column{}, err
	}
	return goType(v.stored.array.DType()).encodeTimes(v, values)
}

// StdTimes is like [Times] for values of package time. The error of a write is fault.Type for a
// date that does not exist in the calendar of the coordinate.
func StdTimes(name string, values []time.Time) Data {
	return Data{name, func(v *Variable) (column, error) {
		if v.stored.coding == nil {
			return column{}, v.noNumbers()
		}
		u, ok := v.stored.coding.Units()
		if !ok {
			return column{}, fault.Newf(fault.Type, "variable %s has no time units", v.name)
		}
		converted := make([]cf.Time, len(values))
		for i, t := range values {
			var err error
			if converted[i], err = cf.NewTime(u.Calendar(), cf.TimeOf(t).Date()); err != nil {
				return column{}, err
			}
		}
		return v.times(converted)
	}}
}

// Stored returns data for the variable with the given name. The values are in their stored form,
// and T is the Go type of the variable's data type.
func Stored[T any](name string, values []T) Data {
	return Data{name, func(v *Variable) (column, error) {
		c := column{rows: zarr.RowsOf(v.name, values), n: len(values)}
		c.write = func(ctx context.Context, a *zarr.Array, sel ...zarr.Selection) error {
			return zarr.Write(ctx, a, values, sel...)
		}
		if !v.stored.indexes(v.name) {
			return c, nil
		}
		var err error
		c.labels, err = v.labels(any(values))
		return c, err
	}}
}

// labels returns an index of the labels that the stored values represent. It returns nil if it
// cannot compare them.
func (v *Variable) labels(values any) (index, error) {
	t := v.stored.array.DType()
	switch keys := values.(type) {
	case []string:
		if v.isText() {
			return texts(v.name, keys), nil
		}
	case []bool:
		return truths(v.name, keys), nil
	case []dtype.F16:
		f := make([]float32, len(keys))
		for i, h := range keys {
			f[i] = h.Float32()
		}
		values = f
	case []dtype.Instant:
		if t, ok := t.(dtype.DateTime); ok {
			at, err := v.instantsOf(t, keys)
			return times(v.name, at, nil), err
		}
	case []dtype.Span:
		if t, ok := t.(dtype.TimeDelta); ok {
			return v.spansOf(t, keys)
		}
	}
	if _, fixed := t.(dtype.S); fixed {
		return texts(v.name, fixedTexts(values)), nil
	}
	if v.stored.coding == nil {
		return nil, nil
	}
	n, ok := goType(v.stored.array.DType()).hold(v, values)
	if !ok {
		return nil, fault.Newf(fault.Type, "variable %s: values must be %v, are %T", v.name, v.stored.array.DType().Go(), values)
	}
	return v.indexOf(n)
}

// fixedTexts returns the texts in a slice of arrays of bytes, without the zero bytes at their ends.
func fixedTexts(values any) []string {
	s := reflect.ValueOf(values)
	out := make([]string, s.Len())
	for i := range out {
		text := make([]byte, s.Index(i).Len())
		for j := range text {
			text[j] = byte(s.Index(i).Index(j).Uint())
		}
		out[i] = string(bytes.TrimRight(text, "\x00"))
	}
	return out
}

// encoded returns an error if the values of the variable cannot be encoded.
func (v *Variable) encoded() error {
	if v.stored.coding == nil {
		return v.noNumbers()
	}
	return nil
}
