package dataset

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/internal/compute"
	"github.com/zargo-io/zargo/internal/copying/copyspec"
	"github.com/zargo-io/zargo/internal/walk"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// reduce adds the tasks of a variable that has reduced dimensions.
func (x *reducing) reduce(v *Variable, op Op, w *weights) error {
	if err := v.bounded(); err != nil {
		return err
	}
	c := compute.Reduction{
		Array: v.Array(), Coding: v.stored.coding, Op: compute.Op(op), KeepMissing: x.r.KeepMissing, Memory: x.o.Memory, Least: int64(x.r.MinCount),
		Select: func(b walk.Box) []zarr.Selection { return v.in(b, v.Dims()).Selection() },
	}
	var dims []string
	rolled := 1
	for _, dim := range v.Dims() {
		c.Axes = append(c.Axes, v.objectAxis(dim))
		switch g := x.by[dim.Name]; {
		case x.over[dim.Name]:
			c.Groups = append(c.Groups, compute.All())
		case g != nil:
			c.Groups, dims = append(c.Groups, g.Group), append(dims, g.name())
			if g.roll {
				rolled *= g.length
			}
		default:
			c.Groups, dims = append(c.Groups, nil), append(dims, dim.Name)
		}
	}
	if x.r.MinCount == 0 && rolled > 1 {
		c.Least = int64(rolled)
	}
	if w != nil {
		var err error
		if c.Strides, err = w.strides(v); err != nil {
			return err
		}
		c.Weights = w.values
	}
	p, err := c.Plan()
	if err != nil {
		return err
	}
	s := VarSpec{Name: v.name, Coord: v.stored.coord && !v.stored.indexes(v.name), Spec: zarr.Spec{Shape: p.Shape, Chunks: p.Chunks, DType: p.Type, Dims: dims, Attrs: x.attributes(v, op, p)}}
	if s.Missing, err = missingOf(p); err != nil {
		return err
	}
	x.vars = append(x.vars, s)
	for task := range p.Tasks() {
		x.tasks = append(x.tasks, reduceTask{v.name, func(ctx context.Context, to *zarr.Array) error {
			return p.Run(ctx, task, func(at, shape []int, elems []byte) error {
				return to.WriteBytes(ctx, elems, zarr.Region{Start: at, Shape: shape}.Select()...)
			})
		}})
	}
	return x.uses(v)
}

// missingOf returns the value of missing results, or nil if no result is missing.
func missingOf(p *compute.Plan) (any, error) {
	switch {
	case p.Missing == nil:
		return nil, nil
	case p.Float:
		return math.NaN(), nil
	}
	text, err := p.Type.FormatFill(p.Missing, 3) // an integer
	if err != nil {
		return nil, err
	}
	if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
		return n, nil
	}
	return strconv.ParseUint(string(text), 10, 64)
}

// name returns the name of the dimension of the groups.
func (g *grouped) name() string {
	if g.period.recurs() {
		return g.period.coordinate(g.dim)
	}
	return g.dim
}

// largeObject is the size of a shard above which its inner chunks are read separately.
const largeObject = 64 << 20

// objectAxis returns the axis of a dimension, divided into stored objects.
func (v *Variable) objectAxis(d Dim) walk.Axis {
	x := v.blockAxis(d)
	k, _, ok := v.Axis(d.Name)
	a := v.stored.array
	if !ok || !a.Sharded() || walk.Object(a, make([]int, len(a.Shape()))).Bytes(v.elementBytes()) > largeObject {
		return x
	}
	objects := walk.Objects(a, k)
	x.Chunk, x.Length = objects.Chunk, objects.Length
	return x
}

// coded are the attributes that describe stored values, which results do not have.
var coded = []string{"_FillValue", "missing_value", "scale_factor", "add_offset", "_Unsigned", "valid_min", "valid_max", "valid_range", "dtype"}

// attributes returns the attributes of a reduced variable.
func (x *reducing) attributes(v *Variable, op Op, p *compute.Plan) map[string]any {
	attrs := clone(v.stored.attrs)
	if attrs == nil {
		attrs = map[string]any{}
	}
	for _, name := range coded {
		if p.Type != v.Array().DType() || name == "_FillValue" || name == "missing_value" {
			delete(attrs, name)
		}
	}
	delete(attrs, "bounds")
	delete(attrs, "climatology")
	if op == Count {
		delete(attrs, "standard_name")
		delete(attrs, "calendar")
		attrs["units"] = "1"
	}
	x.methods(attrs, v, op)
	return attrs
}

// methods adds the operation to the attribute cell_methods (CF conventions, section 7.3).
func (x *reducing) methods(attrs map[string]any, v *Variable, op Op) {
	name := map[Op]string{Mean: "mean", Sum: "sum", Min: "minimum", Max: "maximum", Std: "standard_deviation"}[op]
	if name == "" || v.stored.coord {
		return
	}
	var over, cycles []string
	for _, d := range v.Dims() {
		switch g := x.by[d.Name]; {
		case g != nil && g.period.recurs():
			cycles = append(cycles, fmt.Sprintf("%s: %s within years %s: %s over years", d.Name, name, d.Name, name))
		case g != nil || x.over[d.Name]:
			over = append(over, d.Name+":")
		}
	}
	var text []string
	if was, ok := attrs["cell_methods"].(string); ok && was != "" {
		text = append(text, was)
	}
	if len(over) > 0 {
		text = append(text, strings.Join(over, " ")+" "+name)
	}
	attrs["cell_methods"] = strings.Join(append(text, cycles...), " ")
}

// copy adds the tasks of a variable that has no reduced dimension.
func (x *reducing) copy(_ context.Context, v *Variable) error {
	a, shape := v.Array(), v.Shape()
	var dims []string
	for _, d := range v.Dims() {
		dims = append(dims, d.Name)
	}
	if v.stored.chars {
		all := a.Shape()
		shape, dims = append(shape, all[len(all)-1]), append(dims, fmt.Sprintf("string%d", all[len(all)-1]))
	}
	o := copyspec.Options{Format: x.o.Format}
	if len(shape) != len(a.Shape()) {
		o.Grid = func(*zarr.Array) (chunks, shards []int, err error) { return shape, nil, nil }
	}
	spec, err := o.Of(a, shape)
	if err != nil {
		return err
	}
	spec.Dims, spec.Attrs = dims, clone(v.stored.attrs)
	x.vars = append(x.vars, VarSpec{Name: v.name, Coord: v.stored.coord && !v.stored.indexes(v.name), Spec: spec})
	axes := make([]walk.Axis, len(shape))
	for k, n := range shape {
		axes[k] = walk.Axis{Count: n, Position: func(i int) int { return i }}.Even(max(copyChunk(spec, k), 1))
	}
	for b := range walk.Tiles(axes, copied, math.MaxInt) {
		x.tasks = append(x.tasks, reduceTask{v.name, func(ctx context.Context, to *zarr.Array) error {
			own := b
			if v.stored.chars {
				own = walk.Box{At: b.At[:len(b.At)-1], Shape: b.Shape[:len(b.Shape)-1]}
			}
			from := v.in(own, v.Dims()).Selection()
			if a.DType().Size() == 0 {
				items, err := a.ReadItems(ctx, from...)
				if err != nil {
					return err
				}
				return to.WriteItems(ctx, items, zarr.Region{Start: b.At, Shape: b.Shape}.Select()...)
			}
			elems := make([]byte, b.Len()*a.DType().Size())
			if err := a.ReadBytes(ctx, elems, from...); err != nil {
				return err
			}
			return to.WriteBytes(ctx, elems, zarr.Region{Start: b.At, Shape: b.Shape}.Select()...)
		}})
	}
	return x.uses(v)
}

// copied is the approximate number of elements that a task copies.
const copied = 1 << 20

// copyChunk returns the length of the objects of a copy along an axis.
func copyChunk(s zarr.Spec, k int) int {
	switch {
	case s.Shards != nil:
		return s.Shards[k]
	case s.Chunks != nil:
		return s.Chunks[k]
	}
	return s.Shape[k]
}

// coordinate adds the tasks of a coordinate.
func (x *reducing) coordinate(ctx context.Context, v *Variable) error {
	coarse, same := false, true
	for _, d := range v.Dims() {
		g := x.by[d.Name]
		switch {
		case x.over[d.Name], g != nil && g.period != 0:
			if !v.stored.indexes(v.name) {
				x.left = append(x.left, fmt.Sprintf("coordinate %s is left out, because the dimension %s is reduced", v.name, d.Name))
			}
			return nil
		case g != nil && !g.roll:
			coarse, same = true, false
		}
	}
	switch {
	case same:
		return x.copy(ctx, v)
	case coarse && v.stored.coding != nil:
		mean := *x
		mean.r = Reduction{Op: Mean}
		mean.vars, mean.tasks = nil, nil
		if err := mean.reduce(v, Mean, nil); err != nil {
			return err
		}
		x.vars, x.tasks = append(x.vars, mean.vars...), append(x.tasks, mean.tasks...)
		return nil
	}
	x.left = append(x.left, fmt.Sprintf("coordinate %s is left out, because it has no means", v.name))
	return nil
}

// periods adds the coordinate of the groups of a period.
func (x *reducing) periods(g *grouped) error {
	if g.period.recurs() {
		return x.cycle(g)
	}
	source, ok := x.d.vars[g.dim]
	if !ok {
		return fault.Newf(fault.NotFound, "dimension %q has no coordinate", g.dim)
	}
	n := len(g.labels)
	first, bounds := make([]cf.Time, n), make([]cf.Time, 2*n)
	for i, l := range g.labels {
		first[i], bounds[2*i], bounds[2*i+1] = l.first, l.first, l.end
	}
	attrs := map[string]any{}
	maps.Copy(attrs, source.attrs)
	for _, name := range coded {
		delete(attrs, name)
	}
	attrs["calendar"] = bounds[0].Calendar().String()
	values, units, err := encoded(attrs, bounds)
	if err != nil {
		return err
	}
	attrs["units"], attrs["bounds"] = units, g.dim+"_bnds"
	delete(attrs, "climatology")
	starts := make([]int64, n)
	for i := range starts {
		starts[i] = values[2*i]
	}
	x.small(g.dim, []string{g.dim}, []int{n}, dtype.Int64, attrs, func(ctx context.Context, to *zarr.Array) error { return zarr.Write(ctx, to, starts) })
	x.small(g.dim+"_bnds", []string{g.dim, "bnds"}, []int{n, 2}, dtype.Int64, map[string]any{}, func(ctx context.Context, to *zarr.Array) error { return zarr.Write(ctx, to, values) })
	return x.uses(&Variable{x.d, g.dim, source})
}

// encoded returns times as integers in the units of the attributes, or in seconds, or nanoseconds.
func encoded(attrs map[string]any, times []cf.Time) (values []int64, units string, err error) {
	own, _ := attrs["units"].(string)
	values = make([]int64, len(times))
	for _, units := range []string{own, "seconds since 1970-01-01", "nanoseconds since 1970-01-01"} {
		if !cf.IsTimeUnits(units) {
			continue
		}
		var c *cf.Coding
		c, err = cf.New(cf.Variable{Name: "time", Type: dtype.Int64, Attrs: map[string]any{"units": units, "calendar": attrs["calendar"]}}, cf.Options{})
		if err == nil {
			err = cf.EncodeTimes(c, values, times)
		}
		if err == nil {
			return values, units, nil
		}
	}
	return nil, "", err
}

// cycle adds the coordinate of the groups of a recurring period.
func (x *reducing) cycle(g *grouped) error {
	name, n := g.name(), len(g.labels)
	if _, taken := x.d.vars[name]; taken {
		return fault.Newf(fault.Exists, "the dataset has a variable %q, which is the name of the coordinate of the groups", name)
	}
	if g.period == SeasonOfYear {
		names := make([]string, n)
		for i, l := range g.labels {
			names[i] = l.name
		}
		x.small(name, []string{name}, []int{n}, dtype.String, map[string]any{}, func(ctx context.Context, to *zarr.Array) error { return zarr.Write(ctx, to, names) })
		return nil
	}
	numbers := make([]int64, n)
	for i, l := range g.labels {
		numbers[i] = int64(l.number)
	}
	x.small(name, []string{name}, []int{n}, dtype.Int64, map[string]any{}, func(ctx context.Context, to *zarr.Array) error { return zarr.Write(ctx, to, numbers) })
	return nil
}

// small adds a variable of one chunk.
func (x *reducing) small(name string, dims []string, shape []int, t dtype.Type, attrs map[string]any, write func(context.Context, *zarr.Array) error) {
	chunks := slices.Clone(shape)
	for k := range chunks {
		chunks[k] = max(chunks[k], 1)
	}
	x.vars = append(x.vars, VarSpec{Name: name, Spec: zarr.Spec{Shape: shape, Chunks: chunks, DType: t, Dims: dims, Attrs: attrs}})
	x.tasks = append(x.tasks, reduceTask{name, write})
}

// weights are the weights of elements.
type weights struct {
	name   string
	dims   []Dim
	values []float64
}

func (x *reducing) weights(ctx context.Context) (*weights, error) {
	name := x.r.Weights
	if name == "" {
		return nil, nil
	}
	of, cosine := strings.CutPrefix(name, "cos(")
	if cosine {
		of = strings.TrimSuffix(of, ")")
	}
	v, err := x.d.Var(of)
	if err != nil {
		return nil, err
	}
	w := &weights{name: name, dims: v.Dims()}
	if w.values, err = Read[float64](ctx, v); err != nil {
		return nil, err
	}
	for i, f := range w.values {
		if f != f {
			return nil, fault.Newf(fault.Selection, "the weights %s have missing values", name)
		}
		if cosine {
			w.values[i] = math.Cos(f * math.Pi / 180)
		}
	}
	return w, x.uses(v)
}

// strides returns the distances of the weights along the dimensions of a variable.
func (w *weights) strides(v *Variable) ([]int, error) {
	strides, dims, n := make([]int, len(v.Dims())), v.Dims(), 1
	for _, d := range slices.Backward(w.dims) {
		k := slices.Index(dims, d)
		if k < 0 {
			return nil, fault.Newf(fault.Selection, "variable %s does not have the dimension %s of the weights %s", v.name, d.Name, w.name)
		}
		strides[k] = n
		n *= d.Len
	}
	return strides, nil
}
