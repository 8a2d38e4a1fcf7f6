package arrow

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// pending contains the rows of variables with the same dimensions and the same objects (chunks or
// shards), until their objects are written.
type pending struct {
	dims    []dataset.Dim // of the variables, in order
	axes    []objectAxis
	vars    []target
	objects map[int64]*object
	clean   bool // attributes that the rows make untrue are dropped
}

// target is a variable that is written.
type target struct {
	name     string
	column   int               // among the columns that are read
	encoders map[class]encoder // of the columns of the tables
	v        *dataset.Variable
}

// objectAxis divides an axis of the variables into objects.
type objectAxis struct {
	label   int     // number of the label column
	objects int     // along the axis
	places  []place // of the numbered labels
}

// place is the position of a label: an object along the axis, the offset in it, and its length.
type place struct{ object, offset, length int }

// object is the rows of one object of the variables.
type object struct {
	at, shape []int
	length    int64   // elements
	offsets   []int64 // of the rows, in C order of the object
	columns   []held  // of the variables
	size      int64   // bytes of the rows
	seen      []uint64
	count     int64 // rows with different labels so far
	last      int64 // the last row
	id        int64
	queued    bool // in finished
}

// plan groups the variables of the import by their objects. at has the positions of the labels.
func (j *job) plan(d *dataset.Dataset, at [][]int) (groups []*pending, err error) {
	for i, name := range j.vars {
		v, err := d.Var(name)
		if err != nil {
			return nil, err
		}
		if !sameSet(j.o.Labels, dimsOf(v)) {
			return nil, fault.Newf(fault.Selection, "variable %s has the dimensions %v, and the labels are %q", name, v.Dims(), j.o.Labels)
		}
		t := target{name, len(j.labels) + i, map[class]encoder{}, v}
		for _, s := range j.from {
			c, _ := classOf(s.Schema().Field(s.Schema().FieldIndices(name)[0]).Type)
			if t.encoders[c], _, _, err = encoderOf(v, c); err != nil {
				return nil, err
			}
		}
		var axes []objectAxis
		all := int64(1)
		for k, dim := range v.Dims() {
			x := objectAxis{slices.Index(j.o.Labels, dim.Name), v.Array().GridShape()[k], nil}
			for _, p := range at[x.label] {
				object, start, length := v.Array().ChunkAt(k, p)
				x.places = append(x.places, place{object, p - start, min(length, dim.Len-start)})
			}
			if all > math.MaxInt64/int64(max(x.objects, 1)) {
				return nil, fault.Newf(fault.Limit, "variable %s has more than 2⁶³ chunks", name)
			}
			all *= int64(x.objects)
			axes = append(axes, x)
		}
		same := func(g *pending) bool {
			return slices.EqualFunc(g.axes, axes, func(a, b objectAxis) bool {
				return a.label == b.label && a.objects == b.objects && slices.Equal(a.places, b.places)
			})
		}
		if k := slices.IndexFunc(groups, same); k >= 0 {
			groups[k].vars = append(groups[k].vars, t)
		} else {
			groups = append(groups, &pending{dims: v.Dims(), axes: axes, vars: []target{t}, objects: map[int64]*object{}})
		}
	}
	return groups, nil
}

// object returns the number of the object of a row and the offset of the row in it.
func (g *pending) object(code func(label int) int32) (id, offset int64) {
	for _, x := range g.axes {
		p := x.places[code(x.label)]
		id = id*int64(x.objects) + int64(p.object)
		offset = offset*int64(p.length) + int64(p.offset)
	}
	return id, offset
}

// open returns the object with a number.
func (w *rowWriter) open(g *pending, id int64, columns []held) (*object, error) {
	x := g.objects[id]
	if x != nil {
		return x, nil
	}
	x = &object{id: id, at: make([]int, len(g.axes)), shape: make([]int, len(g.axes)), length: 1}
	rest := id
	for k := len(g.axes) - 1; k >= 0; k-- {
		objects := int64(g.axes[k].objects)
		start, length := g.vars[0].v.Array().Edge(k, int(rest%objects))
		rest /= objects
		x.at[k], x.shape[k] = start, min(length, g.dims[k].Len-start)
		if int64(x.shape[k]) > maxLength/x.length {
			return nil, fault.Newf(fault.Limit, "variable %s has chunks of more than 2⁴⁰ elements", g.vars[0].name)
		}
		x.length *= int64(x.shape[k])
	}
	for _, c := range columns {
		x.columns = append(x.columns, c.none())
	}
	g.objects[id] = x
	return x, w.keep(objectBytes)
}

// maxLength is the maximum number of elements of an object.
const maxLength = 1 << 40

// keep notes that n more bytes are needed to find rows with the same labels.
func (w *rowWriter) keep(n int64) error {
	most := max(w.most/2, 1<<20)
	if w.kept += n; w.kept > most {
		return fault.Newf(fault.Limit, "finding rows with the same labels needs more than %d bytes: sort the rows by their labels, or set LastWins or more Memory", most)
	}
	return nil
}

// rowWriter writes the rows of an import in the order of their objects.
type rowWriter struct {
	j        *job
	d        *dataset.Dataset
	groups   []*pending
	most     int64 // bytes
	rows     int64 // bytes of rows that are not written
	kept     int64 // bytes of notes about objects
	last     int64 // the last row
	finished []finished
}

// finished is an object whose rows can be written.
type finished struct {
	group *pending
	*object
}

// write writes the rows of all tables.
func (j *job) write(ctx context.Context, d *dataset.Dataset) error {
	w := &rowWriter{j: j, d: d, most: j.o.Memory}
	at, err := make([][]int, len(j.labels)), error(nil)
	for k, x := range j.labels {
		if at[k], err = x.positions(d, dimOf(d, x.name)); err != nil {
			return err
		}
		if i := slices.Index(at[k], -1); i >= 0 {
			return fault.Newf(fault.Conflict, "dimension %s has lost the label %v", x.name, x.keys[i])
		}
	}
	if w.groups, err = j.plan(d, at); err != nil || len(w.groups) == 0 {
		return err
	}
	budget := w.groups[0].vars[0].v.Array().Limits().Shared.Bytes
	if w.most <= 0 {
		w.most = min(budget.Size()/4, 256<<20)
	}
	hold, err := budget.Acquire(ctx, concurrency.Block, w.most)
	if err != nil {
		return err
	}
	defer hold.Release()
	err = j.each(ctx, slices.Concat(j.o.Labels, j.vars), w.add, func() error { return w.settle(ctx) })
	if err != nil {
		return err
	}
	return w.flush(ctx, 0)
}

// add adds the rows of a batch.
func (w *rowWriter) add(row int64, batch []vector) error {
	codes := make([][]int32, len(w.j.labels))
	for k, x := range w.j.labels {
		known := len(x.keys)
		var err error
		if codes[k], err = x.number(batch[k], row); err != nil {
			return err
		}
		if len(x.keys) > known {
			return fault.Newf(fault.Conflict, "row %d: the table has changed: column %s has the new label %v", x.rows[known], x.name, x.keys[known])
		}
	}
	n := batch[0].Len()
	for _, g := range w.groups {
		columns, bytes := make([]held, len(g.vars)), int64(8)*int64(n)
		for i, t := range g.vars {
			var err error
			if columns[i], err = t.encode(batch[t.column], row); err != nil {
				return err
			}
			bytes += columns[i].bytes()
		}
		rows, offsets := map[int64][]int32{}, make([]int64, n)
		var order []int64
		for i := range n {
			id, offset := g.object(func(label int) int32 { return codes[label][i] })
			if rows[id] == nil {
				order = append(order, id)
			}
			rows[id], offsets[i] = append(rows[id], int32(i)), offset //nolint:gosec // rows of a batch
		}
		for _, id := range order {
			x, err := w.open(g, id, columns)
			if err != nil {
				return fmt.Errorf("row %d: %w", row, err)
			}
			for _, i := range rows[id] {
				again, err := w.note(x, offsets[i])
				if err != nil {
					return fmt.Errorf("row %d: %w", row+int64(i), err)
				}
				if again && !w.j.o.LastWins {
					return w.twice(row+int64(i), codes, int(i))
				}
				x.offsets = append(x.offsets, offsets[i])
			}
			for k, c := range columns {
				x.columns[k].take(c, rows[id])
			}
			size := bytes * int64(len(rows[id])) / int64(n)
			x.size, w.rows, x.last = x.size+size, w.rows+size, row+int64(rows[id][len(rows[id])-1])
			if x.count == x.length {
				w.finish(g, x)
			}
		}
	}
	w.last = row + int64(n) - 1
	return nil
}

// settle writes complete objects, and others if the memory is full.
func (w *rowWriter) settle(ctx context.Context) error {
	left := w.most / 2
	if w.rows > left {
		left = w.most / 4
	}
	if err := w.flush(ctx, left); err != nil {
		return err
	}
	if w.j.o.Progress != nil {
		w.j.o.Progress(w.last)
	}
	return nil
}

// encode encodes the rows of a batch. The error contains the number of the row.
func (t target) encode(x vector, row int64) (held, error) {
	encode := t.encoders[x.class]
	all, err := encode(x)
	if err == nil {
		return all, nil
	}
	for i := range x.Len() {
		one := array.NewSlice(x.Array, int64(i), int64(i)+1)
		y, err := vectorOf(one)
		if err == nil {
			_, err = encode(y)
			y.Release()
		}
		if one.Release(); err != nil {
			return nil, fmt.Errorf("row %d, column %q: %w", row+int64(i), t.name, err)
		}
	}
	return nil, err
}

// note notes a row of an object, and reports whether there was one with the same labels.
func (w *rowWriter) note(x *object, offset int64) (again bool, err error) {
	if x.seen == nil {
		if x.count == x.length {
			return true, nil
		}
		words := (x.length + 63) / 64
		if err := w.keep(words * 8); err != nil {
			return false, err
		}
		x.seen = make([]uint64, words)
	}
	bit := uint64(1) << (offset % 64)
	if x.seen[offset/64]&bit != 0 {
		return true, nil
	}
	x.seen[offset/64] |= bit
	x.count++
	return false, nil
}

// twice returns the error for a row whose labels another row has.
func (w *rowWriter) twice(row int64, codes [][]int32, i int) error {
	text := ""
	for k, x := range w.j.labels {
		text += fmt.Sprintf(" %s=%v", x.name, x.keys[codes[k][i]])
	}
	return fault.Newf(fault.Exists, "row %d: another row has the labels%s too", row, text)
}

// finish notes that an object is to be written.
func (w *rowWriter) finish(g *pending, x *object) {
	if len(x.offsets) > 0 && !x.queued {
		w.finished, x.queued = append(w.finished, finished{g, x}), true
	}
}

// flush writes the complete objects, and then those whose last row is the oldest, until at most
// left bytes of rows are not written.
func (w *rowWriter) flush(ctx context.Context, left int64) error {
	after := w.rows
	for _, f := range w.finished {
		after -= f.size
	}
	if after > left {
		var all []finished
		for _, g := range w.groups {
			for _, x := range g.objects {
				if len(x.offsets) > 0 && x.count < x.length {
					all = append(all, finished{g, x})
				}
			}
		}
		slices.SortFunc(all, func(a, b finished) int { return cmp.Compare(a.last, b.last) })
		for _, f := range all {
			if after > left {
				w.finish(f.group, f.object)
				after -= f.size
			}
		}
	}
	out := w.finished
	w.finished = nil
	rest := out[:0:0]
	for _, f := range out { // one object of each group is written first, which drops attributes
		if f.group.clean {
			rest = append(rest, f)
			continue
		}
		next, err := w.store(ctx, f)
		if err == nil && next != w.d.Group() {
			w.d, err = dataset.OpenGroup(ctx, next, dataset.Options{Indexes: []string{}}) // at holds the positions
		}
		if err != nil {
			return err
		}
		f.group.clean = true
	}
	err := concurrency.EachN(ctx, writers, len(rest), func(ctx context.Context, i int) error {
		_, err := w.store(ctx, rest[i])
		return err
	})
	for _, f := range out {
		w.forget(f)
	}
	return err
}

// forget releases the rows of an object that are written. Only the fact that they are written is
// kept, to find other rows with the same labels.
func (w *rowWriter) forget(f finished) {
	w.rows -= f.size
	f.size, f.offsets, f.queued = 0, nil, false
	for i, c := range f.columns {
		f.columns[i] = c.none()
	}
	if full := f.count == f.length; full || w.j.o.LastWins {
		w.kept -= objectBytes + int64(len(f.seen))*8
		delete(f.group.objects, f.id)
		if !w.j.o.LastWins {
			f.group.objects[f.id] = complete
			w.kept += 64
		}
	}
}

// complete stands for an object that has all rows.
var complete = &object{count: 1, length: 1}

// objectBytes is the memory of an object without its rows.
const objectBytes = 256

// writers is the number of objects that are written concurrently.
const writers = 4

// pointBytes is the memory of the positions of a row while it is written to a partial object.
const pointBytes = 200

// store writes the rows of an object, and returns the group with its new attributes.
func (w *rowWriter) store(ctx context.Context, f finished) (*zarr.Group, error) {
	order := make([]int32, len(f.offsets))
	for i := range order {
		order[i] = int32(i) //nolint:gosec // within the memory of an import
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(f.offsets[a], f.offsets[b]) })
	last := order[:0] // of the rows with the same labels
	for i, k := range order {
		if i+1 == len(order) || f.offsets[order[i+1]] != f.offsets[k] {
			last = append(last, k)
		}
	}
	whole, g := int64(len(last)) == f.length, w.d.Group()
	for len(last) > 0 {
		n := len(last)
		if !whole {
			n = min(n, int(max(w.most/(4*writers*pointBytes), 1<<12)))
		}
		d, err := f.part(w.d, last[:n], whole)
		if err != nil {
			return nil, err
		}
		data := make([]dataset.Data, len(f.columns))
		for i, c := range f.columns {
			data[i] = c.data(last[:n])
		}
		if d, err = d.Write(ctx, data...); err != nil {
			return nil, err
		}
		g, last = d.Group(), last[n:]
	}
	return g, nil
}

// part returns the elements of rows of an object.
func (f finished) part(d *dataset.Dataset, rows []int32, whole bool) (*dataset.Dataset, error) {
	q := make([]dataset.Query, len(f.at))
	if whole {
		for k, dim := range f.group.dims {
			q[k] = dataset.Slice(dim.Name, f.at[k], f.at[k]+f.shape[k])
		}
		return d.Sel(q...)
	}
	lists := make([][]int, len(f.at))
	for k := range lists {
		lists[k] = make([]int, len(rows))
	}
	for i, r := range rows {
		rest := f.offsets[r]
		for k := len(lists) - 1; k >= 0; k-- {
			lists[k][i] = f.at[k] + int(rest%int64(f.shape[k]))
			rest /= int64(f.shape[k])
		}
	}
	for k, dim := range f.group.dims {
		q[k] = dataset.At(dim.Name, lists[k])
	}
	return d.Sel(dataset.Pointwise("zargo rows", q...))
}
