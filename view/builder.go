package view

import (
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/internal/attributes/derived"
	"github.com/zargo-io/zargo/internal/copying/copyspec"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// builder makes a state.
type builder struct {
	*state
	o       *Options
	store   *mem.Store // the documents
	format  int
	nodes   []derived.Node
	moved   bool // elements are selected
	lengths [2]*copyspec.Lengths
}

func newState(ctx context.Context, ds *dataset.Dataset, o *Options, shared *concurrency.Limits) (*state, error) {
	whole, err := ds.Over(ctx, &source{store.Forward{Store: ds.Group().Store()}}, zarr.Limit(zarr.Limits{Shared: shared}))
	if err != nil {
		return nil, err
	}
	at, err := whole.Sel(o.Sel...)
	if err != nil {
		return nil, err
	}
	b := &builder{
		state: &state{fresh: o.Fresh, cache: int(min(o.Cache, math.MaxInt)), whole: whole, docs: map[string]*value{}, arrays: map[string]*array{}, looked: map[*array]time.Time{}},
		o:     o, store: mem.New(), format: o.Format, nodes: []derived.Node{{}},
		lengths: [2]*copyspec.Lengths{{Named: o.Chunks}, {Named: o.Shards, None: o.NoShards}},
	}
	if b.format == 0 {
		b.format = max(whole.Group().Format(), 2)
	}
	names, err := b.names()
	if err != nil {
		return nil, err
	}
	_, err = zarr.CreateGroup(ctx, b.store, "", zarr.Spec{Format: b.format, Attrs: whole.Group().Attrs()}, o.Zarr...)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if err := b.create(ctx, at, name); err != nil {
			return nil, named(name, err)
		}
	}
	if b.moved {
		dropped, err := copyspec.Derive(ctx, b.store, b.nodes, o.Zarr...)
		if err != nil {
			return nil, err
		}
		for _, d := range dropped {
			b.drop(d.Path, d.String())
		}
	}
	docs, err := copyspec.Documents(ctx, b.store, "", o.Zarr...)
	if err != nil {
		return nil, err
	}
	for key, text := range docs {
		doc := []byte(text)
		b.docs[key] = &value{bytes: doc, size: int64(len(doc)), version: versionOf(doc)}
	}
	return b.state, b.open(ctx, shared)
}

func (b *builder) drop(name, what string) {
	if b.o.Dropped != nil {
		b.o.Dropped(name, what)
	}
}

// names returns the names of the variables of the view.
func (b *builder) names() ([]string, error) {
	all := map[string]*dataset.Variable{}
	for _, v := range append(b.whole.Vars(), b.whole.Coords()...) {
		all[v.Name()] = v
	}
	if b.o.Vars == nil {
		return slices.Sorted(maps.Keys(all)), nil
	}
	chosen, dims := map[string]bool{}, map[string]bool{}
	var add func(name string)
	add = func(name string) {
		v := all[name]
		if v == nil || chosen[name] {
			return
		}
		chosen[name] = true
		for _, d := range v.Dims() {
			dims[d.Name] = true
		}
		attrs := v.Attrs()
		for _, attr := range []string{"coordinates", "grid_mapping"} {
			text, _ := attrs[attr].(string)
			for _, word := range strings.Fields(text) {
				add(strings.TrimSuffix(word, ":"))
			}
		}
		for _, name := range cf.BoundsOf(attrs) {
			add(name)
		}
	}
	for _, name := range b.o.Vars {
		if _, err := b.whole.Var(name); err != nil {
			return nil, err
		}
		add(name)
	}
	for more := -1; more != len(chosen); {
		more = len(chosen)
		for _, dim := range slices.Sorted(maps.Keys(dims)) {
			add(dim)
		}
	}
	return slices.Sorted(maps.Keys(chosen)), nil
}

// create creates the documents of an array. at is the selected dataset.
func (b *builder) create(ctx context.Context, at *dataset.Dataset, name string) error {
	whole, err := b.whole.Var(name)
	if err != nil {
		return err
	}
	v, err := at.Var(name)
	if err != nil {
		return err
	}
	from, a := v.Array(), &array{from: v, decoded: b.o.Decode && decodable(whole)}
	shape, left := from.Shape(), v.Dims()
	a.dims, a.chars = make([]string, len(shape)), len(whole.Dims()) < len(shape)
	n := derived.Node{Path: name, Array: true}
	for i, was := range shape {
		start, step, count, even, ok := v.Positions(i)
		if !ok {
			return fault.Newf(fault.Selection, "a view cannot select points")
		}
		dim := ""
		if i < len(whole.Dims()) {
			dim = whole.Dims()[i].Name
		}
		if slices.ContainsFunc(left, func(d dataset.Dim) bool { return d.Name == dim }) {
			a.dims[i] = dim
		}
		axis := derived.List(dim, count)
		if even {
			axis = derived.Range(dim, was, start, step, count)
		}
		n.Axes, shape[i] = append(n.Axes, axis), count
		b.moved = b.moved || axis != derived.Range(dim, count, 0, 1, count)
	}
	b.nodes = append(b.nodes, n)
	spec, err := b.spec(whole, a, shape)
	if err != nil {
		return err
	}
	_, err = zarr.Create(ctx, b.store, name, spec, b.o.Zarr...)
	b.arrays[name] = a
	return err
}

// spec returns the spec of an array of the view.
func (b *builder) spec(whole *dataset.Variable, a *array, shape []int) (zarr.Spec, error) {
	from := whole.Array()
	o := copyspec.Options{
		Format: b.format, NoFillAttribute: b.o.NoFillAttribute || a.decoded, Codecs: b.o.Codecs,
		Masked: func(_, what string) { b.drop(from.Name(), what) },
	}
	if len(b.o.Chunks)+len(b.o.Shards) > 0 || b.o.NoShards {
		o.Grid = func(x *zarr.Array) ([]int, []int, error) {
			return copyspec.Grid(x, x.Name(), b.lengths[0], b.lengths[1])
		}
	}
	if a.decoded && o.Codecs == nil {
		o.Codecs = []codec.Spec{codec.Zstd(0)}
	}
	spec, err := o.Of(from, shape)
	if err != nil || !a.decoded {
		return spec, err
	}
	spec.DType, spec.Fill, spec.Attrs = typeOf(whole), nan(), maps.Clone(spec.Attrs)
	c, _ := whole.Coding()
	for _, name := range packing {
		delete(spec.Attrs, name)
	}
	for _, name := range []string{"valid_min", "valid_max", "valid_range"} {
		if _, ok := spec.Attrs[name]; ok && c.Packed() {
			delete(spec.Attrs, name)
			b.drop(from.Name(), "the attribute "+name+" was dropped: it describes packed values")
		}
	}
	return spec, nil
}

// open opens the arrays of the view.
func (b *builder) open(ctx context.Context, shared *concurrency.Limits) error {
	for i, l := range b.lengths {
		if !l.Used && len(l.Named) > 0 {
			return fault.Newf(fault.Selection, "no array of the view has the dimensions of the %s %v", []string{"chunks", "shards"}[i], slices.Sorted(maps.Keys(l.Named)))
		}
	}
	opts := append(slices.Clone(b.o.Zarr), zarr.SingleWriter(), zarr.IgnoreConsolidated(), zarr.Format(b.format), zarr.Limit(zarr.Limits{Shared: shared}))
	open := func(name string, docs *mem.Store) (*zarr.Array, error) {
		return zarr.OpenArray(ctx, sink{docs, b.o.Name}, name, opts...)
	}
	for name, a := range b.arrays {
		var err error
		if a.made, err = open(name, b.store); err == nil {
			err = a.made.CannotEncode()
		}
		if err == nil && a.made.Sharded() && a.need(a.made) > min(b.o.Memory/2, b.o.Cache) {
			a.shard, err = newShard(ctx, a.made, b.o.Zarr, open)
		}
		if err == nil {
			err = a.fits(b.o.Memory, b.o.Cache)
		}
		if err != nil {
			return named(name, err)
		}
	}
	return nil
}
