package pyramid

import (
	"context"
	"errors"
	"maps"
	"path"
	"runtime"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/attributes/convention"
	"github.com/zargo-io/zargo/internal/attributes/derived"
	"github.com/zargo-io/zargo/internal/chunk/keys"
	"github.com/zargo-io/zargo/internal/walk"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// references contains the attributes whose texts name variables of the same group (CF conventions).
var references = [...]string{"grid_mapping", "coordinates", "ancillary_variables", "cell_measures", "formula_terms", "bounds", "climatology"}

// nodeIn is an array in the group of the source, and the factors of its axes.
type nodeIn struct {
	array  *zarr.Array
	factor []int
	bounds bool // the array has the bounds of the cells of a coordinate
}

// related is the group of the source and the variables that the attributes of the source refer to,
// directly or through another variable.
type related struct {
	group map[string]any // attributes
	vars  map[string]nodeIn
}

// inGroups reports whether each level has a group of its own.
func (b *builder) inGroups() bool {
	dir, _ := split(b.layout.path(1))
	return dir != b.layout.group
}

// relatives opens the variables that the attributes of the source refer to.
func (b *builder) relatives(ctx context.Context) (related, error) {
	dir, name := split(b.source.Path())
	r := related{vars: map[string]nodeIn{name: {array: b.source, factor: b.factor}}}
	opts := append(slices.Clone(b.opts), zarr.IgnoreConsolidated())
	g, err := zarr.OpenGroup(ctx, b.st, dir, opts...)
	switch {
	case err == nil:
		r.group = g.Attrs()
		if dir == b.layout.group {
			b.group0 = g
		}
	case !errors.Is(err, fault.NotFound):
		return r, err
	}
	factors := map[string]int{}
	for d, dim := range b.source.Dims() {
		factors[dim] = b.factor[d]
	}
	wanted := append(slices.Clone(b.source.Dims()), named(b.source.Attrs())...)
	if b.source.Attrs()["grid_mapping"] == nil {
		wanted = append(wanted, "spatial_ref") // the default of rioxarray
	}
	for len(wanted) > 0 {
		next := wanted[0]
		wanted = wanted[1:]
		if _, ok := r.vars[next]; ok || next == "" || strings.Contains(next, "/") || len(r.vars) > maxRelated {
			continue
		}
		a, err := zarr.OpenArray(ctx, b.st, join(dir, next), opts...)
		switch {
		case errors.Is(err, fault.NotFound), errors.As(err, new(*zarr.MetaError)):
			continue // the reference is dropped
		case err != nil:
			return r, err
		}
		v := nodeIn{array: a, factor: make([]int, len(a.Shape()))}
		dims, fits := a.Dims(), true
		for d, n := range a.Shape() {
			v.factor[d] = 1
			if d >= len(dims) || factors[dims[d]] == 0 {
				continue
			}
			v.factor[d] = factors[dims[d]]
			fits = fits && n == b.source.Shape()[slices.Index(b.source.Dims(), dims[d])]
		}
		if !fits {
			continue // another array has a dimension of this name
		}
		r.vars[next] = v
		wanted = append(wanted, named(a.Attrs())...)
	}
	for _, v := range r.vars {
		for _, attr := range []string{"bounds", "climatology"} {
			text, _ := v.array.Attrs()[attr].(string)
			if x, ok := r.vars[text]; ok {
				x.bounds = true
				r.vars[text] = x
			}
		}
	}
	return r, nil
}

// maxRelated bounds the variables of a level.
const maxRelated = 256

// named returns the names of variables in attributes. The forms "name: variable" and "variable:
// coordinate" of grid_mapping, cell_measures and formula_terms contain variables on both sides.
func named(attrs map[string]any) (list []string) {
	for _, attr := range references {
		text, _ := attrs[attr].(string)
		for _, w := range strings.Fields(text) {
			list = append(list, strings.TrimSuffix(w, ":"))
		}
	}
	return list
}

// indexes reports whether a variable is the index coordinate of a dimension.
func indexes(name string, a *zarr.Array) bool {
	return len(a.Shape()) == 1 && slices.Equal(a.Dims(), []string{name})
}

// computable reports whether Build computes a variable of a level from that of the previous one.
// The sizes of the elements of strings vary, so only those without reduced dimensions are copied.
func (v nodeIn) computable() bool {
	a, reduced := v.array, slices.ContainsFunc(v.factor, func(f int) bool { return f > 1 })
	small := walk.Bytes(a.Shape(), int64(max(a.DType().Size(), 8))) <= maxCoordinate
	switch {
	case a.Chunks() == nil:
		return false
	case v.bounds && reduced:
		return len(v.factor) == 2 && v.factor[1] == 1 && a.Shape()[1] == 2 && small && a.DType().Size() > 0
	case a.DType().Size() == 0:
		return !reduced && len(a.Shape()) <= 1 && small
	}
	return true
}

// attrsOf returns the attributes of the nodes of a level by the names of the nodes. The name of the
// group is "".
func (b *builder) attrsOf(level int) map[string]map[string]any {
	_, name := split(b.source.Path())
	nodes := []derived.Node{{Path: "", Attrs: maps.Clone(b.related.group)}}
	coordinates := b.coordinates()
	for at, v := range b.related.vars {
		n := derived.Node{Path: at, Array: true, Attrs: maps.Clone(v.array.Attrs())}
		dims := v.array.Dims()
		for d, was := range v.array.Shape() {
			dim, each, even := "", 1, true
			if d < len(dims) {
				dim = dims[d]
			}
			for range level {
				even = even && was%v.factor[d] == 0
				each, was = each*v.factor[d], ceil(was, v.factor[d])
			}
			if axis := derived.Windows(dim, each, was); even || was > 2 || !coordinates {
				n.Axes = append(n.Axes, axis)
			} else {
				n.Axes = append(n.Axes, derived.List(dim, was))
			}
		}
		if at == name && !b.inGroups() {
			inherit(n.Attrs, b.related.group)
		}
		nodes = append(nodes, n)
	}
	changed, dropped := derived.Attributes(nodes)
	out := map[string]map[string]any{}
	for _, n := range nodes {
		out[n.Path] = n.Attrs
		if now, ok := changed[n.Path]; ok {
			out[n.Path] = now
		}
	}
	if b.o.Dropped != nil && level == 1 {
		for _, d := range dropped {
			if _, variable := b.related.vars[d.Path]; variable {
				dir, _ := split(b.source.Path())
				b.o.Dropped(join(dir, d.Path), d.String())
			}
		}
	}
	for at := range b.related.vars {
		b.refer(out[at], at == name && level == 1)
	}
	return out
}

// coordinates reports whether the levels have index coordinates of all reduced dimensions. They
// decide the positions: if the last window is smaller than the others, two coordinates are at
// another distance than a transformation of the windows, and peers use the coordinates.
func (b *builder) coordinates() bool {
	for d, dim := range b.source.Dims() {
		v, ok := b.related.vars[dim]
		if b.factor[d] > 1 && (!ok || !indexes(dim, v.array)) {
			return false
		}
	}
	return b.inGroups() && len(b.source.Dims()) > 0
}

// inherit adds the grid that an array inherits from its group to the attributes of the array. The
// levels in the same group have other grids.
func inherit(attrs, group map[string]any) {
	if group["spatial:transform"] == nil || attrs["spatial:transform"] != nil {
		return
	}
	for _, attr := range []string{"spatial:dimensions", "spatial:transform", "spatial:transform_type", "spatial:registration"} {
		if v, ok := group[attr]; ok {
			attrs[attr] = v
		}
	}
	list, _ := attrs[convention.Key].([]any)
	attrs[convention.Key] = append(slices.Clone(list), convention.Spatial().Declaration())
}

// refer drops the references to variables that the levels lack.
func (b *builder) refer(attrs map[string]any, report bool) {
	for _, attr := range references {
		text, ok := attrs[attr].(string)
		if !ok {
			continue
		}
		var keep []string
		for _, w := range strings.Fields(text) {
			v, ok := b.related.vars[strings.TrimSuffix(w, ":")]
			if ok && v.computable() && (b.inGroups() || !b.reduces(w)) {
				keep = append(keep, w)
			} else if !ok && strings.HasSuffix(w, ":") && attr != "grid_mapping" {
				keep = append(keep, w) // "area: cell_area"
			}
		}
		if now := strings.Join(keep, " "); now == strings.Join(strings.Fields(text), " ") {
			continue
		} else if (attr == "cell_measures" || attr == "formula_terms") && now != "" || len(keep) == 0 {
			delete(attrs, attr)
		} else {
			attrs[attr] = now
		}
		if report && b.o.Dropped != nil {
			b.o.Dropped(b.source.Path(), "the attribute "+attr+" was changed: the levels lack variables that it names")
		}
	}
}

// reduces reports whether the level of a variable differs from the variable itself, so that levels
// in one group cannot share it.
func (b *builder) reduces(name string) bool {
	v := b.related.vars[strings.TrimSuffix(name, ":")]
	return slices.ContainsFunc(v.factor, func(f int) bool { return f > 1 }) || v.array.Attrs()["GeoTransform"] != nil
}

// groupAttrs returns the attributes of the group of a level: those that describe the arrays in the
// group of the source.
func groupAttrs(attrs map[string]any) map[string]any {
	out := map[string]any{}
	for name, v := range attrs {
		switch {
		case strings.HasPrefix(name, "proj:"), strings.HasPrefix(name, "spatial:"), name == "_CRS", name == "Conventions":
			out[name] = v
		case name == convention.Key:
			list, _ := v.([]any)
			list = slices.DeleteFunc(slices.Clone(list), func(v any) bool {
				d, _ := v.(map[string]any)
				return d["uuid"] != convention.Proj().UUID && d["uuid"] != convention.Spatial().UUID
			})
			if len(list) > 0 {
				out[name] = list
			}
		}
	}
	return out
}

// variables creates the variables of a level that the attributes of its array refer to.
func (b *builder) variables(ctx context.Context, level int) error {
	if !b.inGroups() {
		return nil
	}
	_, own := split(b.source.Path())
	to, _ := split(b.layout.path(level))
	from, _ := split(b.layout.path(level - 1))
	for _, name := range slices.Sorted(maps.Keys(b.related.vars)) {
		v := b.related.vars[name]
		if name == own || !v.computable() {
			continue
		}
		attrs := b.attributes[level-1][name]
		if level == 1 && name == path.Base(from) {
			return fault.Newf(fault.Exists, "the variable %q has the name of a level", name)
		}
		// The documents of the source were compared with its versions, and those of the previous
		// level are the ones that the build has stored or found; see versionsRead and begin.
		a := v.array
		if level > 1 {
			if a = b.made[join(from, name)]; a == nil {
				continue // no level has it
			}
		}
		if err := b.variable(ctx, level, name, nodeIn{a, v.factor, v.bounds}, join(to, name), attrs); err != nil {
			return err
		}
	}
	return nil
}

// variable creates a variable of a level from that of the previous level.
func (b *builder) variable(ctx context.Context, level int, name string, v nodeIn, path string, attrs map[string]any) error {
	a := v.array
	reduced := slices.ContainsFunc(v.factor, func(f int) bool { return f > 1 })
	switch {
	case indexes(name, a), len(a.Shape()) == 0, a.DType().Size() == 0:
		if walk.Bytes(a.Shape(), int64(max(a.DType().Size(), 8))) > maxCoordinate {
			return fault.Newf(fault.Limit, "coordinate %q has %d elements of %v, more than %d bytes", a.Path(), a.Len(), a.DType(), maxCoordinate)
		}
		if !reduced {
			return b.copied(ctx, level, a, path, attrs)
		}
		return b.coordinate(ctx, level, a, path, v.factor[0], attrs)
	case v.bounds && reduced:
		return b.bounds(ctx, level, a, path, v.factor[0], attrs)
	}
	shape := smaller(a.Shape(), v.factor)
	spec, err := resized(a, shape)
	if err != nil {
		return err
	}
	spec.Attrs = attrs
	u, err := prepare(ctx, b.st, path, spec, b.opts)
	if err != nil {
		return err
	}
	is, err := b.begin(ctx, level, u)
	if err != nil {
		return err
	}
	present := keys.NewSet(u.array.GridShape())
	if is {
		if present, err = b.stored(ctx, level, u.array, is); err != nil || present == nil {
			return err
		}
	}
	other := &builder{state: b.state, st: b.st, o: b.o, opts: b.opts, factor: v.factor, memory: b.memory, cpu: b.cpu}
	other.o.Method = Nearest
	if reduced && attrs["flag_values"] == nil && attrs["flag_masks"] == nil {
		if r, err := reducerOf(a, Mean, true); err == nil {
			other.reducer, other.o.Method = r, Mean
		} else if !errors.Is(err, fault.Type) {
			return err
		}
	}
	l := other.step(a, u.array)
	err = concurrency.Each(ctx, max(4, 2*runtime.GOMAXPROCS(0)), b.missing(u.array, present, func() {}), l.object)
	if err != nil || is {
		return err
	}
	return b.publish(ctx, u)
}

// bounds creates the bounds of the cells of a level: from the first bound of the first cell of each
// window to the second bound of the last one.
func (b *builder) bounds(ctx context.Context, level int, a *zarr.Array, path string, factor int, attrs map[string]any) error {
	n := a.Shape()[0]
	spec, err := resized(a, []int{ceil(n, factor), 2})
	if err != nil {
		return err
	}
	spec.Attrs = attrs
	size := a.DType().Size()
	in := make([]byte, 2*n*size)
	if err := a.ReadBytes(ctx, in); err != nil {
		return err
	}
	var out []byte
	for i := range spec.Shape[0] {
		first, last := 2*i*factor, 2*min((i+1)*factor, n)-1
		out = append(append(out, in[first*size:(first+1)*size]...), in[last*size:(last+1)*size]...)
	}
	return b.store(ctx, level, path, spec, out)
}
